"""All components and states on one page, for whoever builds the next one. Only there under DEBUG."""

from datetime import timedelta

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from taskboard.looks import LOOKS

DIFF = """--- pricing.html
+++ pricing.html
@@ -3,4 +3,4 @@
 <head>
-  <title>Home</title>
+  <title>Prices of all kilns and wheels, Harbour Lane Ceramics</title>
   <meta charset="utf-8">"""


class Sample(forms.Form):
    """One field of each kind."""

    source = forms.CharField(help_text="A folder, a sitemap, or addresses of pages.")
    budget = forms.DecimalField(required=False)
    kind = forms.ChoiceField(choices=[("a", "Bundled sample site"), ("b", "My own site")])
    note = forms.CharField(widget=forms.Textarea(attrs={"rows": 2}), required=False)
    sure = forms.BooleanField(label="I have read the estimate", required=False)


def styleguide(request: HttpRequest) -> HttpResponse:
    counts = {"done": 118, "skipped": 9, "running": 8, "waiting_approval": 12, "blocked": 3, "failed": 5}
    now = timezone.now()
    context = {
        "form": Sample({"budget": "many", "kind": "a"}),
        "statuses": LOOKS,
        "counts": counts | {"rejected": 4, "cancelled": 2, "pending": 39},
        "start": {"running": 8, "pending": 192},
        "now": now,
        "past": now - timedelta(hours=2, minutes=3),
        "future": now + timedelta(minutes=40),
        "diff": DIFF,
        "hidden": "rm -rf /data/\u202egnp.elif",
    }
    return render(request, "styleguide.html", context)
