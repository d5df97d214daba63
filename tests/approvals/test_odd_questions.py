"""Questions that are not as they should be: shown all the same, never approved by the way."""

from datetime import timedelta
from html import unescape
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.urls import reverse
from django.utils import timezone

from approvals.models import Approval
from taskboard.models import Checkpoint, Step
from taskboard.outcomes import Policy
from taskboard.sweep import sweep
from tests.conftest import logged_in, make_person
from tests.factories import make_approval

INBOX = reverse("approvals:inbox")


def text(user: User, url: str) -> str:
    response = logged_in(user).get(url)
    assert response.status_code == 200
    return unescape(response.content.decode())


def overdue(**policy: Any) -> Approval:
    asked = make_approval(policy=Policy(**policy))
    Approval.objects.filter(pk=asked.pk).update(expires_at=timezone.now() - timedelta(minutes=5))
    return asked


@pytest.mark.parametrize(
    "over", [{"step_name": "gone"}, {"kind": "odd"}, {"step": None}, {"policy": {}}, {"item_key": ""}]
)
def test_an_unknown_kind_or_step_hides_nothing(manager: User, over: dict[str, Any]) -> None:
    asked = make_approval(action="Do this")
    Approval.objects.filter(pk=asked.pk).update(**over)
    for url in (INBOX, reverse("approvals:question", args=[asked.pk]), asked.get_absolute_url()):
        assert "Do this" in text(manager, url)


def test_a_workflow_that_is_gone_hides_nothing(manager: User) -> None:
    asked = make_approval(action="Do this")
    type(asked.task).objects.update(workflow="no-such-workflow")
    for url in (INBOX, asked.get_absolute_url()):
        assert "Do this" in text(manager, url)


def test_every_character_that_deceives_is_spelled_out(manager: User) -> None:
    marks = ("\u2066", "\u2069", "\u200b", "\u00ad", "\ufeff", "\u202e")
    asked = make_approval(
        action="rm /data/" + "x".join(marks), target="שלום " + marks[0], payload={"a": marks[1]}
    )
    for url in (INBOX, asked.get_absolute_url()):
        shown = text(manager, url)
        assert not [mark for mark in marks if mark in shown]
        assert "שלום" in shown
        assert all(f"U+{ord(mark):04X}" in shown for mark in marks)


@pytest.mark.parametrize("window", [Policy().window, timedelta(seconds=1)])
def test_however_the_clock_jumps_no_answer_is_no_yes(manager: User, window: timedelta) -> None:
    asked = make_approval(policy=Policy(window=window))
    for years in (1, -1, 10):
        sweep(timezone.now() + timedelta(days=365 * years))
    questions = Approval.objects.filter(task=asked.task)
    assert set(questions.values_list("status", "verdict", "decided_by_name")) <= {
        ("expired", "", ""),
        ("open", "", ""),
    }
    assert Step.objects.get(pk=asked.step_id).status == "waiting_approval"


def test_a_step_that_waits_for_people_uses_up_none_of_its_time(manager: User) -> None:
    asked = make_approval(policy=Policy(window=timedelta(days=30)))
    step = Step.objects.get(pk=asked.step_id)
    assert (step.lease_until, step.started_at) == (None, None)
    sweep(timezone.now() + timedelta(days=20))
    step.refresh_from_db()
    assert (step.status, step.attempt) == ("waiting_approval", 0)


def test_what_no_sweep_closes_is_closed_by_a_button_and_asked_again(manager: User, operator: User) -> None:
    asked = overdue()
    close = reverse("approvals:close", args=[asked.pk])
    assert close in text(operator, asked.get_absolute_url())
    assert logged_in(operator).post(close).status_code == 302
    asked.refresh_from_db()
    following = asked.successor
    assert (asked.status, following.status, following.group_name) == ("expired", "open", "Administrators")
    assert Checkpoint.objects.filter(task=asked.task, kind="expired", actor="ops").count() == 1
    assert logged_in(operator).post(close).status_code == 409


def test_only_what_is_overdue_is_closed_and_not_by_anybody(manager: User, operator: User) -> None:
    in_time, late = make_approval(), overdue(on_expiry="reject")
    assert logged_in(operator).post(reverse("approvals:close", args=[in_time.pk])).status_code == 409
    reader = make_person("reader")
    assert logged_in(reader).post(reverse("approvals:close", args=[late.pk])).status_code == 403
    assert logged_in(manager).post(reverse("approvals:close", args=[late.pk])).status_code == 302
    late.refresh_from_db()
    assert (late.status, late.verdict, late.decided_by_name) == ("expired", "reject", "")
