"""Starting a task: choose a workflow, fill in its form."""

from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods

from taskboard.errors import BadInput, NotFound
from taskboard.forms import NewTaskForm, add_fault, field_sets, new_token, params_form
from taskboard.guards import may, person
from taskboard.models import Task
from taskboard.start import start_task
from taskboard.workflow import WorkflowSpec, registered

OPERATE = "taskboard.operate_task"


@require_GET
@may(OPERATE)
def choose(request: HttpRequest) -> HttpResponse:
    return render(request, "taskboard/new_task.html", {"workflows": registered()})


@require_http_methods(["GET", "POST"])
@may(OPERATE)
def new_task(request: HttpRequest, workflow: str) -> HttpResponse:
    spec = _spec(workflow)
    if request.method == "GET":
        token = {"submit_token": new_token()}
        return _page(request, spec, params_form(spec, initial=request.GET.dict()), NewTaskForm(initial=token))
    params, form = params_form(spec, request.POST), NewTaskForm(request.POST)
    task = _start(request, spec, params, form) if all([params.is_valid(), form.is_valid()]) else None
    if task is None:
        return _page(request, spec, params, form, status=422)
    messages.success(request, _("Started. A worker reads the source now; this page shows it live."))
    return redirect(task)


def _start(request: HttpRequest, spec: WorkflowSpec, params: forms.Form, form: NewTaskForm) -> Task | None:
    """The task, or None with the fault at its field."""
    asked = form.cleaned_data
    try:
        return start_task(
            spec.name,
            params.cleaned_data,
            user=person(request),
            limit_usd=asked["limit_usd"],
            goal=asked["goal"],
            submit_token=asked["submit_token"],
        )
    except BadInput as fault:
        add_fault(params, fault)
        return None


def _page(
    request: HttpRequest, spec: WorkflowSpec, params: forms.Form, form: NewTaskForm, status: int = 200
) -> HttpResponse:
    context: dict[str, Any] = {"spec": spec, "params": params, "form": form, **field_sets(params)}
    return render(request, "taskboard/new_task_form.html", context, status=status)


def _spec(name: str) -> WorkflowSpec:
    for spec in registered():
        if spec.name == name:
            return spec
    raise NotFound(_("There is no such workflow here. Choose one from the list."))
