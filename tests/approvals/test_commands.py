"""`approvals` and `decide` on the command line."""

import json
from io import StringIO
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command

from approvals.models import Approval
from tests.factories import make_approval


def run(*arguments: object) -> str:
    out = StringIO()
    call_command(*map(str, arguments), stdout=out)
    return out.getvalue()


def listed() -> Any:
    return json.loads(run("approvals", "--json"))


def test_approvals_lists_the_open_questions_as_one_json_value(manager: User) -> None:
    asked = make_approval(amount_usd="5")
    (entry,) = listed()
    assert entry["id"] == asked.pk
    assert (entry["task"], entry["item"], entry["step"]) == (asked.task.public_id, asked.item_key, "pay")
    assert (entry["digest"], entry["group"], entry["amount_usd"]) == (
        asked.payload_sha256,
        "Managers",
        "5.00",
    )
    assert set(entry) >= {"action", "consequence", "requested_at", "expires_at"}


def test_approvals_without_json_is_a_line_per_question(db: None) -> None:
    assert run("approvals") == "No question is open.\n"
    asked = make_approval()
    assert run("approvals").startswith(
        f"{asked.pk}\t{asked.task.public_id}\t{asked.item_key}.pay\tManagers\t"
    )


def test_decide_takes_the_answer(manager: User) -> None:
    asked = make_approval()
    assert run("decide", asked.pk, "approve", "--as", "manager") == f"{asked.pk}: Approved\n"
    assert listed() == []


def test_decide_prints_one_json_object_when_asked(manager: User) -> None:
    asked = make_approval()
    told = json.loads(run("decide", asked.pk, "reject", "--as", "manager", "--reason", "no", "--json"))
    assert (told["status"], told["decided_by"], told["reason"]) == ("rejected", "manager", "no")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("approve", "--as", "ops"), "right to decide"),
        (("reject", "--as", "manager"), "Say why"),
        (("approve", "--as", "nobody"), "no user 'nobody'"),
        (("approve", "--as", "manager", "--digest", "0" * 64), "read it again"),
    ],
)
def test_decide_has_the_rules_of_the_page(
    manager: User, operator: User, arguments: tuple[str, ...], sentence: str
) -> None:
    asked = make_approval()
    with pytest.raises(CommandError, match=sentence):
        run("decide", asked.pk, *arguments)
    asked.refresh_from_db()
    assert asked.status == "open"


def test_decide_says_when_there_is_no_such_question(manager: User) -> None:
    with pytest.raises(CommandError, match="no question 7"):
        run("decide", 7, "approve", "--as", "manager")


def test_a_wrong_word_is_a_usage_error(manager: User) -> None:
    with pytest.raises(CommandError, match="invalid choice"):
        run("decide", make_approval().pk, "perhaps", "--as", "manager")
    assert Approval.objects.get().status == "open"
