"""Whether anyone works, and how people hear of it."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from celery import Celery
from django.contrib.auth.base_user import AbstractBaseUser
from django.test import Client
from django.utils import timezone

from approvals.models import Approval
from taskboard import health
from taskboard.models import Heartbeat, StepStatus, TaskStatus
from taskboard.steering import steer
from tests.conftest import logged_in
from tests.factories import make_approval, make_item, make_step, make_task
from tests.processes import free_port


def seen(ago: timedelta, role: str = Heartbeat.Role.WORKER) -> None:
    now = timezone.now()
    Heartbeat.objects.create(owner=f"{role} {ago}", role=role, started_at=now - ago, seen_at=now - ago)


def test_silence_is_no_news_while_nothing_is_to_be_done(db: None) -> None:
    make_task(status=TaskStatus.COMPLETED)
    assert health.banner(timezone.now()) == ""


def test_a_worker_that_was_just_seen_is_no_news(db: None) -> None:
    make_task()
    seen(timedelta(seconds=5))
    assert health.banner(timezone.now()) == ""


def test_a_silent_worker_is_told_with_the_time_and_what_waits(operator: AbstractBaseUser) -> None:
    make_task()
    make_task(status=TaskStatus.PENDING)
    seen(timedelta(days=400))
    html = logged_in(operator).get("/").content.decode()
    assert "No worker has been seen since" in html
    assert "nothing moves until one runs. 2 tasks wait." in html


def test_a_silent_scheduler_is_told_while_work_is_under_way(db: None) -> None:
    make_task()
    seen(timedelta(0))
    seen(timedelta(minutes=4), Heartbeat.Role.BEAT)
    assert health.banner(timezone.now()).startswith("The scheduler was last seen at ")
    assert health.banner(timezone.now()).endswith("1 task waits.")


def test_a_silent_worker_for_decisions_is_told_with_the_decisions_that_wait(db: None) -> None:
    """STUCK-08: only the resumer is gone."""
    both_seen()
    seen(timedelta(minutes=4), Heartbeat.Role.RESUMER)
    for _ in range(3):
        late = timezone.now() - timedelta(minutes=2)
        Approval.objects.filter(pk=make_approval().pk).update(**decided(late))
    told = health.banner(timezone.now())
    assert told.startswith("The worker for decisions was last seen at ")
    assert told.endswith("they are not carried out until it runs. 3 decisions wait.")


def test_a_resumer_of_former_times_is_not_missed_while_decisions_are_picked_up(db: None) -> None:
    make_task()
    both_seen()
    seen(timedelta(days=4), Heartbeat.Role.RESUMER)
    assert health.banner(timezone.now()) == ""


def test_the_thresholds_are_settings(db: None, settings: Any) -> None:
    make_task()
    seen(timedelta(minutes=4))
    assert health.banner(timezone.now()) != ""
    settings.TASKBOARD_SILENT_SECONDS = 300
    assert health.banner(timezone.now()) == ""


def test_an_imported_task_waits_for_a_person_not_for_a_worker(db: None) -> None:
    make_task(held=True)
    assert health.banner(timezone.now()) == ""


def test_a_worker_that_never_came_is_told(db: None) -> None:
    make_task()
    seen(timedelta(0), Heartbeat.Role.BEAT)
    assert "No worker has been seen yet" in health.banner(timezone.now())


def answer() -> tuple[int, dict[str, Any]]:
    response = Client().get("/readyz")
    return response.status_code, response.json()


def both_seen() -> None:
    seen(timedelta(0))
    seen(timedelta(0), Heartbeat.Role.BEAT)


def test_readyz_is_red_while_steps_lie_unclaimed_and_says_who_is_missing(db: None) -> None:
    make_step(make_item(make_task()), due_at=timezone.now() - timedelta(minutes=5))
    seen(timedelta(0), Heartbeat.Role.BEAT)
    status, told = answer()
    assert (status, told["ready"], told["work"], told["due_steps"]) == (503, False, "stuck", 1)
    assert list(told["seen"]) == ["beat"]
    assert "due steps: 1" in told["reasons"][0]
    assert told["reasons"][1:] == ["no worker was seen lately"]
    assert told["silent"] == ["worker"]


def test_readyz_is_calm_when_nothing_is_due(db: None) -> None:
    make_step(make_item(make_task()), status=StepStatus.DONE)
    status, told = answer()
    assert (status, told["work"], told["reasons"]) == (200, "nothing due", [])


def test_readyz_is_calm_while_a_worker_is_at_a_long_step(db: None) -> None:
    both_seen()
    task, now = make_task(), timezone.now()
    make_step(make_item(task), status=StepStatus.STARTED, lease_until=now + timedelta(seconds=20))
    make_step(make_item(task), due_at=now - timedelta(minutes=5))
    assert answer()[0] == 200
    assert health.banner(now) == ""


def test_a_task_that_was_told_where_to_stop_is_not_stuck(db: None) -> None:
    both_seen()
    make_step(make_item(make_task(stop_after={"step": "look", "by": "ops"})))
    assert answer()[1]["work"] == "nothing due"


def test_work_that_lies_still_beside_a_living_worker_is_told(db: None) -> None:
    both_seen()
    make_step(make_item(make_task()))
    assert health.banner(timezone.now()).startswith("Nothing has been begun since")


def test_a_decision_that_nobody_picks_up_is_told(manager: AbstractBaseUser) -> None:
    both_seen()
    approval = make_approval()
    late = timezone.now() - timedelta(minutes=2)
    Approval.objects.filter(pk=approval.pk).update(**decided(late))
    status, told = answer()
    assert (status, told["undelivered_decisions"]) == (503, 1)
    assert "decisions not picked up: 1" in told["reasons"][0]
    assert health.banner(timezone.now()).startswith("1 decision has not been picked up since")


def decided(at: datetime) -> dict[str, Any]:
    return {"status": "approved", "verdict": "approve", "closed_at": at, "decided_at": at}


def test_readyz_is_red_without_a_broker(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    nowhere = f"redis://127.0.0.1:{free_port()}/0"
    with Celery("other", broker=nowhere, set_as_current=False) as other:
        monkeypatch.setattr(health, "current_app", other)
        status, told = answer()
    assert (status, told["broker"]) == (503, "no answer")
    assert told["reasons"][0].startswith("the broker does not answer")


def test_what_a_person_has_just_had_tried_again_is_not_overdue(operator: AbstractBaseUser) -> None:
    both_seen()
    long_ago = timezone.now() - timedelta(hours=2)
    task = make_task(workflow="linear", last_claim_at=long_ago)
    step = make_step(make_item(task), "look", status=StepStatus.FAILED)
    steer.retry_step(step, operator)
    assert health.banner(timezone.now()) == ""
    later = timezone.now() + timedelta(seconds=31)
    assert health.look(later).stuck(later)
