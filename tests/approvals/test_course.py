"""What came of an answer, each moment with its time: on the card, on the record, and on the page of the task."""

from datetime import datetime, timedelta
from html import unescape
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.urls import reverse
from django.utils import timezone

from approvals import resumer
from approvals.cards import course
from approvals.models import Approval
from taskboard.gates import gate
from taskboard.models import Step
from tests.approvals.answers import answer
from tests.conftest import logged_in
from tests.factories import make_approval

MOMENTS = ("recorded", "picked up", "begun", "accepted", "verified")


def ran(asked: Approval, **over: Any) -> datetime:
    """The step did what was agreed to: a second for each moment."""
    resumer.pick_up(asked.pk)
    now = timezone.now()
    times = {"started_at": now, "executed_at": now + timedelta(seconds=1)}
    proven = {"verified_at": now + timedelta(seconds=2), "finished_at": now + timedelta(seconds=3)}
    done = {"status": "done", "external_id": "T-17", "verified_how": "read back, the same"}
    Step.objects.filter(pk=asked.step_id).update(**{**times, **proven, **done, **over})
    return now


def pages(user: User, asked: Approval) -> dict[str, str]:
    client = logged_in(user)
    found = {
        "card": reverse("approvals:question", args=[asked.pk]),
        "record": asked.get_absolute_url(),
        "task": asked.task.get_absolute_url(),
    }
    return {name: unescape(client.get(url).content.decode()) for name, url in found.items()}


def test_card_record_and_task_page_tell_every_moment(manager: User) -> None:
    asked = answer(make_approval(), manager)
    begun = ran(asked)
    shown = pages(manager, asked)
    for name in ("card", "record"):
        for words in (
            "Picked up",
            "The step began",
            "Accepted by the other side",
            "T-17",
            "read back, the same",
        ):
            assert words in shown[name], (name, words)
    for word in MOMENTS:
        assert f"<span>{word} <time" in shown["task"]
    accepted = (begun + timedelta(seconds=1)).strftime("%Y-%m-%dT%H:%M:%SZ")
    assert all(f'datetime="{accepted}"' in page for page in shown.values())


def test_before_it_is_picked_up_all_three_say_so(manager: User) -> None:
    asked = answer(make_approval(), manager)
    shown = pages(manager, asked)
    assert "Not picked up yet" in shown["card"]
    assert "Not picked up yet" in shown["record"]
    assert "not picked up yet" in shown["task"]


def test_accepted_is_not_yet_proven(manager: User) -> None:
    asked = answer(make_approval(), manager)
    ran(asked, verified_at=None, verified_how="", finished_at=None, status="started")
    shown = pages(manager, asked)["record"]
    assert "Accepted by the other side" in shown
    assert "Proven" not in shown


def test_a_step_that_failed_ends_its_course_with_that(manager: User) -> None:
    asked = answer(make_approval(), manager)
    ran(asked, verified_at=None, verified_how="", executed_at=None, external_id="", status="failed")
    came = course.course_of(Approval.objects.get(pk=asked.pk))
    assert [word for word, _at in came.moments] == ["recorded", "picked up", "begun", "failed"]


def test_what_the_step_did_by_a_later_answer_is_not_told_of_this_one(manager: User) -> None:
    first = answer(make_approval(), manager)
    resumer.pick_up(first.pk)
    second = make_approval(first.step)
    ran(answer(second, manager))
    assert course.course_of(Approval.objects.get(pk=first.pk)).begun_at is None
    told = {one.question: [word for word, _at in one.moments] for one in gate().answered(first.task)}
    assert told[second.pk] == list(MOMENTS)
    assert "begun" not in told[first.pk]


@pytest.mark.parametrize("outcome", ["reject", "changes"])
def test_a_no_leads_to_no_step(manager: User, outcome: str) -> None:
    asked = answer(make_approval(), manager, outcome, "not that")
    ran(asked)
    assert course.course_of(Approval.objects.get(pk=asked.pk)).begun_at is None


def test_the_latest_answers_cost_one_query(manager: User, django_assert_num_queries: Any) -> None:
    asked = [answer(make_approval(), manager) for _ in range(2)]
    with django_assert_num_queries(1):
        assert len(gate().answered(asked[0].task)) == 1


def test_one_that_nobody_picks_up_for_too_long_is_said_and_can_be_handed_over(
    manager: User, operator: User, settings: Any
) -> None:
    asked = answer(make_approval(), manager)
    long_ago = timezone.now() - timedelta(seconds=settings.TASKBOARD_STUCK_SECONDS + 5)
    assert "for too long" not in pages(operator, asked)["record"]
    Approval.objects.filter(pk=asked.pk).update(closed_at=long_ago, decided_at=long_ago)
    for user, sentence in ((operator, "hand it over below"), (manager, "tell those who operate tasks")):
        for name in ("card", "record"):
            assert sentence in pages(user, asked)[name]
    kicked: Any = logged_in(operator).post(reverse("approvals:kick", args=[asked.pk]), follow=True)
    assert "for too long" not in kicked.content.decode()
    asked.refresh_from_db()
    assert asked.picked_up_at
