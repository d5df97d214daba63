"""Moves of every kind, legal and not, against the counters, the version and the journal."""

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from taskboard import lifecycle
from taskboard.errors import NotFound, WrongState
from taskboard.lifecycle import ITEM_MOVES, STEP_MOVES, TASK_MOVES, StepMove
from taskboard.models import Checkpoint, Item, ItemStatus, Kind, Step, StepStatus, Task, TaskStatus
from taskboard.recount import differences
from tests.factories import make_item, make_step, make_task

pytestmark = pytest.mark.django_db

which = st.integers(0, 3)


class Moves(RuleBasedStateMachine):
    """Four items with a step each; `stale` are copies of an earlier time."""

    @initialize()
    def begin(self) -> None:
        self.task = make_task()
        self.steps = [make_step(make_item(self.task)).pk for _ in range(4)]
        self.stale = [Step.objects.get(pk=pk) for pk in self.steps]
        self.version = Task.objects.get(pk=self.task.pk).version

    @rule(number=which, to=st.sampled_from(StepStatus))
    def move_a_step(self, number: int, to: StepStatus) -> None:
        step = Step.objects.select_related("item").get(pk=self.steps[number])
        fields = {"attempt": step.attempt + 1} if to == StepStatus.STARTED else {}
        self._try(to in STEP_MOVES[step.status], step, to, fields)

    @rule(number=which, to=st.sampled_from(StepStatus))
    def move_a_step_as_it_was(self, number: int, to: StepStatus) -> None:
        stale, now = self.stale[number], Step.objects.get(pk=self.steps[number])
        same = (stale.status, stale.attempt, stale.lease_owner) == (now.status, now.attempt, now.lease_owner)
        self._try(same and to in STEP_MOVES[stale.status], stale, to, {})

    @rule(number=which)
    def look_again(self, number: int) -> None:
        self.stale[number] = Step.objects.get(pk=self.steps[number])

    @rule(number=which, to=st.sampled_from(ItemStatus))
    def move_an_item(self, number: int, to: ItemStatus) -> None:
        item = Step.objects.get(pk=self.steps[number]).item
        legal = to == item.status or to in ITEM_MOVES[item.status]
        with self._expecting(legal), lifecycle.changing(self.task.pk, "test") as change:
            lifecycle.move_items(change, [(item, to, "diagnose")])

    @rule(to=st.sampled_from([TaskStatus.PAUSED, TaskStatus.RUNNING]))
    def move_the_task(self, to: TaskStatus) -> None:
        legal = to in TASK_MOVES[Task.objects.get(pk=self.task.pk).status]
        with self._expecting(legal), lifecycle.changing(self.task.pk, "test") as change:
            lifecycle.move_task(change, to)

    @invariant()
    def all_agree(self) -> None:
        task = Task.objects.get(pk=self.task.pk)
        assert list(differences(task)) == []
        assert task.version >= self.version
        self.version = task.version

    def _try(self, legal: bool, step: Step, to: StepStatus, fields: dict[str, object]) -> None:
        with self._expecting(legal), lifecycle.changing(self.task.pk, "test") as change:
            lifecycle.move_steps(change, [StepMove(step, to, fields)])
            change.record(Kind.NOTE, item=step.item.key, step=step.name, data={"to": to})

    def _expecting(self, legal: bool) -> "Expecting":
        return Expecting(self.task.pk, legal)


class Expecting:
    """A legal change makes the version grow; an illegal one says so and changes nothing."""

    def __init__(self, task_pk: int, legal: bool) -> None:
        self.task_pk, self.legal = task_pk, legal

    def __enter__(self) -> None:
        self.before = self._all()

    def __exit__(self, kind: type[BaseException] | None, *rest: object) -> bool:
        if self.legal:
            return False
        assert kind is WrongState
        assert self._all() == self.before
        return True

    def _all(self) -> list[object]:
        rows = [model.objects.filter(task=self.task_pk) for model in (Step, Item, Checkpoint)]
        return [*Task.objects.filter(pk=self.task_pk).values(), *(list(r.values()) for r in rows)]


def test_counters_version_and_journal_follow_every_sequence_of_moves() -> None:
    checks = settings(
        max_examples=12, stateful_step_count=15, deadline=None, suppress_health_check=list(HealthCheck)
    )
    run_state_machine_as_test(Moves, settings=checks)


def test_an_illegal_move_is_refused_with_a_sentence() -> None:
    step = make_step(make_item(make_task()), status=StepStatus.DONE)
    with (
        pytest.raises(WrongState, match="Step diagnose is Done; it cannot become Running"),
        lifecycle.changing(step.task_id, "test") as change,
    ):
        lifecycle.move_steps(change, [StepMove(step, StepStatus.STARTED)])


def test_a_task_that_is_gone_is_not_found() -> None:
    with pytest.raises(NotFound), lifecycle.changing(10**9, "test"):
        pass


def test_lost_moves_are_given_back_when_they_are_expected() -> None:
    step = make_step(make_item(make_task()))
    Step.objects.filter(pk=step.pk).update(attempt=5)
    with lifecycle.changing(step.task_id, "test") as change:
        lost = lifecycle.move_steps(change, [StepMove(step, StepStatus.SKIPPED)], strict=False)
    assert [one.step.pk for one in lost] == [step.pk]


def test_every_status_has_its_moves() -> None:
    assert set(TASK_MOVES) == set(TaskStatus)
    assert set(ITEM_MOVES) == set(ItemStatus)
    assert set(STEP_MOVES) == set(StepStatus)
