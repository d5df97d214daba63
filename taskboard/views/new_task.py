"""Starting a task: choose a workflow, fill in its form, see what it would take, start."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.forms import Form
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods

from taskboard import existing, forms, secret_params
from taskboard.errors import BadInput, NotFound
from taskboard.estimate import Estimate, look_ahead
from taskboard.existing import Existing
from taskboard.guards import may, person
from taskboard.models import Task
from taskboard.rights import OPERATE
from taskboard.start import start_task, started_with
from taskboard.steering.sheet import Row
from taskboard.views.pages import visible_task
from taskboard.workflow import WorkflowSpec, find, registered

SHOWN_ROWS = 8


@dataclass
class Asked:
    """A form as filled in, and what there is to say about it."""

    spec: WorkflowSpec
    params: Form
    form: forms.NewTaskForm
    sheet: forms.SheetForm | None = None
    rows: list[Row] | None = None
    estimate: Estimate | None = None
    there: Existing | None = None

    @property
    def is_valid(self) -> bool:
        return all(
            [self.params.is_valid(), self.form.is_valid(), self.sheet is None or self.sheet.is_valid()]
        )

    @property
    def token(self) -> str:
        return str(self.form.cleaned_data["submit_token"])

    def page(self, request: HttpRequest, status: int = 200) -> HttpResponse:
        shown = {"asked": self, "spec": self.spec, "params": self.params, "form": self.form}
        rows = {
            "rows": (self.rows or [])[:SHOWN_ROWS],
            "more_rows": max(0, len(self.rows or []) - SHOWN_ROWS),
        }
        context = {**shown, **rows, **forms.field_sets(self.params)}
        return render(request, "taskboard/new_task_form.html", context, status=status)


@require_GET
@may(OPERATE)
def choose(request: HttpRequest) -> HttpResponse:
    return render(request, "taskboard/new_task.html", {"workflows": registered()})


@require_http_methods(["GET", "POST"])
@may(OPERATE)
def new_task(request: HttpRequest, workflow: str) -> HttpResponse:
    spec = _spec(workflow)
    if request.method == "GET":
        return _empty(request, spec).page(request)
    asked = _filled_in(request, spec)
    if not asked.is_valid:
        return asked.page(request, status=422)
    verb = next((name for name in VERBS if name in request.POST), "start")
    try:
        return VERBS["check" if asked.rows else verb](request, asked)
    except BadInput as fault:
        forms.add_fault(asked.params, fault)
        return asked.page(request, status=422)


def _check(request: HttpRequest, asked: Asked) -> HttpResponse:
    """What it would take, and whether the work exists; nothing is changed."""
    asked.there = _existing(asked)
    asked.estimate = look_ahead(asked.spec, asked.params.cleaned_data)
    return asked.page(request)


def _start(request: HttpRequest, asked: Asked, anew: bool = False) -> HttpResponse:
    """A task, unless this form has started one or the work exists: then that one is pointed to."""
    there = _existing(asked)
    if former := started_with(asked.token):
        return _started_before(request, former)
    if there.task and not (anew and there.may_start_anew):
        asked.there = there
        return asked.page(request, status=409)
    task = start_task(
        asked.spec.name,
        asked.params.cleaned_data,
        user=person(request),
        limit_usd=asked.form.cleaned_data["limit_usd"],
        goal=asked.form.cleaned_data["goal"],
        submit_token=asked.token,
        continues=there.task,
    )
    messages.success(request, _("Started. A worker reads the source now; this page shows it live."))
    return redirect(task)


def _start_anew(request: HttpRequest, asked: Asked) -> HttpResponse:
    return _start(request, asked, anew=True)


def _go_on(request: HttpRequest, asked: Asked) -> HttpResponse:
    """Continue the task that is at this already."""
    there = _existing(asked)
    if there.task is None:
        return _start(request, asked)
    if existing.go_on(there.task, person(request), timezone.now()):
        messages.success(request, _("It goes on."))
    return redirect(there.task)


VERBS: Mapping[str, Callable[[HttpRequest, Asked], HttpResponse]] = {
    "check": _check, "go_on": _go_on, "anew": _start_anew, "start": _start,
}  # fmt: skip


def _existing(asked: Asked) -> Existing:
    return existing.look(asked.spec.name, asked.params.cleaned_data, timezone.now())


def _started_before(request: HttpRequest, former: Task) -> HttpResponse:
    messages.info(
        request, _("This form has started this task already. Open a new form to start another one.")
    )
    return redirect(former)


def _empty(request: HttpRequest, spec: WorkflowSpec) -> Asked:
    """A form with a token of its own; the address may fill it in, or name the task that it is filled in like."""
    told = _like(request, spec) if "again" in request.GET else request.GET.dict()
    form = forms.NewTaskForm(
        initial={"submit_token": forms.new_token(), "limit_usd": told.get("limit_usd", "")}
    )
    sheet = forms.SheetForm() if forms.sheet_field(spec) else None
    return Asked(spec, forms.params_form(spec, initial=told), form, sheet)


def _like(request: HttpRequest, spec: WorkflowSpec) -> dict[str, Any]:
    """What a task was started with, but for its secrets."""
    task = visible_task(request, request.GET["again"])
    return {**secret_params.public(spec, task.params), "limit_usd": task.limit_usd}


def _filled_in(request: HttpRequest, spec: WorkflowSpec) -> Asked:
    """The form as sent; a sheet stands in for what was typed into its field."""
    told, name = request.POST.copy(), forms.sheet_field(spec)
    sheet = forms.SheetForm(request.POST, request.FILES) if name else None
    rows = sheet.cleaned_data["sheet"] if sheet and sheet.is_valid() else []
    typed = str(told.get(name, ""))
    if rows:
        told[name] = forms.from_sheet(spec, rows)
    params = forms.params_form(spec, told)
    if sheet and (rows or (sheet.errors and not typed.strip())):
        forms.tell_at_sheet(params, name, sheet, rows)
        if sheet.errors:
            told[name] = typed
    return Asked(spec, params, forms.NewTaskForm(told), sheet, rows if sheet and sheet.is_valid() else [])


def _spec(name: str) -> WorkflowSpec:
    if spec := find(name):
        return spec
    raise NotFound(_("There is no such workflow here. Choose one from the list."))
