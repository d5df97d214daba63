"""Figures for Prometheus: who may read them, what they say, and what they cost."""

from datetime import timedelta
from ipaddress import ip_network
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from prometheus_client.parser import text_string_to_metric_families

from taskboard.engine import presence, work
from taskboard.models import Heartbeat, Installation
from taskboard.start import start_task
from tests.conftest import logged_in
from tests.factories import make_approval, make_item, make_step, make_task

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def from_nowhere(settings: Any) -> None:
    settings.TASKBOARD_METRICS_TOKEN, settings.TASKBOARD_METRICS_ADDRESSES = "", []


def read(client: Client) -> dict[str, float]:
    """`{'taskboard_tasks{status="running"}': 1.0, …}`"""
    response = client.get("/metrics")
    assert response.status_code == 200
    found = {}
    for family in text_string_to_metric_families(response.content.decode()):
        for sample in family.samples:
            labels = ",".join(f'{name}="{value}"' for name, value in sample.labels.items())
            found[sample.name + (f"{{{labels}}}" if labels else "")] = sample.value
    return found


def test_by_default_they_are_for_administrators(operator: Any, manager: Any, admin: Any) -> None:
    assert Client().get("/metrics").status_code == 403
    assert logged_in(operator).get("/metrics").status_code == 403
    assert logged_in(manager).get("/metrics").status_code == 403
    assert logged_in(admin).get("/metrics").status_code == 200


@pytest.mark.parametrize(
    ("given", "status"),
    [("Bearer right", 200), ("Bearer wrong", 403), ("Bearer ", 403), ("Bearer ²", 403), ("", 403)],
)
def test_the_token_opens_them(given: str, status: int, settings: Any) -> None:
    settings.TASKBOARD_METRICS_TOKEN = "right"
    assert Client().get("/metrics", headers={"authorization": given}).status_code == status


def test_an_allowed_network_opens_them(settings: Any) -> None:
    settings.TASKBOARD_METRICS_ADDRESSES = [ip_network("10.1.0.0/16")]
    assert Client().get("/metrics", REMOTE_ADDR="10.1.2.3").status_code == 200
    assert Client().get("/metrics", REMOTE_ADDR="10.2.2.3").status_code == 403
    assert (
        Client().get("/metrics", REMOTE_ADDR="10.2.2.3", HTTP_X_FORWARDED_FOR="10.1.2.3").status_code == 403
    )
    assert Client().get("/metrics", REMOTE_ADDR="").status_code == 403


def test_an_empty_installation_has_all_of_them(admin: Any) -> None:
    found = read(logged_in(admin))
    assert found["taskboard_due_steps"] == 0
    assert found["taskboard_stands_by"] == 0
    assert found['taskboard_processes{role="worker"}'] == 0


def test_they_tell_what_waits_and_for_how_long(admin: Any) -> None:
    task = make_task(workflow="linear", started_at=timezone.now() - timedelta(minutes=5))
    make_step(make_item(task), "look")
    make_approval()
    Heartbeat.objects.create(owner="w", role="worker", started_at=timezone.now(), seen_at=timezone.now())
    found = read(logged_in(admin))
    assert found["taskboard_due_steps"] == 1
    assert 290 < found["taskboard_oldest_due_step_seconds"] < 400
    assert found["taskboard_open_questions"] == 1
    assert found["taskboard_questions_total"] >= 1
    assert found['taskboard_steps{status="pending"}'] == 1
    assert found['taskboard_tasks{status="running"}'] == 1
    assert found['taskboard_processes{role="worker"}'] == 1


@pytest.mark.django_db(transaction=True)
def test_moves_are_seen_as_growth(admin: Any, operator: Any) -> None:
    before = read(logged_in(admin))
    work.until_idle(start_task("linear", {"items": 3}, user=operator).pk)
    after = read(logged_in(admin))
    assert after["taskboard_journal_rows_total"] >= before["taskboard_journal_rows_total"] + 20
    assert after["taskboard_steps_reached_total"] >= before["taskboard_steps_reached_total"] + 9


@pytest.mark.django_db(transaction=True)
def test_live_pages_of_all_web_processes_are_added_up(admin: Any) -> None:
    presence.serves(3)
    now = timezone.now()
    Heartbeat.objects.create(owner="web:other", role="web", started_at=now, seen_at=now, streams=4)
    old = now - timedelta(minutes=10)
    Heartbeat.objects.create(owner="web:gone", role="web", started_at=old, seen_at=old, streams=50)
    assert read(logged_in(admin))["taskboard_open_streams"] == 7


def test_a_stand_by_can_be_an_alarm(admin: Any) -> None:
    now = timezone.now()
    Installation.objects.create(mark="m", alive_at=now, since=now, why="restored")
    assert read(logged_in(admin))["taskboard_stands_by"] == 1


def test_finished_tasks_cost_nothing(admin: Any) -> None:
    client = logged_in(admin)

    def queries() -> int:
        with CaptureQueriesContext(connection) as counted:
            read(client)
        return len(counted)

    few = queries()
    for _ in range(5):
        make_item(make_task(status="completed"), status="done")
    assert queries() == few
