"""How long the tasks of each workflow are kept: as declared, or as an administrator says instead."""

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import require_POST, require_safe

from taskboard import workflow
from taskboard.errors import NotFound
from taskboard.forms import checked
from taskboard.guards import may, person
from taskboard.responses import done
from taskboard.retention import policy
from taskboard.rights import RETAIN
from taskboard.views.retention import shared


class PolicyForm(forms.Form):
    """A number of days, or none; and why."""

    days = forms.IntegerField(
        label=gettext_lazy("Days"),
        required=False,
        min_value=0,
        max_value=policy.LONGEST_DAYS,
        help_text=gettext_lazy("Counted from the end of a task. Empty: kept without an end."),
    )
    reason = forms.CharField(label=gettext_lazy("Reason"), max_length=1000)


@require_safe
@may(RETAIN)
def page(request: HttpRequest) -> HttpResponse:
    kept = [(one, PolicyForm(prefix=one.name, initial={"days": one.days})) for one in policy.overview()]
    context = {**shared(request, "retention_policies", timezone.now()), "kept": kept}
    return render(request, "taskboard/keeping_times.html", context)


@require_POST
@may(RETAIN)
def change(request: HttpRequest, name: str) -> HttpResponse:
    """Another time, or with `drop` the declared one again."""
    if workflow.find(name) is None:
        raise NotFound(_("There is no such workflow (any more)."))
    told = checked(PolicyForm(request.POST, prefix=name))
    user, reason = person(request), told["reason"]
    if "drop" in request.POST:
        changed = policy.drop(name, user, reason)
    else:
        changed = policy.change(name, user, told["days"], reason)
    message = ngettext(
        "Changed; one finished task has another end of its time now.",
        "Changed; %(number)d finished tasks have another end of their time now.",
        changed,
    )
    return done(request, message % {"number": changed}, reverse("taskboard:retention_policies"))
