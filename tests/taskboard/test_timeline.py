"""The life of an item: attempts and waiting, told apart, from the journal's rows."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from approvals import decisions, resumer
from approvals.models import Approval
from taskboard.engine import work
from taskboard.models import Checkpoint, Kind, StepStatus, Task
from taskboard.start import start_task
from taskboard.views import timeline
from tests.conftest import logged_in
from tests.factories import NOW, make_item, make_step, make_task

pytestmark = pytest.mark.django_db(transaction=True)


def ran(workflow: str, user: Any, mode: str = "") -> Task:
    task = start_task(workflow, {"items": 1, "mode": mode}, user=user)
    work.until_idle(task.pk)
    return Task.objects.get(pk=task.pk)


def lives(task: Task, step: str, revision: int = 1) -> list[tuple[str, str]]:
    folded = timeline.fold(Checkpoint.objects.filter(task=task, item_key="item_001").order_by("ordinal"))
    return [(one.kind, one.ended) for one in folded[step, revision]]


def page(user: Any, task: Task) -> str:
    return str(logged_in(user).get(f"{task.get_absolute_url()}items/item_001/").content.decode())


def test_each_attempt_has_its_end_and_between_them_it_waits(operator: Any) -> None:
    task = ran("moody", operator, "not_sent")
    again = [("work", Kind.RETRY), ("later", Kind.INTENT)]
    assert lives(task, "act") == [*again, *again, ("work", Kind.FAILURE)]
    html = page(operator, task)
    assert html.count("Attempt ") == 4
    assert "connection refused (tried 3 times)" in html


def test_waiting_for_a_person_is_no_work(operator: Any, manager: Any) -> None:
    task = ran("asking", operator)
    assert lives(task, "pay") == [("person", "")]
    assert "Waits for a person" in page(operator, task)
    question = Approval.objects.get(task=task)
    decisions.decide(question.pk, manager, "approve", digest=question.payload_sha256)
    resumer.pick_up_all(task)
    work.until_idle(task.pk)
    told = [("person", Kind.DECIDED), ("pick_up", Kind.PICKED_UP), ("work", Kind.RESULT)]
    assert lives(task, "pay") == told
    html = page(operator, task)
    assert "stretch-person tone-wait" in html
    assert "Approved · manager" in html
    assert f"/approvals/{question.pk}/" in html


def test_an_unknown_outcome_waits_for_a_person(operator: Any) -> None:
    task = ran("blind", operator)
    assert lives(task, "shout") == [("work", Kind.UNKNOWN), ("person", "")]


def test_each_revision_has_its_own_attempts(operator: Any) -> None:
    task = ran("moody", operator, "go_back")
    for revision in (1, 2, 3):
        assert lives(task, "act", revision) == [("work", Kind.GO_BACK)]
    assert "2 steps that later revisions replaced" not in page(operator, task)
    assert "4 steps that later revisions replaced" in page(operator, task)


def test_what_came_from_elsewhere_is_drawn_from_the_step(operator: Any) -> None:
    item = make_item(make_task(), "item_001")
    step = make_step(
        item, status=StepStatus.DONE, attempt=2, started_at=NOW, finished_at=NOW + timedelta(minutes=5)
    )
    found = timeline.of_step({}, step)
    assert [(one.kind, one.ended, one.length, one.attempt) for one in found] == [
        ("work", Kind.RESULT, "5 min", 2)
    ]
    assert "Attempt 2" in page(operator, item.task)


def test_a_step_that_was_cancelled_in_the_middle_does_not_go_on_for_ever() -> None:
    item = make_item(make_task())
    step = make_step(item, status=StepStatus.CANCELLED, started_at=NOW, finished_at=NOW)
    rows = [Checkpoint(kind=Kind.INTENT, step="diagnose", attempt=1, at=NOW, data={"to": "started"})]
    (last,) = timeline.of_step(timeline.fold(rows), step)
    assert (last.end, last.ended, last.how) == (NOW, "cancelled", "Cancelled")


def test_rows_of_an_unknown_shape_hinder_nothing() -> None:
    shapes: list[Any] = [{"to": ["x"]}, {"approval": "seven"}, {"reason": {"a": 1}}, {}]
    kinds = [*Kind.values, "of the future"]
    rows = [Checkpoint(kind=kind, step="look", at=NOW, data=data) for kind in kinds for data in shapes]
    found = timeline.fold(rows)
    assert timeline.drawn({1: found["look", 1]}, timezone.now())[1]


def test_the_places_fit_into_one_line() -> None:
    later = NOW + timedelta(hours=2)
    first = timeline.Stretch("work", NOW, 1, NOW + timedelta(milliseconds=5), Kind.RETRY)
    wait = timeline.Stretch("later", first.begin, 0, later)
    now = timeline.Stretch("work", later, 2)
    drawn = timeline.drawn({1: [first, wait, now]}, later)[1]
    assert [one.start for one in drawn] == ["0.00", "0.00", f"{100 - timeline.THINNEST:.2f}"]
    assert all(float(one.start) + float(one.size) <= 100.001 for one in drawn)


def test_costs_say_which_are_estimated(operator: Any) -> None:
    task = ran("paid", operator)
    entry = task.ledger.get()
    assert "estimated" not in page(operator, task)
    task.ledger.filter(pk=entry.pk).update(estimated=True)
    html = page(operator, task)
    assert "partly estimated" in html
    assert "zoo-1" in html
    assert "$0.10" in html


def test_more_attempts_cost_no_more_queries(operator: Any) -> None:
    client = logged_in(operator)

    def queries(mode: str) -> int:
        task = ran("moody", operator, mode)
        with CaptureQueriesContext(connection) as captured:
            client.get(f"{task.get_absolute_url()}items/item_001/")
        return len(captured)

    queries("give_up")
    assert queries("give_up") == queries("not_sent")
