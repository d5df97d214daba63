"""A question is stored as it was asked, sealed, and journaled."""

from datetime import timedelta
from decimal import Decimal

import pytest

from approvals.models import Approval, ApprovalStatus
from taskboard import lifecycle
from taskboard.errors import BadInput
from taskboard.gates import gate
from taskboard.models import Checkpoint, Kind
from taskboard.outcomes import Policy
from taskboard.seal import sha256_of
from tests.factories import make_approval, make_asking_step

pytestmark = pytest.mark.django_db


def test_it_keeps_the_exact_action_and_its_digest() -> None:
    asked = make_approval(payload={"b": 2, "a": "ü"}, amount_usd="12.50", impact=41)
    assert asked.payload == {"a": "ü", "b": 2}
    assert asked.payload_sha256 == sha256_of({"a": "ü", "b": 2})
    assert (asked.amount_micro, asked.impact) == (12_500_000, 41)


def test_its_window_counts_from_the_moment_it_became_visible() -> None:
    asked = make_approval(policy=Policy(window=timedelta(hours=2)))
    assert asked.visible_at
    assert asked.expires_at
    assert asked.expires_at - asked.visible_at == timedelta(hours=2)


def test_it_is_journaled_with_id_and_digest() -> None:
    asked = make_approval()
    row = Checkpoint.objects.get(task=asked.task, kind=Kind.ASKED)
    assert (row.item_key, row.step) == (asked.item_key, "pay")
    assert (row.data["approval"], row.data["digest"]) == (asked.pk, asked.payload_sha256)


def test_amounts_in_the_payload_are_sealed_as_text() -> None:
    assert make_approval(payload={"usd": Decimal("7.10")}).payload == {"usd": "7.10"}


def test_a_float_is_refused_with_its_place() -> None:
    with pytest.raises(BadInput, match=r"payload\.to\.0\.usd: 0\.1 cannot be sealed exactly"):
        make_approval(payload={"to": [{"usd": 0.1}]})
    assert not Approval.objects.exists()


def test_what_cannot_be_stored_is_replaced_and_told_in_the_evidence() -> None:
    asked = make_approval(payload={"title": "a\x00b"}, evidence=[{"label": "Diagnosis", "text": "x"}])
    assert asked.payload == {"title": "a\ufffdb"}
    assert [fact["label"] for fact in asked.evidence] == ["Diagnosis", "Changed before it was stored"]


def test_a_long_action_is_kept_to_its_last_character() -> None:
    text = "x" * 20_000 + "rm -rf /"
    asked = make_approval(action=text, payload={"run": text})
    assert asked.action == text
    assert asked.payload_sha256 == sha256_of({"run": text})


def test_a_new_proposal_takes_the_place_of_the_open_one() -> None:
    first = make_approval()
    second = make_approval(first.step, payload={"pay": 200})
    first.refresh_from_db()
    assert (first.status, first.successor) == (ApprovalStatus.VOID, second)
    assert Checkpoint.objects.filter(task=first.task, kind=Kind.VOID, data__approval=first.pk).exists()


def test_withdrawing_closes_the_open_questions_of_the_steps_named() -> None:
    kept = make_approval()
    gone = make_approval(make_asking_step(kept.task))
    with lifecycle.changing(kept.task_id, "ops") as change:
        assert gate().withdraw(change, [gone.step_id], "The step was skipped.") == 1
    gone.refresh_from_db()
    kept.refresh_from_db()
    assert (gone.status, gone.reason, kept.status) == ("withdrawn", "The step was skipped.", "open")
    assert gone.closed_at is not None


def test_cancelling_a_task_withdraws_all_its_questions() -> None:
    first = make_approval()
    make_approval(make_asking_step(first.task))
    with lifecycle.changing(first.task_id, "ops") as change:
        gate().ask_for_budget(change, 5)
        assert gate().withdraw(change, None, "The task was cancelled.") == 3
    assert not Approval.objects.filter(status=ApprovalStatus.OPEN).exists()


def test_an_open_question_is_no_seal() -> None:
    asked = make_approval()
    assert asked.step
    assert gate().seal(asked.step) is None
