"""Asking for changes: the step that made the proposal is done anew with the person's words."""

from html import unescape
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.urls import reverse

from approvals.errors import AlreadyDecided, ReasonMissing
from approvals.models import Approval
from taskboard.engine.work import until_idle
from taskboard.errors import BadInput
from taskboard.gates import gate
from taskboard.lifecycle import changing
from taskboard.models import Checkpoint, Instruction, Kind, Step, Task
from taskboard.recount import differences
from taskboard.start import start_task
from tests import approval_workflows  # noqa: F401 registers them
from tests.approvals.answers import answer, sweep
from tests.conftest import logged_in
from tests.factories import make_approval, make_task
from tests.workflows import World

pytestmark = pytest.mark.django_db(transaction=True)
TEXT = "Pay less,\nand say why: <b>“5” is too much</b>"


@pytest.fixture
def asked(operator: User) -> Approval:
    """A question that a workflow's own steps came to."""
    task = start_task("proposing", {"items": 1}, user=operator)
    until_idle(task.pk)
    return Approval.objects.get(task=task)


def test_the_step_that_made_the_proposal_runs_again_with_the_text(asked: Approval, manager: User) -> None:
    answer(asked, manager, "changes", TEXT)
    assert sweep() == 1
    until_idle(asked.task_id)
    asked.refresh_from_db()
    again = Approval.objects.get(status="open")
    assert (asked.status, asked.successor, again.payload) == ("changes_requested", again, {"heeds": [TEXT]})
    assert (again.revision, Step.objects.get(name="draft", revision=2).status) == (2, "done")


def test_what_was_done_for_good_before_is_not_done_again(asked: Approval, manager: User) -> None:
    answer(asked, manager, "changes", TEXT)
    sweep()
    until_idle(asked.task_id)
    answer(Approval.objects.get(status="open"), manager)
    sweep()
    until_idle(asked.task_id)
    done = World().keys()
    assert [key.split(":")[2] for key in done] == ["ticket", "publish"]
    assert Task.objects.get(pk=asked.task_id).status == "completed"


def test_the_journal_tells_it_and_agrees_with_the_rows(asked: Approval, manager: User) -> None:
    answer(asked, manager, "changes", TEXT)
    sweep()
    until_idle(asked.task_id)
    row = Checkpoint.objects.get(task=asked.task, kind=Kind.GO_BACK)
    assert (row.data["back_to"], row.data["reason"], row.data["by"]) == ("draft", TEXT, "manager")
    assert list(differences(asked.task)) == []
    assert Instruction.objects.get(task=asked.task).text == TEXT


def test_the_brief_holds_the_text_word_for_word(asked: Approval, manager: User) -> None:
    answer(asked, manager, "changes", TEXT)
    (settled,) = gate().settled(asked.task)
    assert (settled.outcome, settled.comment, settled.by) == ("changes_requested", TEXT, "manager")


def test_the_old_question_cannot_be_approved_any_more(asked: Approval, manager: User) -> None:
    answer(asked, manager, "changes", TEXT)
    sweep()
    until_idle(asked.task_id)
    with pytest.raises(AlreadyDecided, match="manager asked for changes on"):
        answer(asked, manager)


def test_a_step_that_nothing_comes_before_is_asked_anew_itself(manager: User) -> None:
    asked = make_approval()
    Step.objects.filter(item=asked.step.item, name="look").delete()  # type: ignore[union-attr]
    with changing(asked.task_id, "test") as change:
        change.count_step("look", "done", None)
    answer(asked, manager, "changes", TEXT)
    assert sweep() == 1
    asked.refresh_from_db()
    assert asked.step
    assert asked.step.status == "superseded"


def test_it_needs_words(manager: User) -> None:
    with pytest.raises(ReasonMissing, match="Say what should be changed"):
        answer(make_approval(), manager, "changes", " ")


def test_a_question_without_a_step_has_nobody_who_could_change_it(manager: User) -> None:
    task = make_task(limit_micro=5_000_000)
    with changing(task.pk, "test") as change:
        gate().ask_for_budget(change, 1_000_000)
    asked: Any = Approval.objects.get()
    with pytest.raises(BadInput, match="approve or reject it"):
        answer(asked, manager, "changes", TEXT)


def card(user: User, asked: Approval) -> str:
    shown = logged_in(user).get(reverse("approvals:question", args=[asked.pk]))
    return unescape(shown.content.decode())


def test_the_new_question_says_whose_words_it_follows_and_what_is_different(
    asked: Approval, manager: User
) -> None:
    assert "asked for changes" not in card(manager, asked)
    answer(asked, manager, "changes", TEXT)
    sweep()
    until_idle(asked.task_id)
    shown = card(manager, Approval.objects.get(status="open"))
    note = shown[shown.index('id="former-') : shown.index("Written by the software")]
    assert "manager asked for changes in the one before" in note
    assert TEXT in note
    assert asked.get_absolute_url() in note
    assert "What is different now:" in note
    assert "Nothing has changed" not in note


def test_a_proposal_that_comes_back_the_same_says_so(manager: User) -> None:
    first = answer(make_approval(), manager, "changes", TEXT)
    same = make_approval(first.step)
    assert same.predecessor == first
    assert "Nothing has changed: the proposal is word for word the same" in card(manager, same)


def test_one_that_lapsed_in_between_is_passed_over(manager: User) -> None:
    first = answer(make_approval(), manager, "changes", TEXT)
    between = make_approval(first.step)
    last = make_approval(first.step, consequence="Less money leaves the account")
    between.refresh_from_db()
    assert between.status == "void"
    shown = card(manager, last)
    assert f"Question {first.pk}</a>" in shown
    assert "The exact action is the same as before. What is said of it differs:" in shown
