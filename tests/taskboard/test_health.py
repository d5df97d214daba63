"""Whether anyone works, and how people hear of it."""

from datetime import timedelta

from django.contrib.auth.base_user import AbstractBaseUser
from django.test import Client
from django.utils import timezone

from taskboard import health
from taskboard.models import Heartbeat, StepStatus, TaskStatus
from tests.conftest import logged_in
from tests.factories import make_item, make_step, make_task


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


def test_an_imported_task_waits_for_a_person_not_for_a_worker(db: None) -> None:
    make_task(held=True)
    assert health.banner(timezone.now()) == ""


def test_a_worker_that_never_came_is_told(db: None) -> None:
    make_task()
    seen(timedelta(0), Heartbeat.Role.BEAT)
    assert "No worker has been seen yet" in health.banner(timezone.now())


def test_readyz_says_that_steps_lie_unclaimed(db: None) -> None:
    make_step(make_item(make_task()), due_at=timezone.now() - timedelta(minutes=5))
    seen(timedelta(0), Heartbeat.Role.BEAT)
    answer = Client().get("/readyz").json()
    assert (answer["ready"], answer["work"], answer["due_steps"]) == (True, "stuck", 1)
    assert list(answer["seen"]) == ["beat"]


def test_readyz_is_calm_when_nothing_is_due(db: None) -> None:
    make_step(make_item(make_task()), status=StepStatus.DONE)
    assert Client().get("/readyz").json()["work"] == "nothing due"
