"""The moves of a question: each status has a line, and what is decided stays decided."""

from approvals.decisions import MOVES
from approvals.models import DECIDED, ApprovalStatus


def test_every_status_has_its_moves() -> None:
    assert set(MOVES) == set(ApprovalStatus)


def test_only_an_answer_becomes_open_again() -> None:
    assert {status for status, targets in MOVES.items() if ApprovalStatus.OPEN in targets} == set(DECIDED)


def test_a_decision_is_never_replaced_by_another_one() -> None:
    assert all(not MOVES[status] & set(DECIDED) for status in set(MOVES) - {ApprovalStatus.OPEN})
