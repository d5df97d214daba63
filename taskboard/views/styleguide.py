"""All components and states on one page, for whoever builds the next one. Only there under DEBUG."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from decimal import Decimal

from django import forms
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.datastructures import MultiValueDict

from taskboard.estimate import Estimate, Past, Price
from taskboard.existing import Answer, Existing
from taskboard.forms import SheetForm
from taskboard.looks import LOOKS
from taskboard.models import Artifact, Task, TaskStatus
from taskboard.outcomes import Counted, NewItem
from taskboard.steering.sheet import Row
from taskboard.views.artifact_links import Shown
from taskboard.workflow import StepSpec

SHEETS = [f"css/{name}.css" for name in ("tasks", "task", "item", "people", "inbox", "attention", "journal")]

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
    context |= _new_task(now) | {"sheets": SHEETS, "artifacts": list(_artifacts(now))}
    return render(request, "styleguide.html", context)


def _artifacts(now: datetime) -> Iterator[Shown]:
    """One that can be looked at, a link, one whose file is gone, and a link that was good for a time."""
    kinds = {
        "summary.md": "text/markdown",
        "ticket": "",
        "pages.csv": "text/csv",
        "crawl.zip": "application/zip",
    }
    summary, ticket, pages, crawl = (
        Artifact(pk=number, name=name, media_type=kind, size=2048 * number, created_at=now)
        for number, (name, kind) in enumerate(kinds.items(), 1)
    )
    yield Shown(summary, "#main", False, "#main")
    yield Shown(ticket, "#main", True)
    yield Shown(pages, "", False, missing=True)
    yield Shown(crawl, "", True, expired_at=now)


def _new_task(now: datetime) -> dict[str, object]:
    """What the page of a new task and that of an item show."""
    task = Task(
        public_id="task_20260917_0042", status=TaskStatus.COMPLETED, created_by_name="ops", finished_at=now
    )
    task.goal, task.updated_at = "Audit the 200 pages of harbourlane.example", now
    price = Price(StepSpec("diagnose", styleguide, writes=False, label="Diagnose"), Decimal("0.02"), 200)
    sheet = SimpleUploadedFile("pages.csv", b"key,label\n,a\nb,c\nb,d,e\n")
    faulty = SheetForm({}, MultiValueDict({"sheet": [sheet]}))
    faulty.is_valid()
    stretch = {
        "start": "0",
        "size": "40",
        "tone": "bad",
        "kind": "work",
        "begin": now,
        "end": now,
        "length": "2 s",
    }
    waiting = {**stretch, "start": "40", "size": "60", "tone": "wait", "kind": "wait", "length": "2 h"}
    return {
        "there": Existing(Answer.FINISHED, task),
        "estimate": Estimate(
            Counted(200, "200 HTML files in the folder."), [price], Past(3, 600, Decimal(12), 60)
        ),
        "limit": Decimal(2),
        "rows": [Row(2, NewItem("/pricing", "Prices"), "/pricing"), Row(3, NewItem("=1+1", ""), "=1+1")],
        "sheet": faulty,
        "stretches": [
            {**stretch, "name": "Attempt 1", "how": "failed", "told": "TimeoutError"},
            {**waiting, "name": "Waited for a manager", "how": ""},
        ],
    }
