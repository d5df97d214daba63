"""The moves of a question: each status has a line, and what is decided stays decided."""

import pytest

from approvals import decisions
from approvals.decisions import MOVES
from approvals.models import DECIDED, Approval, ApprovalStatus
from taskboard.lifecycle import changing
from tests.factories import make_approval


def test_every_status_has_its_moves() -> None:
    assert set(MOVES) == set(ApprovalStatus)


def test_only_an_answer_becomes_open_again() -> None:
    assert {status for status, targets in MOVES.items() if ApprovalStatus.OPEN in targets} == set(DECIDED)


def test_a_decision_is_never_replaced_by_another_one() -> None:
    assert all(not MOVES[status] & set(DECIDED) for status in set(MOVES) - {ApprovalStatus.OPEN})


@pytest.mark.parametrize("status", [one for one in MOVES if ApprovalStatus.VOID not in MOVES[one]])
def test_what_is_over_is_not_made_void(db: None, status: str) -> None:
    asked = make_approval()
    Approval.objects.filter(pk=asked.pk).update(status=status)
    asked.refresh_from_db()
    with changing(asked.task_id, "worker") as change:
        assert not decisions.void(change, asked, "another proposal")
    asked.refresh_from_db()
    assert asked.status == status
