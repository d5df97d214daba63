"""Decisions leave as CSV and JSON Lines: all of the period, and nothing that a spreadsheet would run."""

import csv
import json
from datetime import UTC, datetime
from io import StringIO
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.urls import reverse

from approvals import decisions
from approvals.models import Approval
from taskboard.models import Profile
from tests.conftest import logged_in, make_person
from tests.factories import make_approval, make_asking_step

FILE = reverse("approvals:decisions_file")


def answered(who: User, at: str = "2026-09-10T15:30:00", reason: str = "", **over: Any) -> Approval:
    asked = make_approval(make_asking_step(), **over)
    decisions.decide(asked.pk, who, "reject" if reason else "approve", reason, asked.payload_sha256)
    when = datetime.fromisoformat(at).replace(tzinfo=UTC)
    Approval.objects.filter(pk=asked.pk).update(closed_at=when, decided_at=when)
    return asked


def read(user: User, **query: str) -> str:
    response: Any = logged_in(user).get(FILE, query)
    return b"".join(response.streaming_content).decode()


def rows(user: User, **query: str) -> list[dict[str, str]]:
    return list(csv.DictReader(StringIO(read(user, **query))))


def test_it_names_question_answer_person_and_digests(manager: User) -> None:
    asked = answered(manager, reason="too dear")
    (row,) = rows(manager)
    assert (row["question"], row["outcome"], row["reason"]) == (str(asked.pk), "rejected", "too dear")
    assert (row["decided_by"], row["asked_sha256"]) == ("manager", asked.payload_sha256)
    assert row["closed_at"] == "2026-09-10T15:30:00+00:00"


def test_nothing_in_it_runs_as_a_formula(manager: User) -> None:
    answered(manager, reason='=HYPERLINK("http://evil")', action="+1+1", target="@SUM(A1)")
    (row,) = rows(manager)
    assert row["reason"].startswith("'=")
    assert (row["action"], row["target"]) == ("'+1+1", "'@SUM(A1)")


def test_a_period_is_of_days_in_the_zone_of_the_reader(manager: User) -> None:
    answered(manager, "2026-09-10T15:30:00")
    Profile.objects.create(user=manager, time_zone="Asia/Seoul")
    (row,) = rows(manager, since="2026-09-11", until="2026-09-11")
    assert row["closed_at"] == "2026-09-11T00:30:00+09:00"
    assert rows(manager, since="2026-09-10", until="2026-09-10") == []


def test_open_questions_are_not_in_it(manager: User) -> None:
    make_approval()
    assert rows(manager) == []


def test_json_lines_hold_the_exact_actions_and_every_voice(manager: User) -> None:
    answered(manager)
    (line,) = read(manager, **{"as": "jsonl"}).splitlines()
    told = json.loads(line)
    assert told["asked"]["pay"] == 100
    assert told["answers"][0]["by"] == "manager"
    assert told["closed_at"].endswith("+00:00")


def test_the_name_of_a_deleted_user_stays(manager: User, operator: User) -> None:
    answered(manager)
    manager.delete()
    assert rows(operator)[0]["decided_by"] == "manager"


def test_a_thousand_and_more_are_streamed(manager: User, django_assert_max_num_queries: Any) -> None:
    asked = answered(manager)
    times = {"requested_at": asked.requested_at, "closed_at": asked.requested_at, "group_name": "Managers"}
    more = [
        Approval(task=asked.task, status="approved", action=f"No {n}", **times)  # type: ignore[misc]
        for n in range(1200)
    ]
    Approval.objects.bulk_create(more)
    with django_assert_max_num_queries(40):
        assert len(rows(manager)) == 1201


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ({"since": "yesterday"}, "Write a day as"),
        ({"since": "2026-09-12", "until": "2026-09-11"}, "swap them"),
        ({"until": "9999-12-31"}, "between 1970"),
    ],
)
def test_a_bad_period_is_said(manager: User, query: dict[str, str], sentence: str) -> None:
    response: Any = logged_in(manager).get(FILE, query)
    assert response.status_code == 422
    assert sentence in response.content.decode()


def test_the_page_asks_for_the_period_and_strangers_get_nothing(manager: User, client: Any) -> None:
    page = logged_in(manager).get(reverse("approvals:export")).content.decode()
    assert f'action="{FILE}"' in page
    assert logged_in(make_person("nobody")).get(FILE).status_code == 403
    assert client.get(FILE).status_code == 302
