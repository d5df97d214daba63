"""Plan, resume and actions on the page of a task: what stands where, in words."""

import re

import pytest
from django.contrib.auth.base_user import AbstractBaseUser

from taskboard import lifecycle
from taskboard.models import ItemStatus, Kind, StepStatus, Task, TaskStatus
from taskboard.views import parts, resumed
from taskboard.views.plan import sentences
from tests.conftest import logged_in
from tests.factories import make_approval, make_item, make_step, make_task


def make_audit(**over: object) -> Task:
    return make_task(workflow="seo-audit", plan=["Read.", "Tickets.", "Tell.", "Mend.", "Report."], **over)


def test_each_sentence_of_the_plan_shows_where_its_steps_stand(db: None) -> None:
    task = make_audit()
    for number in range(3):
        item = make_item(task, status=ItemStatus.RUNNING)
        make_step(item, "diagnose", status=StepStatus.DONE)
        make_step(item, "create_ticket", status=StepStatus.DONE if number else StepStatus.STARTED)
    told = parts.plan(task)["sentences"]
    assert [one.status for one in told] == ["done", "running", "pending", "pending", "pending"]
    assert [one.figures for one in told][:3] == ["3 of 3", "2 of 3", ""]


def test_what_was_cancelled_is_not_done(db: None) -> None:
    task = make_audit(status=TaskStatus.CANCELLED)
    for status in (StepStatus.DONE, StepStatus.CANCELLED):
        item = make_item(task)
        make_step(item, "diagnose", status=StepStatus.DONE)
        make_step(item, "create_ticket", status=status)
        if status == StepStatus.DONE:
            make_step(item, "notify", status=status)
    told = parts.plan(task)["sentences"]
    assert [one.status for one in told] == ["done", "cancelled", "cancelled", "cancelled", "cancelled"]
    assert [one.figures for one in told][:3] == ["2 of 2", "1 of 2", ""]


def test_what_needs_a_person_goes_first(db: None) -> None:
    task = make_audit(status=TaskStatus.WAITING)
    for status in (StepStatus.DONE, StepStatus.WAITING_APPROVAL):
        make_step(make_item(task), "apply_fix", status=status)
    assert parts.plan(task)["sentences"][3].status == "waiting_approval"
    make_step(make_item(task), "apply_fix", status=StepStatus.UNKNOWN)
    assert parts.plan(task)["sentences"][3].status == "unknown"


def test_a_plan_that_no_workflow_knows_is_only_text(db: None) -> None:
    task = make_task(workflow="gone", plan=["One.", "Two."])
    assert [(one.text, one.status) for one in sentences(task, [])] == [("One.", ""), ("Two.", "")]


def test_the_last_resume_lists_its_eight_steps_with_what_each_found(operator: AbstractBaseUser) -> None:
    task = make_task(restart_count=2)
    told = [
        {
            "number": 1,
            "step": "load_state",
            "found": {"status": "running", "last_checkpoint": "a.look.started"},
        },
        {"number": 2, "step": "check_and_count", "found": {"restart_count": 2}},
        {"number": 3, "step": "list_started", "found": {"started": ["a.look", "b.look"], "count": 2}},
        {"number": 4, "step": "ask_outside", "found": {"Finished": 1, "NotKnown": 1}},
        {"nothing_found": ["collect_decisions"]},
        {"number": 6, "step": "refresh_facts", "found": {"budget_left_usd": "3.20", "count": 4}},
        {"number": 7, "step": "write_brief", "found": {"bytes": 2048}},
        {"number": 8, "step": "go_on", "found": {"claimable": 1}},
    ]
    with lifecycle.changing(task.pk, "ops") as change:
        change.record(Kind.RESUME, data={"number": 1, "step": "load_state", "found": {"status": "paused"}})
    with lifecycle.changing(task.pk, "ops") as change:
        for data in told:
            change.record(Kind.RESUME, data=data)
    page = logged_in(operator).get(task.get_absolute_url()).content.decode()
    assert "Last resume" in page
    found = resumed.last(task)
    assert found
    assert [line.found for line in found.lines] == [
        "Running; last: a.look.started", "Restart 2", "2 steps: a.look, b.look",
        "1 had happened, 1 cannot be found out", "", "4 facts are read again; left of the budget: 3.20 USD",
        "2.0\xa0KB", "1 step can be begun",
    ]  # fmt: skip


@pytest.mark.parametrize("found", [None, [], "x", {}, {"count": "many"}])
def test_odd_rows_of_a_resume_break_no_page(found: object) -> None:
    assert resumed.told("list_started", found) == ""


def test_a_task_that_was_never_resumed_shows_none(db: None) -> None:
    assert parts.resume(make_task()) == {"resumed": None}


def test_buttons_say_what_they_will_do(operator: AbstractBaseUser) -> None:
    task = make_task()
    for status in (StepStatus.STARTED, StepStatus.STARTED):
        make_step(make_item(task), status=status)
    make_approval(make_step(make_item(task), status=StepStatus.WAITING_APPROVAL))
    page = logged_in(operator).get(task.get_absolute_url()).content.decode()
    assert "Nothing new is started; 2 steps that run now will finish." in page
    assert "Pause: nothing new is started until someone presses Resume." in page
    assert "1 question is open." in page


def test_run_again_opens_the_same_form(operator: AbstractBaseUser) -> None:
    task = make_task(workflow="linear", status=TaskStatus.COMPLETED, params={"items": 7, "mode": None})
    page = logged_in(operator).get(task.get_absolute_url()).content.decode()
    assert 'href="/tasks/new/linear/?items=7"' in page
    assert "Run again" in page


def test_run_again_carries_the_budget_over(operator: AbstractBaseUser) -> None:
    values = {"params": {"items": 7}, "limit_micro": 7_350_000}
    task = make_task(workflow="linear", status=TaskStatus.COMPLETED, **values)
    address = "/tasks/new/linear/?items=7&limit_usd=7.35"
    assert parts.actions_of(task)["again_url"] == address
    form = logged_in(operator).get(address).content.decode()
    field = re.search('<input[^>]*name="limit_usd"[^>]*>', form)
    assert field
    assert 'value="7.35"' in field[0]


def test_run_again_works_with_parameters_of_any_length(operator: AbstractBaseUser) -> None:
    params = {"items": 7, "mode": "a very long list " * 300}
    values = {"params": params, "limit_micro": 7_350_000}
    task = make_task(workflow="linear", status=TaskStatus.COMPLETED, **values)
    address = str(parts.actions_of(task)["again_url"])
    assert address == f"/tasks/new/linear/?again={task.public_id}"
    form = logged_in(operator).get(address).content.decode()
    for told in (params["mode"], "7", "7.35"):
        assert f'value="{told}"' in form
    assert logged_in(operator).get("/tasks/new/linear/?again=task_19990101_0001").status_code == 404


def test_a_hold_says_that_it_stops_no_work(operator: AbstractBaseUser) -> None:
    task = make_task(on_hold=True, hold_by="admin", hold_reason="Lawsuit")
    page = logged_in(operator).get(task.get_absolute_url()).content.decode()
    assert "it does not stop its work." in page
    assert "It is on hold: Lawsuit" in page
