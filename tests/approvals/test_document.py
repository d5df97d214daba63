"""Questions in the state document: out, in, and out again the same."""

from typing import Any

import pytest
from django.contrib.auth.models import User

from approvals import decisions, resumer
from approvals.models import Approval
from taskboard import lifecycle
from taskboard.errors import BadInput, WrongState
from taskboard.gates import gate
from tests.factories import make_approval, make_asking_step, make_item, make_task

EXAMPLE = {
    "item": "page_033",
    "action": "批量改写 37 组重复标题",
    "requested_at": "2026-09-17T01:31:00+00:00",
    "decision": None,
}


def imported(*entries: dict[str, Any]) -> Any:
    task = make_task(workflow="asking", held=True)
    with lifecycle.changing(task.pk, "ops") as change:
        gate().from_document(change, entries)
    return task


def test_the_example_comes_out_as_it_went_in(db: None) -> None:
    assert gate().to_document(imported(EXAMPLE)) == [EXAMPLE]


def test_an_imported_question_can_be_read_and_not_decided(manager: User) -> None:
    task = imported(EXAMPLE)
    asked = Approval.objects.get()
    assert [question["held"] for question in gate().open_questions(task)] == [True]
    with pytest.raises(WrongState, match="was imported"):
        decisions.decide(asked.pk, manager, "approve", "", asked.payload_sha256)


def test_it_gives_way_when_the_workflow_asks_again(manager: User) -> None:
    task = imported({**EXAMPLE, "item": "page_001"})
    old = Approval.objects.get()
    new = make_approval(make_asking_step(task))
    old.refresh_from_db()
    assert (old.status, old.successor, new.held) == ("void", new, False)
    assert decisions.decide(new.pk, manager, "approve", "", new.payload_sha256).status == "approved"


def test_a_resume_lets_the_workflow_ask_again(manager: User) -> None:
    asked = make_asking_step()
    decided = make_approval(make_asking_step(asked.task))
    decisions.decide(decided.pk, manager, "approve", "", decided.payload_sha256)
    with lifecycle.changing(asked.task_id, "ops") as change:
        gate().from_document(change, [{**EXAMPLE, "item": asked.item.key, "step": "pay"}])
        assert gate().ask_again(change) == 1
    asked.refresh_from_db()
    assert asked.status == "pending"
    assert decided.step
    assert decided.step.status == "waiting_approval"


def test_whatever_is_known_of_a_question_survives_the_trip(manager: User) -> None:
    first = make_approval(
        before="a", after="b", amount_usd="7.35", impact=3, evidence=[{"label": "l", "text": "t"}]
    )
    decisions.decide(first.pk, manager, "approve", "fine", first.payload_sha256)
    resumer.pick_up(first.pk)
    second = make_approval(make_asking_step(first.task), editable=("pay",))
    decisions.decide(second.pk, manager, "reject", "no", second.payload_sha256)
    make_approval(make_asking_step(first.task))
    told = gate().to_document(first.task)
    assert [entry["decision"] and entry["decision"]["outcome"] for entry in told] == [
        "approved",
        "rejected",
        None,
    ]
    assert gate().to_document(imported(*told)) == told


def test_an_imported_yes_that_nobody_picked_up_waits_for_the_resume(manager: User) -> None:
    task = make_task(workflow="asking", held=True)
    make_item(task, "page_009", status="waiting_approval")
    decision = {"outcome": "approved", "decided_by": "manager", "decided_at": EXAMPLE["requested_at"]}
    with lifecycle.changing(task.pk, "ops") as change:
        gate().from_document(change, [{**EXAMPLE, "decision": decision}])
    assert Approval.objects.get().decided_by == manager
    assert gate().collect(change.now) == 0


@pytest.mark.parametrize(
    ("fault", "path"),
    [
        ({"payload": []}, "approvals.0.payload"),
        ({"policy": "Managers"}, "approvals.0.policy"),
        ({"revision": "two"}, "approvals.0.revision"),
        ({"decision": {"outcome": "perhaps"}}, "approvals.0.decision.outcome"),
        ({"decision": {}}, "approvals.0.decision.outcome"),
        ({"payload": {"a": 1}, "digest": "0" * 64}, "approvals.0.digest"),
    ],
)
def test_a_broken_question_is_refused_with_the_path_of_the_fault(
    db: None, fault: dict[str, Any], path: str
) -> None:
    with pytest.raises(BadInput, match=f"^{path}: "):
        imported({**EXAMPLE, **fault})
    assert not Approval.objects.exists()


def test_settled_tells_the_comment_word_for_word(manager: User) -> None:
    asked = make_approval()
    decisions.decide(asked.pk, manager, "reject", "Only  after\nthe audit", asked.payload_sha256)
    (told,) = gate().settled(asked.task)
    assert (told.outcome, told.by, told.comment) == ("rejected", "manager", "Only  after\nthe audit")
