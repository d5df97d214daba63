"""The context of a running step: what it knows, and its few verbs, durable at once."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from django.contrib.auth import get_user_model

from taskboard import artifacts, budget, instruction_queue, secret_params
from taskboard.change import Change
from taskboard.cleaning import clean_text
from taskboard.context import ItemFacts, SettledItem
from taskboard.engine import outage
from taskboard.engine.claim import Claimed
from taskboard.engine.item_brief import with_own_rows
from taskboard.models import Item, Kind, Risk, Step, StepStatus, Task
from taskboard.outcomes import NewArtifact, Usage


class Outputs(dict[str, Mapping[str, Any]]):
    """By step name; a step that handed on nothing, as one that was skipped, has an empty mapping."""

    def __missing__(self, _name: str) -> Mapping[str, Any]:
        return {}


class RunningStep:
    """Implements taskboard.context.Context for one claimed step."""

    def __init__(self, task: Task, claimed: Claimed) -> None:
        self._task, self._claimed = task, claimed
        step, item = claimed.step, claimed.item
        self.task_id, self.task_pk, self.goal = task.public_id, task.pk, task.goal
        self.started_by = task.created_by_name
        self.item = ItemFacts(item.key, item.label, item.params)
        self.step = claimed.spec.undoes or step.name
        self.attempt, self.revision = step.attempt, step.revision
        self.idempotency_key = claimed.made_by or step.idempotency_key or ""
        self.adopted = bool(claimed.made_by)
        self.external_id = step.external_id
        self.outputs: Mapping[str, Mapping[str, Any]] = Outputs(claimed.outputs)
        self.approved: Mapping[str, Any] | None = step.action

    @cached_property
    def params(self) -> Mapping[str, Any]:
        """What the task was started with; here the secrets are the real ones."""
        return secret_params.reveal(self._task)

    @property
    def actor(self) -> str:
        return f"step {self._claimed.step.name}"

    @cached_property
    def brief(self) -> str:
        """Where the task stands, as written at the last resume, and what happened to this item lately; empty
        before the first resume."""

        def read() -> str:
            written = Task.objects.values_list("brief", flat=True).get(pk=self.task_pk)
            return with_own_rows(written, self.task_pk, self.item.key) if written else ""

        return outage.patiently(read)

    @cached_property
    def instructions(self) -> Sequence[str]:
        """What people told the task, word for word, handed to this step; often empty."""
        step = self._claimed.step.name
        return outage.patiently(lambda: instruction_queue.taken_up_by(self.task_pk, self.item.key, step))

    def spend(self, usage: Usage, source: str) -> None:
        """Charge an amount at once; the same `source` in the same attempt charges once."""

        def charge(change: Change) -> None:
            budget.charge_late(change, self._claimed.step, self._claimed.item, usage, f"spend:{source}")

        outage.changed(self.task_pk, self.actor, charge)

    def artifact(self, new: NewArtifact) -> str:
        """Keep a result at once; returns its place."""
        stored = artifacts.store(self._task, new, item=self._own_item, step=self._claimed.step.name)
        outage.changed(self.task_pk, self.actor, lambda change: artifacts.add(change, [stored]))
        return stored.place

    def say(self, text: str) -> None:
        """A short line for people: what is being done now."""
        told = clean_text(text, 500)

        def write(change: Change) -> None:
            change.set(says=told)
            self._record(change.record, Kind.SAYS, {"text": told})

        outage.changed(self.task_pk, self.actor, write)

    def risk(self, text: str, severity: str = "medium") -> None:
        """Something open that a later step or a person must know."""
        told = clean_text(text, 2000)

        def write(change: Change) -> None:
            Risk.objects.create(
                task=change.task, item=self._own_item, text=told, severity=Risk.Severity(severity),
                raised_by=self.actor, raised_at=change.now,
            )  # fmt: skip
            self._record(change.record, Kind.RISK, {"text": told, "severity": severity})

        outage.changed(self.task_pk, self.actor, write)

    def items(self) -> Iterator[SettledItem]:
        """All items of the task, streamed; for whole-task steps."""
        last = 0
        while batch := list(
            Item.objects.filter(task=self.task_pk, position__gt=last).order_by("position")[:500]
        ):
            steps = self._steps_of(batch)
            for item in batch:
                yield _settled(item, steps.get(item.pk, []))
            last = batch[-1].position

    def mail_starter(self) -> str:
        """The e-mail address of the one who started the task, or an empty text."""
        users = get_user_model().objects.filter(tasks=self.task_pk)
        return str(users.values_list("email", flat=True).first() or "")

    @property
    def _own_item(self) -> Item | None:
        return None if self._claimed.item.is_whole_task else self._claimed.item

    def _record(self, record: Callable[..., None], kind: Kind, data: dict[str, Any]) -> None:
        record(kind, item=self.item.key, step=self._claimed.step.name, attempt=self.attempt, data=data)

    def _steps_of(self, items: list[Item]) -> dict[int, list[Step]]:
        steps: dict[int, list[Step]] = {}
        for step in Step.objects.filter(item__in=items).exclude(status=StepStatus.SUPERSEDED):
            steps.setdefault(step.item_id, []).append(step)
        return steps


def _settled(item: Item, steps: list[Step]) -> SettledItem:
    reason = next(
        (s.error or s.summary for s in steps if s.status not in (StepStatus.DONE, StepStatus.PENDING)), ""
    )
    return SettledItem(item.key, item.label, item.status, reason, {s.name: s.outputs or {} for s in steps})
