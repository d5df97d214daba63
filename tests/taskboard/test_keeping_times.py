"""How long tasks of a workflow are kept: as declared, unless an administrator says otherwise, with a reason."""

from datetime import timedelta
from typing import Any

import pytest

from taskboard import lifecycle, workflow
from taskboard.errors import BadInput, BrokenWorkflow
from taskboard.models import AuditEntry, RetentionPolicy, Task, TaskStatus
from taskboard.retention import expiry, policy
from taskboard.start import start_task
from tests.factories import NOW, make_finished_task, make_task
from tests.retention_rows import LATER

pytestmark = pytest.mark.django_db
NAME = "linear"


def made(**over: Any) -> Task:
    return make_finished_task(workflow=NAME, **over)


def test_a_new_task_takes_what_counts_now(operator: Any) -> None:
    declared = start_task(NAME, {"items": 1}, user=operator)
    policy.change(NAME, "admin", 7, "Less room")
    changed = start_task(NAME, {"items": 1}, user=operator)
    assert (declared.keep_for, changed.keep_for) == (workflow.get(NAME).keep_for, timedelta(days=7))


def test_a_change_counts_for_finished_tasks_at_once() -> None:
    task, other = made(), make_finished_task()
    assert policy.change(NAME, "admin", 10, "Audit season") == 1
    task.refresh_from_db()
    other.refresh_from_db()
    assert (task.keep_for, task.expires_at) == (timedelta(days=10), NOW + timedelta(days=10))
    assert other.expires_at == NOW + timedelta(hours=1)


def test_a_change_counts_for_running_tasks_when_they_end() -> None:
    task = make_task(workflow=NAME, keep_for=timedelta(days=90))
    policy.change(NAME, "admin", 10, "Audit season")
    with lifecycle.changing(task.pk, "ops") as change:
        lifecycle.move_task(change, TaskStatus.CANCELLED)
    task.refresh_from_db()
    assert task.finished_at
    assert task.expires_at == task.finished_at + timedelta(days=10)


def test_without_an_end_nothing_of_it_expires() -> None:
    task = made()
    policy.change(NAME, "admin", None, "Lawsuit")
    task.refresh_from_db()
    assert (task.keep_for, task.expires_at, list(expiry.expired(LATER))) == (None, None, [])


def test_zero_days_expire_at_once() -> None:
    task = made(expires_at=None)
    policy.change(NAME, "admin", 0, "Personal data")
    assert list(expiry.expired(LATER)) == [task]


def test_the_declared_time_can_count_again() -> None:
    task = made()
    policy.change(NAME, "admin", None, "Lawsuit")
    policy.drop(NAME, "admin", "It is over")
    task.refresh_from_db()
    assert task.expires_at == NOW + workflow.get(NAME).keep_for
    with pytest.raises(BadInput, match="as it declares already"):
        policy.drop(NAME, "admin", "Again")


@pytest.mark.parametrize(
    ("days", "reason", "sentence"),
    [(-1, "x", "from 0 to"), (policy.LONGEST_DAYS + 1, "x", "from 0 to"), (7, "  ", "Say why")],
)
def test_what_cannot_be_is_refused(days: int, reason: str, sentence: str) -> None:
    with pytest.raises(BadInput, match=sentence):
        policy.change(NAME, "admin", days, reason)
    assert not RetentionPolicy.objects.exists()


def test_a_workflow_that_does_not_exist_has_no_time() -> None:
    with pytest.raises(BrokenWorkflow):
        policy.change("gone", "admin", 7, "x")


def test_many_tasks_are_changed_some_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(policy, "AT_ONCE", 2)
    for _ in range(5):
        made()
    assert policy.change(NAME, "admin", 10, "Audit season") == 5
    assert Task.objects.filter(expires_at=NOW + timedelta(days=10)).count() == 5


def test_every_change_is_in_the_audit_log(admin: Any) -> None:
    policy.change(NAME, admin, 7, "Less room")
    policy.drop(NAME, admin, "More room")
    told = AuditEntry.objects.order_by("pk").values_list(
        "actor", "action", "target", "reason", "before", "after"
    )
    declared = {"days": workflow.get(NAME).keep_for.days}
    assert list(told) == [
        ("admin", "retention_policy", NAME, "Less room", declared, {"days": 7}),
        ("admin", "retention_policy", NAME, "More room", {"days": 7}, declared),
    ]


def test_the_overview_says_what_is_declared_and_what_counts() -> None:
    policy.change(NAME, "admin", 7, "Less room")
    one = next(one for one in policy.overview() if one.name == NAME)
    assert (one.days, one.declared, one.policy.set_by_name if one.policy else "") == (
        7, workflow.get(NAME).keep_for, "admin",
    )  # fmt: skip
