"""Who may what: each address there is, as each role and as nobody. An address without a line here fails."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from copy import deepcopy
from http import HTTPStatus
from typing import Any

import pytest
from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import Group
from django.db import transaction
from django.http import HttpResponse
from django.test import Client

from taskboard import bulk
from taskboard.models import BulkJob
from tests.addresses import Rows, addresses, finished, make_rows
from tests.conftest import logged_in, make_person

pytestmark = pytest.mark.django_db

SEES = ("operator", "manager", "admin")
OPERATES = ("operator", "admin")
DECIDES = ("manager", "admin")
ADMINISTERS = ("admin",)
KNOWN = ("outsider", *SEES)
"""Everybody who is logged in."""
ALL = ("nobody", *KNOWN)
ROLES = ALL

GET: Mapping[tuple[str, ...], str] = {
    ALL: "healthz readyz login code sign_on sign_on_callback",
    KNOWN: "password_change password_change_done second_factor taskboard:profile",
    SEES: """
        approvals_json approvals:inbox approvals:approval approvals:approval_json approvals:export
        approvals:export_json approvals:bulk approvals:bulk_json approvals:absence approvals:absence_json
        taskboard:profile_json taskboard:tokens_json taskboard:compare_json taskboard:bulk_job_json
        taskboard:brief_json taskboard:preview_json approvals:questions approvals:question approvals:record
        approvals:decisions_file
        approvals:bulk_progress approvals:decide
        taskboard:tasks taskboard:tasks_json taskboard:tasks_csv taskboard:find_item taskboard:find_item_json
        taskboard:activity taskboard:activity_json taskboard:task taskboard:task_json taskboard:items_csv
        taskboard:items_json taskboard:journal taskboard:journal_json taskboard:journal_file taskboard:compare
        taskboard:compare_csv taskboard:bulk_job taskboard:brief taskboard:brief_file taskboard:attention
        taskboard:attention_json taskboard:state taskboard:state_file taskboard:artifact taskboard:preview
        taskboard:artifact_image taskboard:tokens taskboard:workflows taskboard:workflows_json taskboard:workflow
        taskboard:workflow_json taskboard:systems taskboard:systems_json taskboard:actions taskboard:steering_forms
        taskboard:item_actions taskboard:part taskboard:stream taskboard:item taskboard:item_json
    """,
    OPERATES: """
        taskboard:choose_workflow taskboard:choose_workflow_json taskboard:new_task taskboard:new_task_json
        taskboard:bulk_plan taskboard:bulk_plan_json
    """,
    DECIDES: "approvals:sample approvals:sample_json approvals:oversight approvals:oversight_json",
    ADMINISTERS: """
        metrics taskboard:audit taskboard:audit_json taskboard:audit_csv taskboard:audit_file taskboard:standby
        taskboard:retention taskboard:retention_json taskboard:retention_kept taskboard:retention_kept_json
        taskboard:retention_coming taskboard:retention_coming_json taskboard:retention_holds
        taskboard:retention_holds_json taskboard:retention_policies taskboard:retention_policies_json
        taskboard:retention_purges taskboard:retention_purges_json taskboard:purge_plan taskboard:purge_plan_json
        taskboard:purge_plan_csv taskboard:retention_records taskboard:retention_records_json taskboard:archive
        taskboard:purge_progress taskboard:keeping taskboard:keeping_json taskboard:standby_json
    """,
}  # fmt: skip
POST: Mapping[tuple[str, ...], str] = {
    ALL: "set_language logout",
    KNOWN: """
        second_factor_begin second_factor_confirm second_factor_renew second_factor_off approvals:choose_mails
    """,
    SEES: """
        approvals:comment approvals:pass_on approvals:close approvals:go_away approvals:end_absence
        taskboard:revoke_token taskboard:comment taskboard:take_back_comment taskboard:comment_on_item
    """,
    OPERATES: """
        approvals:withdraw approvals:kick
        taskboard:pause taskboard:resume taskboard:cancel taskboard:queue_up taskboard:queue_down
        taskboard:queue_take_out taskboard:retry_step taskboard:skip_step taskboard:happened taskboard:did_not_happen
        taskboard:give_up taskboard:add_to_brief taskboard:instruct taskboard:change_queue taskboard:stop_after
        taskboard:add_items taskboard:raise_risk taskboard:close_risk taskboard:bulk_begin taskboard:bulk_cancel
        taskboard:freeze taskboard:take taskboard:give_back
    """,
    DECIDES: """
        approvals:take_back approvals:bulk_choose approvals:bulk_begin approvals:bulk_cancel
        approvals:sample_start approvals:sample_begin taskboard:change_budget
    """,
    ADMINISTERS: """
        taskboard:thaw taskboard:lift_standby taskboard:begin_standby taskboard:hold taskboard:release
        taskboard:add_hold taskboard:end_hold taskboard:change_keeping_time taskboard:plan_purge taskboard:carry_on
        taskboard:purge_begin taskboard:purge_agree taskboard:purge_refuse taskboard:purge_cancel
    """,
}  # fmt: skip
RULED = {
    "approvals:comment", "approvals:pass_on", "approvals:withdraw", "approvals:kick", "approvals:take_back",
    "approvals:bulk_begin", "approvals:bulk_cancel", "approvals:sample_begin", "approvals:end_absence",
    "approvals:go_away", "taskboard:take_back_comment", "second_factor_begin", "second_factor_confirm",
    "second_factor_renew", "second_factor_off", "taskboard:revoke_token", "code", "logout", "approvals:close",
}  # fmt: skip
"""Whoever may come in can still be refused by a rule on this very row, which has tests of its own."""


HOLDS_NO_CONNECTION = "taskboard:stream"
"""It closes the connection, and the test's transaction with it: whom it lets in is looked at in test_stream."""


def lines(table: Mapping[tuple[str, ...], str]) -> dict[str, tuple[str, ...]]:
    return {name: roles for roles, names in table.items() for name in names.split()}


MAY_GET, MAY_POST = lines(GET), lines(POST)


@pytest.fixture
def everything(db: None) -> AbstractBaseUser:
    person = make_person("everything", "Managers", is_staff=True)
    person.groups.add(*Group.objects.filter(name__in=("Operators", "Administrators")))
    return person


@pytest.fixture
def rows(everything: AbstractBaseUser) -> Rows:
    return make_rows(everything)


@contextmanager
def undone() -> Iterator[None]:
    """What was done in it is as if it had not been."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def ask(client: Client, method: str, url: str, data: Any = None) -> Any:
    with undone():
        return finished(client.get(url, data) if method == "GET" else client.post(url, data or {}))


def is_shut_out(response: HttpResponse) -> bool:
    """Sent to login, or told that this is not for them."""
    to_login = response.status_code == 302 and response["Location"].startswith("/accounts/login/")
    return to_login or response.status_code in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN)


def test_every_address_has_a_line() -> None:
    there = {address.name for address in addresses()}
    written = MAY_GET.keys() | MAY_POST.keys()
    assert there - written == set(), "Say in tests/test_access.py who may use them."
    assert written - there == set(), "They are gone: take their lines away."


@pytest.mark.parametrize("role", ROLES)
def test_who_may_does_and_who_may_not_is_refused(role: str, rows: Rows, request: Any) -> None:
    person = None if role == "nobody" else request.getfixturevalue(role)
    client, faults = logged_in(person) if person else Client(), []
    client.raise_request_exception = False
    cookies = deepcopy(client.cookies)
    for address in addresses():
        for method, table in (("GET", MAY_GET), ("POST", MAY_POST)):
            if address.name not in table:
                continue
            may = role in table[address.name]
            if address.name == HOLDS_NO_CONNECTION and person:
                continue
            client.cookies = deepcopy(cookies)  # logging out takes them away
            response = ask(client, method, rows.url(address))
            shut_out = is_shut_out(response) and not (may and address.name in RULED)
            if (response.status_code >= 500 and address.name != "readyz") or shut_out == may:
                faults.append(
                    f"{method} {address.name}: {response.status_code} ({'may' if may else 'may not'})"
                )
    assert not faults, "\n".join(faults)


def test_nothing_is_changed_by_asking_for_the_address_of_an_action(
    rows: Rows, everything: AbstractBaseUser
) -> None:
    client = logged_in(everything)
    only_sent = MAY_POST.keys() - MAY_GET.keys() - {"set_language"}  # Django's own, which leads back
    answers = {one.name: ask(client, "GET", rows.url(one)) for one in addresses() if one.name in only_sent}
    wrong = {name: answer.status_code for name, answer in answers.items() if answer.status_code != 405}
    assert wrong == {}


def test_what_belongs_to_another_task_is_not_found(rows: Rows, everything: AbstractBaseUser) -> None:
    other, client, faults = make_rows(everything), logged_in(everything), []
    client.raise_request_exception = False
    for address in addresses():
        foreign = set(address.holds) & {"key", "number", "pk"}
        if "public_id" not in address.holds or not foreign:
            continue
        mixed = {name: other.values(address)[name] for name in foreign}
        method = "GET" if address.name in MAY_GET else "POST"
        status = ask(client, method, rows.url(address, **mixed)).status_code
        if status != HTTPStatus.NOT_FOUND:
            faults.append(f"{method} {address.name}: {status}")
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize(
    ("name", "kind", "data"),
    [
        ("taskboard:take_back_comment", "comment", {"comment": "ID"}),
        ("taskboard:close_risk", "risk", {"risk": "ID", "reason": "gone"}),
        ("taskboard:change_queue", "instruction", {"instruction": "ID", "verb": "delete"}),
        ("taskboard:change_queue", "instruction", {"instruction": "ID", "verb": "up"}),
    ],
)
def test_a_form_of_one_task_cannot_name_a_row_of_another(
    name: str, kind: str, data: dict[str, str], rows: Rows, everything: AbstractBaseUser
) -> None:
    other = make_rows(everything)
    address = next(one for one in addresses() if one.name == name)
    foreign, own = (
        {key: str(one.numbers[kind]) if value == "ID" else value for key, value in data.items()}
        for one in (other, rows)
    )
    before, client = other.task.version, logged_in(everything)
    assert client.post(rows.url(address), foreign).status_code in (HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT)
    other.task.refresh_from_db()
    assert other.task.version == before
    assert client.post(rows.url(address), own).status_code == HTTPStatus.FOUND


def test_a_bulk_action_takes_the_items_of_its_own_task_only(rows: Rows, everything: AbstractBaseUser) -> None:
    other = make_rows(everything)
    address = next(one for one in addresses() if one.name == "taskboard:bulk_begin")
    sent = {"action": "give_up", "item": [rows.item.pk, other.item.pk], "reason": "mixed"}
    assert logged_in(everything).post(rows.url(address), sent).status_code == 302
    job = BulkJob.objects.get(reason="mixed")
    bulk.carry_on(job.pk, seconds=60)
    rows.step.refresh_from_db()
    other.step.refresh_from_db()
    assert (job.total, rows.step.status, other.step.status) == (1, "failed", "unknown")
