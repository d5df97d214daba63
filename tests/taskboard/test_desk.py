"""The desk: a person says what became of a step whose outcome nobody else can find out."""

from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from taskboard import desk
from taskboard.engine import work
from taskboard.engine.effects import GIVEN_UP
from taskboard.errors import BadInput, NotAllowed, WrongState
from taskboard.models import Checkpoint, Step, Task
from taskboard.recount import differences
from taskboard.start import start_task
from taskboard.steering import steer
from tests.conftest import logged_in
from tests.workflows import World

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def lost(operator: Any) -> Step:
    """A write whose answer was lost, and that cannot be looked up."""
    task = start_task("blind", {"items": 1}, user=operator)
    work.until_idle(task.pk)
    step = Step.objects.select_related("item").get(task=task)
    assert step.status == "unknown"
    return step


def fresh(step: Step) -> Step:
    assert list(differences(Task.objects.get(pk=step.task_id))) == []
    return Step.objects.select_related("task", "item").get(pk=step.pk)


def row(step: Step) -> Checkpoint:
    return Checkpoint.objects.get(task=step.task_id, kind="person")


def test_it_happened_completes_the_step_on_the_word_of_the_person(operator: Any, lost: Step) -> None:
    desk.happened(lost, operator, " T-12 ", "I saw the ticket")
    step = fresh(lost)
    assert (step.status, step.external_id, step.verified_how) == ("done", "T-12", "said by ops")
    assert (step.error, step.reserved_micro) == ("", 0)
    assert (step.item.status, step.task.status) == ("done", "completed")
    told = row(step)
    assert (told.actor, told.data["did"], told.data["reason"]) == ("ops", "it happened", "I saw the ticket")
    assert (told.data["to"], told.data["external_id"]) == ("done", "T-12")


def test_it_happened_wants_the_id_outside(operator: Any, lost: Step) -> None:
    with pytest.raises(BadInput, match="Enter the id under which it is found outside"):
        desk.happened(lost, operator, "  ")
    assert fresh(lost).status == "unknown"


def test_it_did_not_happen_runs_again_under_the_same_key(operator: Any, lost: Step) -> None:
    desk.did_not_happen(lost, operator, str(lost.idempotency_key))
    assert fresh(lost).status == "pending"
    work.until_idle(lost.task_id)
    step = fresh(lost)
    assert (step.status, step.attempt, step.idempotency_key) == ("unknown", 2, lost.idempotency_key)
    assert World().keys() == [lost.idempotency_key] * 2


@pytest.mark.parametrize("key", ["", "task:item:other"])
def test_a_wrong_key_changes_nothing(operator: Any, lost: Step, key: str) -> None:
    with pytest.raises(BadInput, match="not the key of the step"):
        desk.did_not_happen(lost, operator, key)
    assert fresh(lost).status == "unknown"


def test_giving_up_fails_the_step_with_the_reason(operator: Any, lost: Step) -> None:
    desk.give_up(lost, operator, "the provider is gone")
    step = fresh(lost)
    assert (step.status, step.error_class, step.item.status) == ("failed", GIVEN_UP, "failed")
    assert "the provider is gone" in step.error
    assert row(step).data["reason"] == "the provider is gone"


def test_giving_up_wants_a_reason(operator: Any, lost: Step) -> None:
    with pytest.raises(BadInput, match="Say why you give up"):
        desk.give_up(lost, operator, " ")


def test_it_is_settled_once(operator: Any, lost: Step) -> None:
    desk.happened(lost, operator, "T-12")
    with pytest.raises(WrongState, match="cannot be settled"):
        desk.did_not_happen(lost, operator, str(lost.idempotency_key))


def test_only_operators_settle(manager: Any, lost: Step) -> None:
    with pytest.raises(NotAllowed):
        desk.happened(lost, manager, "T-12")


def test_a_paused_task_stays_paused(operator: Any, lost: Step) -> None:
    steer.pause(lost.task, operator)
    desk.did_not_happen(lost, operator, str(lost.idempotency_key))
    work.until_idle(lost.task_id)
    step = fresh(lost)
    assert (step.status, step.task.status) == ("pending", "paused")


def test_a_cancelled_task_has_nothing_to_settle(operator: Any, lost: Step) -> None:
    steer.cancel(lost.task, operator)
    with pytest.raises(WrongState):
        desk.happened(lost, operator, "T-12")


def test_the_command_settles_by_key_and_by_three_words(operator: Any, lost: Step) -> None:
    key, out = str(lost.idempotency_key), StringIO()
    call_command("settle", key, "did-not-happen", "--as=ops", stdout=out)
    assert out.getvalue() == "item_001.shout is pending.\n"
    work.until_idle(lost.task_id)
    words = (lost.task.public_id, "item_001", "shout")
    with pytest.raises(CommandError, match=f"--key {key}"):
        call_command("settle", *words, "did-not-happen", "--as=ops")
    call_command("settle", *words, "happened", "--external-id=T-1", "--as=ops", stdout=out)
    assert fresh(lost).external_id == "T-1"


def test_the_command_knows_no_other_step(operator: Any) -> None:
    with pytest.raises(CommandError, match="There is no such step"):
        call_command("settle", "nothing", "give-up", "--reason=x", "--as=ops")
    with pytest.raises(CommandError, match="Name a step by its key"):
        call_command("settle", "one", "two", "give-up", "--reason=x", "--as=ops")


def test_the_item_page_tells_what_is_known_and_offers_three_answers(
    operator: Any, manager: Any, lost: Step
) -> None:
    page = lost.item.get_absolute_url()
    html = logged_in(operator).get(page).content.decode()
    assert "Sent, and the answer was lost" in html
    for verb in ("happened", "did-not-happen", "give-up"):
        assert f"/steps/shout/{verb}/item_001/" in html
    assert "/steps/shout/happened/" not in logged_in(manager).get(page).content.decode()


def test_the_buttons_work_without_javascript(operator: Any, lost: Step) -> None:
    address = f"{lost.task.get_absolute_url()}steps/shout/happened/item_001/"
    answer = logged_in(operator).post(address, {"external_id": "T-9"})
    assert answer["Location"] == lost.item.get_absolute_url()
    assert fresh(lost).external_id == "T-9"


def test_from_the_list_one_comes_back_to_the_list(operator: Any, lost: Step) -> None:
    address = f"{lost.task.get_absolute_url()}steps/shout/give-up/item_001/"
    answer = logged_in(operator).post(address, {"reason": "enough", "back": "attention"})
    assert answer["Location"] == "/attention/"
