"""The audit log: one row per administrative act, in its transaction, for ever."""

import re
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.db import DatabaseError, connection, transaction

from taskboard import audit, desk, origin
from taskboard.errors import BadInput, WrongState
from taskboard.models import AuditEntry, StepStatus
from taskboard.steering import steer
from tests.conftest import logged_in
from tests.factories import make_item, make_step, make_task

pytestmark = pytest.mark.django_db
MESSAGE = "the audit log is append-only"


def last() -> AuditEntry:
    return AuditEntry.objects.latest("pk")


def test_it_names_the_person_and_the_target_as_text(admin: Any) -> None:
    task = make_task()
    entry = audit.record(
        admin, "hold", task, reason="Dispute", before={"on_hold": False}, after={"on_hold": True}
    )
    admin.delete()
    stored = AuditEntry.objects.get(pk=entry.pk)
    assert (stored.actor, stored.target_kind, stored.target) == ("admin", "task", task.public_id)
    assert (stored.target_id, stored.reason, stored.after) == (str(task.pk), "Dispute", {"on_hold": True})


def test_a_target_may_be_a_kind_and_a_name() -> None:
    entry = audit.record(audit.SYSTEM, "freeze", ("system", "tracker"))
    assert (entry.actor, entry.target_kind, entry.target, entry.target_id) == (
        "system",
        "system",
        "tracker",
        "",
    )


def test_no_secret_gets_in(admin: Any) -> None:
    told = {
        "password": "hunter2",
        "webhook": {"secret": "s3cr3t", "url": "https://example.org"},
        "api_key": "",
    }
    entry = audit.record(admin, "changed", admin, after={**told, "is_secret": True})
    assert entry.after["webhook"] == {"secret": audit.MASK, "url": "https://example.org"}
    assert (entry.after["password"], entry.after["api_key"], entry.after["is_secret"]) == (
        audit.MASK,
        "",
        True,
    )
    assert "hunter2" not in str(vars(last()))


def test_what_cannot_be_stored_is_cleaned(admin: Any) -> None:
    audit.record(
        admin, "hold", ("task", "a\0b" * 200), reason="\ud800\0" + "x" * 5000, after={"\0": float("nan")}
    )
    assert "\0" not in last().target + last().reason
    assert len(last().reason) <= 2000
    assert last().after == {"�": "NaN"}


def test_neither_code_nor_sql_changes_or_removes_a_row(admin: Any) -> None:
    entry = audit.record(admin, "hold", make_task())
    entry.actor = "somebody else"
    for attempt in (entry.save, entry.delete, AuditEntry.objects.all().delete):
        with pytest.raises(WrongState, match="append-only"):
            attempt()
    with pytest.raises(WrongState, match="append-only"):
        AuditEntry.objects.update(actor="nobody")
    for sql in ("UPDATE taskboard_auditentry SET actor = 'x'", "DELETE FROM taskboard_auditentry"):
        with pytest.raises(DatabaseError, match=MESSAGE), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(sql)
    assert last().actor == "admin"


def test_the_address_of_the_request_is_kept(admin: Any) -> None:
    task = make_task(limit_micro=5_000_000)
    logged_in(admin).post(f"/tasks/{task.public_id}/budget/", {"limit_usd": "9"}, REMOTE_ADDR="192.0.2.7")
    assert (last().action, last().address) == ("budget", "192.0.2.7")
    assert origin.address() == ""


def test_a_new_budget_is_told_with_the_old_one(manager: Any) -> None:
    task = make_task(limit_micro=5_000_000, spent_micro=1_000_000)
    steer.change_budget(task, manager, "9.50")
    assert (last().actor, last().target) == ("manager", task.public_id)
    assert (last().before, last().after) == ({"limit_usd": "5.00"}, {"limit_usd": "9.50"})


def test_an_act_that_is_refused_leaves_no_row(manager: Any) -> None:
    task = make_task(limit_micro=5_000_000, spent_micro=4_000_000)
    with pytest.raises(BadInput):
        steer.change_budget(task, manager, "1")
    assert not AuditEntry.objects.exists()


def test_a_settled_outcome_is_told(operator: Any) -> None:
    step = make_step(make_item(make_task(workflow="blind"), "page_1"), "send", status=StepStatus.UNKNOWN)
    desk.give_up(step, operator, "Nobody can find out")
    assert (last().action, last().reason) == ("settle", "Nobody can find out")
    assert last().after["status"] == "failed"
    assert (last().after["item"], last().after["step"]) == ("page_1", "send")


def test_a_person_who_changes_the_own_password_is_told(operator: Any) -> None:
    new = "quite another battery"
    form = {"old_password": "correct horse battery", "new_password1": new, "new_password2": new}
    assert logged_in(operator).post("/accounts/password/", form).status_code == 302
    assert (last().action, last().actor, last().target) == ("password", "ops", "ops")
    assert User.objects.get(username="ops").check_password(new)
    assert new not in str(vars(last()))


def test_every_act_has_a_word() -> None:
    calls = re.compile(r"audit\.record\(\s*[^,]+,\s*((?:\"\w+\"(?: if \w+ else )?)+)")
    named = {
        act
        for app in ("taskboard", "approvals")
        for file in (settings.BASE_DIR / app).rglob("*.py")
        for found in calls.findall(file.read_text(encoding="utf-8"))
        for act in re.findall(r'"(\w+)"', found)
    }
    assert len(named) > 10
    assert named <= set(audit.ACTIONS)
