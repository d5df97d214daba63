"""The page of the audit log, and its exports."""

import csv
import io
import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from taskboard import audit, standby
from taskboard.lists import audit_log
from taskboard.models import AuditEntry, Profile, Task
from taskboard.retention import hold, plans, search_holds
from taskboard.views import audit_words
from tests.conftest import logged_in
from tests.factories import make_finished_task, make_task

pytestmark = pytest.mark.django_db


def told(actor: str = "anna", action: str = "hold", target: str = "thing", **over: Any) -> AuditEntry:
    fields = {"at": timezone.now(), "target_kind": "system", **over}
    return AuditEntry.objects.create(actor=actor, action=action, target=target, **fields)


def shown(person: Any, query: str = "") -> str:
    response = logged_in(person).get(f"/audit/{query}")
    assert response.status_code == 200
    return str(response.content.decode())


def found(person: Any, query: str) -> list[str]:
    rows = logged_in(person).get(f"/audit.json{query}").json()["rows"]
    return [row["target"] for row in rows]


def sent(person: Any, address: str) -> str:
    return b"".join(logged_in(person).get(address).streaming_content).decode()  # type: ignore[attr-defined]


def test_it_shows_who_did_what_and_why(admin: Any) -> None:
    task = make_task()
    audit.record(admin, "hold", task, reason="The lawyers asked", before={"days": 30}, after={"days": 90})
    page = shown(admin)
    assert "Put on hold" in page
    assert "The lawyers asked" in page
    assert task.get_absolute_url() in page
    assert "<del>" in page


def test_the_page_says_each_thing_once(admin: Any) -> None:
    search_holds.add(admin, "example.com/pricing", "Price audit")
    hold.hold(make_task().pk, admin, "Lawsuit 17")
    page = shown(admin)
    assert [page.count(word) for word in ("Price audit", "Lawsuit 17", "example.com/pricing")] == [1, 1, 1]
    assert "<dt>Until</dt>" not in page


def test_what_changed_is_told_in_words() -> None:
    at = datetime(2026, 9, 3, 14, 5, tzinfo=UTC)
    found = audit_words.changes(
        "task",
        {"limit_usd": None, "days": None, "status": "waiting_approval", "until": at.isoformat(), "on": True},
        {
            "limit_usd": "5.50",
            "days": 90,
            "status": "started",
            "until": "",
            "sha256": "ab" * 32,
            "bytes": 2048,
        },
    )
    assert list(found) == [
        ("Limit", "no limit", "$5.50"), ("Days", "without an end", "90"),
        ("Status", "Waiting for approval", "Running"), ("Until", "3 Sep 2026, 14:05 UTC", ""), ("On", "yes", ""),
        ("SHA-256", "", "abababababab…"), ("Size", "", "2.0\xa0KB"),
    ]  # fmt: skip
    person = audit_words.changes("user", {"is_active": True, "groups": ["Operators"]}, {"is_active": False})
    assert list(person) == [("Active", "yes", "no"), ("Groups", "Operators", "")]
    rule = audit_words.changes(
        "policyoverride", {"on_expiry": "reject"}, {"above_usd": "x", "limit_usd": "x"}
    )
    assert next(rule) == ("Without an answer", "It counts as a no", "")


def test_a_mark_is_no_name_and_a_purge_leads_to_its_page(admin: Any) -> None:
    standby.begin(admin, "a repair")
    make_finished_task()
    plan = plans.make(admin, Task.objects.all())
    page = shown(admin)
    assert standby.known().mark not in page
    assert reverse("taskboard:purge_plan", args=[plan.pk]) in page


def test_only_administrators_read_it(operator: Any, manager: Any, outsider: Any) -> None:
    for person in (operator, manager, outsider):
        client = logged_in(person)
        for address in ("/audit/", "/audit.csv", "/audit.jsonl", "/audit.json"):
            assert client.get(address).status_code == 403, (person, address)
        assert "/audit/" not in client.get("/").content.decode()


def test_it_is_filtered_by_person_act_kind_and_target(admin: Any) -> None:
    told("anna", "hold", "one")
    told("bob", "purge", "two", target_kind="task", reason="Old ones")
    assert found(admin, "?by=anna") == ["one"]
    assert found(admin, "?act=purge") == ["two"]
    assert found(admin, "?kind=task") == ["two"]
    assert found(admin, "?target=one") == ["one"]
    assert found(admin, "?q=old+ONES") == ["two"]
    assert found(admin, "?by=anna&act=purge") == []
    assert "Nothing matches" in shown(admin, "?q=nothing+like+this")


def test_days_are_those_of_the_reader(admin: Any) -> None:
    Profile.objects.create(user=admin, time_zone="Asia/Seoul")
    for hour, name in ((14, "before"), (15, "first"), (16, "second")):  # midnight in Seoul is 15:00 UTC
        told(target=name, at=datetime(2026, 9, 9, hour, tzinfo=UTC))
    told(target="after", at=datetime(2026, 9, 10, 15, tzinfo=UTC))
    assert found(admin, "?since=2026-09-10&until=2026-09-10") == ["second", "first"]
    assert found(admin, "?until=2026-09-09") == ["before"]
    assert found(admin, "?since=2027-01-01") == []
    assert found(admin, "?since=yesterday&until=2026-99-99") == ["after", "second", "first", "before"]


def test_it_is_paged_by_key(admin: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audit_log, "PER_PAGE", 2)
    for number in range(5):
        told(target=f"t{number}")
    client, address, seen = logged_in(admin), "/audit.json?act=hold", []
    while address:
        data = client.get(address).json()
        seen += [row["target"] for row in data["rows"]]
        told(target="new")
        address = data["next"]
    assert seen == ["t4", "t3", "t2", "t1", "t0"]


def test_a_search_looks_through_some_rows_at_a_time(admin: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audit_log, "AT_ONCE", 3)
    told(target="needle")
    for _number in range(6):
        told()
    client, address, pages = logged_in(admin), "/audit.json?q=needle", 0
    assert "look further back" in shown(admin, "?q=needle")
    while address and pages < 10:
        data, pages = client.get(address).json(), pages + 1
        if data["rows"]:
            break
        address = data["next"]
    assert [row["target"] for row in data["rows"]] == ["needle"]
    assert pages > 1


def test_the_sheet_runs_no_formula(admin: Any) -> None:
    told(target='=HYPERLINK("http://x.example")', reason="+1+1", after={"a": 1})
    row = next(csv.DictReader(io.StringIO(sent(admin, "/audit.csv"), newline="")))
    assert (row["target"], row["reason"]) == ('\'=HYPERLINK("http://x.example")', "'+1+1")
    assert json.loads(row["after"]) == {"a": 1}


def test_json_lines_hold_what_is_filtered(admin: Any) -> None:
    told("anna", target="one", after={"text": "诊断"})
    told("bob", target="two")
    lines = [json.loads(line) for line in sent(admin, "/audit.jsonl?by=anna").splitlines()]
    assert [(line["target"], line["after"]) for line in lines] == [("one", {"text": "诊断"})]


def test_markup_is_only_text(admin: Any) -> None:
    told("<img src=x>", target="<script>alert(1)</script>", reason="<b>", after={"<i>": "<u>"})
    page = shown(admin)
    for tag in ("<img src=x>", "<script>alert(1)", "<i>", "<u>"):
        assert tag not in page


def test_it_needs_as_many_queries_for_a_hundred_rows_as_for_one(admin: Any) -> None:
    client = logged_in(admin)

    def queries() -> int:
        with CaptureQueriesContext(
            connection,
        ) as captured:
            assert client.get("/audit/").status_code == 200
        return len(captured)

    told(at=timezone.now() - timedelta(days=1), target_kind="task")
    few = queries()
    for number in range(100):
        told(f"person{number}", target_kind="task", target=f"task_{number}")
    assert queries() == few
