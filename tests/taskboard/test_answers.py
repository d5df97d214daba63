"""What a step may answer, and what comes of answers that no author should give."""

from typing import Any

import pytest

from taskboard.engine import work
from taskboard.models import Checkpoint, Effect, Item, LedgerEntry, Step, Task
from taskboard.recount import differences
from taskboard.start import start_task
from tests import doubt_workflows, odd_workflows  # noqa: F401 registers them
from tests.workflows import World

pytestmark = pytest.mark.django_db(transaction=True)


def run(user: Any, workflow: str, mode: str) -> Task:
    task = start_task(workflow, {"items": 1, "mode": mode}, user=user)
    work.until_idle(task.pk)
    task.refresh_from_db()
    assert list(differences(task)) == []
    return task


def step(task: Task) -> Step:
    return Step.objects.current().filter(task=task).latest("pk")


@pytest.mark.parametrize(
    ("mode", "status", "said"),
    [
        ("none", "failed", "not NoneType"),
        ("exit", "failed", "enough"),
        ("class", "failed", "a long name"),
        ("outputs", "failed", "not iterable"),
        ("usage", "failed", "usd"),
        ("nowhere", "failed", "no step 'there'"),
        ("name", "failed", "name"),
        ("after", "failed", "soon"),
    ],
)
def test_an_answer_that_nobody_can_use_fails_the_attempt_and_nothing_else(
    operator: Any, mode: str, status: str, said: str
) -> None:
    task = run(operator, "moods", mode)
    assert (step(task).status, step(task).attempt) == (status, 2)
    assert said in step(task).error
    assert task.status == "completed"


@pytest.mark.parametrize("mode", ["deep", "long", "huge"])
def test_values_of_any_size_are_stored_alike_and_noted(operator: Any, mode: str) -> None:
    """ENC-01: the step stays done, and nothing loops."""
    task = run(operator, "moods", mode)
    assert (step(task).status, step(task).attempt) == ("done", 1)
    assert Checkpoint.objects.get(task=task, kind="result").data["notes"]


@pytest.mark.parametrize("mode", ["cost", "negative"])
def test_a_cost_that_is_no_amount_is_refused_by_its_name_and_the_work_stays_done(
    operator: Any, mode: str
) -> None:
    """ENC-02."""
    task = run(operator, "moods", mode)
    assert step(task).status == "done"
    notes = Checkpoint.objects.get(task=task, kind="result").data["notes"]
    assert any(note.startswith("usage.usd: ") for note in notes), notes
    assert not LedgerEntry.objects.filter(task=task).exists()


@pytest.mark.parametrize(
    ("mode", "said"),
    [
        ("nothing", "find answered with NoneType"),
        ("false", "find answered with bool"),
        ("text", "find answered with str"),
        ("cannot", "no such search"),
        ("odd", "not iterable"),
    ],
)
def test_a_look_up_that_says_nothing_never_counts_as_an_absence(operator: Any, mode: str, said: str) -> None:
    """DUP-05: sent, and the answer lost: a person is asked, nothing is sent again."""
    task = run(operator, "finder", mode)
    assert (task.status, step(task).status) == ("blocked", "unknown")
    assert said in step(task).error
    assert len(World().keys()) == 1


@pytest.mark.parametrize("mode", ["down", "running"])
def test_a_look_up_that_cannot_say_yet_is_asked_again_later(operator: Any, mode: str) -> None:
    """DUP-12: what is still being worked on outside is never handed in a second time."""
    task = run(operator, "finder", mode)
    assert (task.status, step(task).status, step(task).lease_owner) == ("running", "started", "")
    assert step(task).lease_until is not None
    assert len(World().keys()) == 1


def test_what_was_accepted_and_cannot_be_verified_just_now_is_looked_at_again(operator: Any) -> None:
    """An outage of whoever is asked makes no work for people."""
    task = run(operator, "prover", "raises")
    assert (task.status, step(task).status, step(task).external_id) == ("running", "started", "E-1")
    assert Checkpoint.objects.get(task=task, kind="reconcile").data["reason"].endswith("verified: no answer")


@pytest.mark.parametrize("mode", ["no", "none", "true"])
def test_what_was_accepted_and_cannot_be_seen_is_left_to_a_person(operator: Any, mode: str) -> None:
    task = run(operator, "prover", mode)
    assert (task.status, step(task).status, step(task).external_id) == ("blocked", "unknown", "E-1")
    assert step(task).error.startswith("Accepted, but not verified: ")


@pytest.mark.parametrize("mode", ["raises", "true", "float"])
def test_a_first_step_whose_question_cannot_be_made_fails_with_its_item(operator: Any, mode: str) -> None:
    task = run(operator, "worried", mode)
    assert (task.status, step(task).status) == ("completed", "failed")
    assert Item.objects.get(task=task).status == "failed"
    assert World().keys() == []


def test_a_change_of_our_own_that_fails_leaves_the_outcome_open_and_keeps_the_external_id(
    operator: Any,
) -> None:
    odd_workflows.GATE.set()
    task = run(operator, "keeper", "fails")
    assert (step(task).status, step(task).external_id) == ("unknown", "E-1")
    assert "no room\ufffd" in step(task).error


def test_a_change_of_our_own_that_fails_half_way_is_not_there_at_all(operator: Any) -> None:
    odd_workflows.GATE.set()
    task = run(operator, "keeper", "fails half-way")
    assert (step(task).status, Effect.objects.exists()) == ("unknown", False)


def test_a_change_of_our_own_that_would_end_the_process_ends_nothing(operator: Any) -> None:
    task = run(operator, "quitter", "")
    assert (task.status, step(task).status, step(task).external_id) == ("blocked", "unknown", "E-1")
