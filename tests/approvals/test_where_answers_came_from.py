"""What a worker carries out later still tells from where its person asked for it."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.urls import reverse

from approvals import bulk, decisions, resumer
from approvals.models import Approval, Vote
from taskboard import bulk as bulk_jobs
from taskboard import lifecycle, origin
from taskboard.gates import gate
from taskboard.models import AuditEntry, StepStatus, TaskStatus
from taskboard.retention import consent, plans, purge
from taskboard.retention.expiry import expired
from taskboard.selection import Selection
from tests.conftest import logged_in
from tests.factories import make_approval, make_finished_task, make_item, make_step, make_task
from tests.retention_rows import LATER

pytestmark = pytest.mark.django_db(transaction=True)
DESK = "192.0.2.7"


def budget_question() -> Approval:
    money = {"limit_micro": 20_000_000, "spent_micro": 19_900_000, "out_of_budget": True}
    task = make_task(workflow="linear", status=TaskStatus.BLOCKED, **money)
    make_step(make_item(task, status="running"), "look", status=StepStatus.PENDING)
    with lifecycle.changing(task.pk, "worker") as change:
        gate().ask_for_budget(change, 200_000)
    return Approval.objects.get(task=task)


def entry(action: str) -> AuditEntry:
    return AuditEntry.objects.filter(action=action).latest("pk")


def test_a_budget_that_an_answer_raised(manager: User) -> None:
    asked = budget_question()
    form = {"outcome": "approve", "reason": "", "digest": asked.payload_sha256, "limit_usd": "30"}
    logged_in(manager).post(reverse("approvals:decide", args=[asked.pk]), form, REMOTE_ADDR=DESK)
    Approval.objects.update(hand_over_at=None)
    assert resumer.pick_up(asked.pk)
    assert (entry("budget").actor, entry("budget").address) == (manager.username, DESK)
    assert origin.address() == ""


def test_the_answer_that_counts_and_not_one_that_was_taken_back(manager: User) -> None:
    asked = budget_question()
    with origin.coming_from("198.51.100.1"):
        decisions.decide(asked.pk, manager, "approve", "", asked.payload_sha256, undo_seconds=60)
        decisions.take_back(asked.pk, manager)
    with origin.coming_from(DESK):
        decisions.decide(asked.pk, manager, "approve", "", asked.payload_sha256)
    resumer.pick_up(asked.pk)
    assert entry("budget").address == DESK


def test_a_budget_that_no_answer_raised_has_none(manager: User) -> None:
    asked = budget_question()
    over = {"policy": {**asked.policy, "on_expiry": "approve"}, "expires_at": asked.requested_at}
    Approval.objects.filter(pk=asked.pk).update(**over)
    asked.refresh_from_db()
    with lifecycle.changing(asked.task_id, "sweep") as change:
        assert decisions.expire(change, asked)
    resumer.pick_up(asked.pk)
    assert (entry("budget").actor, entry("budget").address) == ("system", "")


def test_answers_that_were_given_together(manager: User) -> None:
    asked = make_approval()
    draft = bulk.choose(manager, "approve", Approval.objects.all())  # type: ignore[arg-type]
    with origin.coming_from(DESK):
        bulk.begin(draft.pk, manager)
    bulk.carry_on(draft.pk, seconds=60)
    assert Vote.objects.get(approval=asked).address == DESK


def test_outcomes_that_were_settled_together(operator: Any) -> None:
    task = make_task(workflow="linear", status=TaskStatus.BLOCKED)
    make_step(make_item(task, status="blocked"), "look", status=StepStatus.UNKNOWN)
    with origin.coming_from(DESK):
        job = bulk_jobs.begin(task, operator, "give_up", Selection(), "Nobody can tell")
    bulk_jobs.carry_on(job.pk, seconds=60)
    assert (entry("settle").actor, entry("settle").address) == (operator.username, DESK)


def test_a_purge(admin: Any) -> None:
    make_finished_task()
    with origin.coming_from(DESK):
        consent.begin(plans.make(admin, expired(LATER)), admin)
    purge.carry_on()
    assert (entry("purge").actor, entry("purge").address) == (admin.username, DESK)


def test_a_purge_of_a_single_task_where_it_is_carried_out(admin: Any) -> None:
    with origin.coming_from(DESK):
        purge.purge_task(make_finished_task().pk, admin)
    assert entry("purge").address == DESK


def test_the_address_is_told_to_nobody_but_readers_of_the_audit_log(manager: User) -> None:
    asked = make_approval()
    with origin.coming_from(DESK):
        decisions.decide(asked.pk, manager, "approve", "", asked.payload_sha256)
    client = logged_in(manager)
    for page in (
        asked.get_absolute_url(),
        f"/approvals/{asked.pk}.json",
        f"/tasks/{asked.task.public_id}/state.json",
    ):
        assert DESK not in b"".join(client.get(page)).decode(), page
