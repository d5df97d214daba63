"""Actions on many items: by ticks or by a filter, in the background, with a result for each."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import Group
from django.utils import timezone

from taskboard import bulk, desk, selection
from taskboard.errors import BadInput, NotAllowed, WrongState
from taskboard.models import (
    BulkAction,
    BulkJob,
    BulkResult,
    Checkpoint,
    ItemStatus,
    Kind,
    Step,
    StepStatus,
    Task,
    TaskStatus,
)
from taskboard.recount import differences
from taskboard.selection import Selection
from taskboard.steering import steer
from tests.factories import make_item, make_step, make_task

pytestmark = pytest.mark.django_db(transaction=True)
ALL = Selection()


def make_failures(number: int = 3, **over: Any) -> Task:
    """A completed task of which so many items failed at their first step, and one is done."""
    task = make_task(workflow="linear", status=TaskStatus.COMPLETED, **over)
    make_step(make_item(task, "fine", status=ItemStatus.DONE), "look", status=StepStatus.DONE)
    for place in range(number):
        item = make_item(task, f"bad_{place}", status=ItemStatus.FAILED, stage="look")
        make_step(item, "look", status=StepStatus.FAILED, error="no answer", error_class="Timeout")
    return task


def carry_out(job: BulkJob) -> BulkJob:
    bulk.carry_on(job.pk, seconds=60)
    job.refresh_from_db()
    return job


def statuses(task: Task) -> list[str]:
    return list(
        Step.objects.filter(task=task, name="look").order_by("position").values_list("status", flat=True)
    )


def test_it_tries_every_failed_item_again_and_tells_of_each(operator: Any) -> None:
    task = make_failures()
    job = carry_out(bulk.begin(task, operator, BulkAction.RETRY, ALL))
    assert (job.total, job.done, job.failed, job.skipped) == (3, 3, 0, 0)
    assert job.finished_at
    assert statuses(task) == ["done", "pending", "pending", "pending"]
    assert [result.item_key for result in job.results.all()] == ["bad_0", "bad_1", "bad_2"]
    told = Checkpoint.objects.filter(task=task, kind=Kind.PERSON, data__did="retry", actor="ops")
    assert told.count() == 3
    assert [told for told in differences(Task.objects.get(pk=task.pk)) if "counter" in told] == []


def test_only_what_matches_is_touched(operator: Any) -> None:
    task = make_failures()
    job = carry_out(bulk.begin(task, operator, BulkAction.RETRY, Selection(text="bad_1")))
    assert job.done == 1
    assert statuses(task) == ["done", "failed", "pending", "failed"]


def test_ticked_items_alone(operator: Any) -> None:
    task = make_failures()
    ids = list(task.items.filter(key__in=("bad_0", "bad_2", "fine")).values_list("pk", flat=True))
    job = carry_out(bulk.begin(task, operator, BulkAction.RETRY, selection.chosen([str(pk) for pk in ids])))
    assert (job.total, job.done) == (2, 2)
    assert statuses(task) == ["done", "pending", "failed", "pending"]


def test_a_named_cause_leaves_other_steps_of_the_item_alone(operator: Any) -> None:
    task = make_failures(1)
    item = task.items.get(key="bad_0")
    make_step(item, "write", status=StepStatus.FAILED, error_class="Refused")
    carry_out(bulk.begin(task, operator, BulkAction.RETRY, Selection(error="Timeout")))
    assert Step.objects.get(item=item, name="look").status == StepStatus.PENDING
    assert Step.objects.get(item=item, name="write").status == StepStatus.FAILED


def test_skipping_needs_a_reason_and_keeps_it(operator: Any) -> None:
    task = make_failures(1)
    with pytest.raises(BadInput, match="Say why"):
        bulk.begin(task, operator, BulkAction.SKIP, ALL)
    carry_out(bulk.begin(task, operator, BulkAction.SKIP, ALL, "page is gone"))
    assert Step.objects.get(task=task, item__key="bad_0", name="look").summary == "page is gone"


def test_unknown_outcomes_are_given_up(operator: Any) -> None:
    task = make_task(workflow="blind", status=TaskStatus.BLOCKED)
    make_step(make_item(task, status=ItemStatus.BLOCKED), "shout", status=StepStatus.UNKNOWN)
    job = carry_out(bulk.begin(task, operator, BulkAction.GIVE_UP, ALL, "nobody knows"))
    assert job.done == 1
    assert Step.objects.get(task=task).error_class == desk.GIVEN_UP


def test_nothing_that_fits_is_refused(operator: Any) -> None:
    with pytest.raises(BadInput, match="None of these items"):
        bulk.begin(make_failures(0), operator, BulkAction.RETRY, ALL)


def test_a_refused_item_does_not_stop_the_others(operator: Any) -> None:
    """The task is cancelled after it was asked: each row says so."""
    task = make_failures(2)
    job = bulk.begin(task, operator, BulkAction.RETRY, ALL)
    Task.objects.filter(pk=task.pk).update(status=TaskStatus.CANCELLED)
    job = carry_out(job)
    assert (job.done, job.failed) == (0, 2)
    assert "was cancelled" in BulkResult.objects.filter(job=job).first().told  # type: ignore[union-attr]


def test_what_changed_meanwhile_is_left_alone(operator: Any) -> None:
    task = make_failures(2)
    job = bulk.begin(task, operator, BulkAction.RETRY, ALL)
    steer.retry_step(Step.objects.get(item__key="bad_0", task=task), operator)
    job = carry_out(job)
    assert (job.total, job.done) == (2, 1)
    assert job.finished_at


def test_it_goes_on_behind_the_last_item_when_its_time_is_over(operator: Any) -> None:
    task = make_failures()
    job = bulk.begin(task, operator, BulkAction.RETRY, ALL)
    bulk.carry_on(job.pk, seconds=-1)
    job.refresh_from_db()
    assert (job.done, job.finished_at, job.busy_until) == (1, None, None)
    assert carry_out(job).done == 3


def test_a_job_whose_worker_died_is_found_and_goes_on(operator: Any) -> None:
    task = make_failures()
    job = bulk.begin(task, operator, BulkAction.RETRY, ALL)
    now = timezone.now()
    BulkJob.objects.filter(pk=job.pk).update(busy_until=now + timedelta(seconds=20))
    bulk.carry_on(job.pk)
    assert BulkJob.objects.get(pk=job.pk).done == 0  # another one holds it
    assert bulk.abandoned(now) == []
    BulkJob.objects.filter(pk=job.pk).update(busy_until=now - timedelta(seconds=1))
    assert bulk.abandoned(now) == [job.pk]
    assert carry_out(job).done == 3


def test_cancelled_in_the_middle_nothing_more_is_done(operator: Any) -> None:
    task = make_failures()
    job = bulk.begin(task, operator, BulkAction.RETRY, ALL)
    bulk.carry_on(job.pk, seconds=-1)
    bulk.cancel(job, operator)
    job = carry_out(job)
    assert (job.done, job.cancelled_by_name) == (1, "ops")
    assert statuses(task) == ["done", "pending", "failed", "failed"]
    with pytest.raises(WrongState, match="over already"):
        bulk.cancel(job, operator)


def test_a_person_who_lost_the_right_ends_it(operator: AbstractBaseUser) -> None:
    task = make_failures()
    job = bulk.begin(task, operator, BulkAction.RETRY, ALL)
    operator.groups.remove(Group.objects.get(name="Operators"))  # type: ignore[attr-defined]
    job = carry_out(job)
    assert job.done == 0
    assert job.finished_at
    assert "may not do this any more" in job.stopped_why


def test_managers_may_not(manager: Any) -> None:
    with pytest.raises(NotAllowed):
        bulk.begin(make_failures(), manager, BulkAction.RETRY, ALL)
