"""What has expired, and what is kept past its time and why."""

from datetime import timedelta
from typing import Any

import pytest

from approvals.models import Approval, ApprovalStatus
from taskboard.errors import BadInput, WrongState
from taskboard.models import Checkpoint, StepStatus, Task, TaskStatus
from taskboard.models.step import OPEN_STEPS
from taskboard.models.task import OPEN_TASKS
from taskboard.retention import expiry, hold
from taskboard.retention.preview import preview
from taskboard.retention.tables import pointers, tables
from tests.factories import NOW, make_finished_task, make_item, make_step, make_task
from tests.retention_rows import LATER, make_full_task

pytestmark = pytest.mark.django_db


def expired() -> list[Task]:
    return list(expiry.expired(LATER))


def test_a_finished_task_expires_when_its_time_is_over() -> None:
    task = make_finished_task()
    assert list(expiry.expired(NOW + timedelta(minutes=59))) == []
    assert list(expiry.expired(NOW + timedelta(hours=1))) == [task]
    assert expiry.why_kept(task, LATER) == ""


@pytest.mark.parametrize("status", OPEN_TASKS)
def test_a_task_that_is_not_finished_never_expires(status: TaskStatus) -> None:
    task = make_task(status=status, expires_at=NOW)
    assert (expired(), list(expiry.kept(LATER))) == ([], [])
    with pytest.raises(WrongState, match="not finished"):
        expiry.check(task, LATER)


def test_a_task_without_an_end_of_its_time_is_kept() -> None:
    task = make_finished_task(expires_at=None, keep_for=None)
    assert expired() == []
    assert "no end" in expiry.why_kept(task, LATER)


@pytest.mark.parametrize("status", OPEN_STEPS)
def test_anything_open_keeps_a_task(status: StepStatus) -> None:
    task = make_finished_task(status=TaskStatus.CANCELLED)
    make_step(make_item(task), status=status)
    assert (expired(), list(expiry.kept(LATER))) == ([], [task])
    assert "step diagnose of item page_001 stands at" in expiry.why_kept(task, LATER)


def test_steps_that_never_could_begin_do_not_keep_a_task_that_could_not_start() -> None:
    task = make_finished_task(status=TaskStatus.FAILED, items_read=False)
    make_step(make_item(task), status=StepStatus.PENDING)
    assert expired() == [task]
    assert expiry.why_kept(task, LATER) == ""


def test_an_open_question_keeps_a_task() -> None:
    task = make_finished_task()
    status = ApprovalStatus.OPEN
    Approval.objects.create(
        task=task, status=status, action="Raise it?", group_name="Managers", requested_at=NOW
    )
    assert (expired(), list(expiry.kept(LATER))) == ([], [task])
    with pytest.raises(WrongState, match="no answer yet"):
        expiry.check(task, LATER)


def test_a_hold_keeps_a_task_until_it_is_lifted(admin: Any) -> None:
    task = make_finished_task()
    hold.hold(task.pk, "admin", "Audit of 2026")
    assert (expired(), list(expiry.kept(LATER))) == ([], [task])
    task.refresh_from_db()
    assert expiry.why_kept(task, LATER) == "It is on hold: Audit of 2026"
    hold.release(task.pk, "admin")
    assert expired() == [task]
    told = Checkpoint.objects.filter(task=task, kind="person", actor="admin").order_by("ordinal")
    assert [row.data["did"] for row in told] == ["hold", "release"]
    assert {row.data["reason"] for row in told} == {"Audit of 2026"}


def test_a_hold_needs_a_reason_and_is_lifted_once() -> None:
    with pytest.raises(BadInput, match="Say why"):
        hold.hold(make_finished_task().pk, "admin", "  ")
    with pytest.raises(WrongState, match="not on hold"):
        hold.release(make_finished_task().pk, "admin")


def test_what_expires_in_the_next_30_days_is_told() -> None:
    soon = make_finished_task(expires_at=NOW + timedelta(days=29))
    make_finished_task(expires_at=NOW + timedelta(days=31))
    assert list(expiry.coming(NOW)) == [soon]


def test_every_table_that_hangs_on_a_task_is_known_leaf_first() -> None:
    labels = [table.label for table in tables()]
    assert set(labels) >= {
        "taskboard.item", "taskboard.step", "taskboard.checkpoint", "taskboard.artifact",
        "taskboard.ledgerentry", "taskboard.risk", "taskboard.instruction", "approvals.approval",
        "approvals.vote", "seo_audit.sitepage", "seo_audit.sitelink", "seo_audit.sitechange",
    }  # fmt: skip
    order = ["approvals.vote", "approvals.approval", "taskboard.step", "taskboard.item"]
    assert sorted(order, key=labels.index) == order
    assert "taskboard.effect" not in labels
    kept = {(pointer.model._meta.label_lower, pointer.field) for pointer in pointers()}
    assert kept >= {
        ("taskboard.effect", "task"),
        ("taskboard.effect", "step"),
        ("taskboard.task", "continues"),
    }


def test_a_preview_counts_and_changes_nothing() -> None:
    task = make_full_task()
    before = task.version
    seen = preview(task)
    assert {seen.rows[label] for label in ("taskboard.item", "taskboard.step", "approvals.vote")} == {3}
    assert seen.rows["approvals.approval"] == 6
    assert seen.rows["taskboard.checkpoint"] == Checkpoint.objects.filter(task=task).count()
    assert (seen.files, seen.bytes, seen.missing) == (2, 14, 0)
    assert (seen.links, seen.stays) == (1, ["s3://reports/draft.md"])
    task.refresh_from_db()
    assert task.version == before
