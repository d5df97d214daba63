"""Take due steps with a lease and write their intents; extend a lease, give it back."""

import math
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from taskboard import budget, frozen, instruction_queue, lifecycle, rows, stop_point
from taskboard.change import Change
from taskboard.cleaning import clean_text
from taskboard.engine import fresh, strikes
from taskboard.engine.endings import WHATEVER
from taskboard.gates import gate
from taskboard.leases import lease
from taskboard.lifecycle import StepMove
from taskboard.models import Item, ItemStatus, Kind, Step, StepStatus, TaskStatus
from taskboard.money import to_micro
from taskboard.workflow import StepSpec, WorkflowSpec

CLAIMABLE = (TaskStatus.RUNNING, TaskStatus.WAITING, TaskStatus.BLOCKED)
NO_LONGER = "The workflow no longer has this step."
"""After a deploy the code may not know a step that rows wait for."""


@dataclass(slots=True)
class Claimed:
    """A step in this worker's hands. While `preparing`, only its approval is being worked out: it is still
    pending, held by a lease."""

    step: Step
    item: Item
    spec: StepSpec
    preparing: bool
    outputs: dict[str, Any] = field(default_factory=dict)
    died: bool = False
    """Its worker was lost, or gave it up; set by reconcile."""
    why: str = ""
    """A sentence on that, where more is known than that the worker was lost."""
    effect_key: str = ""
    made_by: str = ""
    """The idempotency key of the step that had the effect, if this one only adopts it."""
    held_until: float = math.inf
    """Until then, by the steady clock, nobody else can have taken it."""


def held_until(change: Change) -> float:
    """The end of the leases that this transaction gives, by the steady clock: one that jumps would prolong them."""
    return change.began + lease().total_seconds()


def claim(change: Change, workflow: WorkflowSpec, owner: str, most: int) -> list[Claimed]:
    """Up to `most` due steps of the locked task: started with their intents written, or held for preparing
    when a person may have to be asked first."""
    task = change.task
    room = min(most, workflow.parallel - task.steps_in(StepStatus.STARTED))
    if room <= 0 or task.out_of_budget or not is_open(change):
        return []
    frozen.note(change)
    may = stop_point.within(task, Step.objects.filter(task=task).due(change.now))
    if held := frozen.steps(change):
        may = may.exclude(name__in=held)
    due = rows.load(may.order_by("position", "id")[:room])
    while fresh.hold_back(change, workflow, due):  # what is to be read for them comes in their place
        due = rows.load(may.order_by("position", "id")[:room])
    if not due:
        _stop_if_reached(change)
    strikes.block(change, [step for step in due if workflow.known(step.name) is None], NO_LONGER)
    taken = _priced(change, with_items([(s, spec) for s in due if (spec := workflow.known(s.name))]))
    begun = start(change, [one for one in taken if not one.preparing], owner)
    return begun + _hold(change, strikes.harmless(change, [one for one in taken if one.preparing]), owner)


def start(change: Change, claimed: Sequence[Claimed], owner: str) -> list[Claimed]:
    """Move claimed steps to started, as far as the budget goes, and write the intents. What writes to a frozen
    system stays pending."""
    if not claimed or not is_open(change):
        give_back(change, claimed)
        return []
    affordable = _reserve(change, _let_through(change, claimed))
    moves = [StepMove(one.step, StepStatus.STARTED, _lease_fields(change, one, owner)) for one in affordable]
    lifecycle.move_steps(change, moves)
    until = held_until(change)
    for one in affordable:
        one.held_until = until
        _intent(change, one)
    begun = {one.item.pk: one.item for one in affordable if one.item.status == ItemStatus.PENDING}
    lifecycle.move_items(change, [(item, ItemStatus.RUNNING, item.stage) for item in begun.values()])
    if affordable:
        change.set(last_claim_at=change.now)
        if change.task.open_instructions:
            instruction_queue.take_up(change, affordable[0].step, affordable[0].item)
    return affordable


def extend(change: Change, step_ids: Collection[int], owner: str) -> set[int]:
    """Heartbeat: the lease of what truly still runs goes on. Returns which of the steps still are the owner's."""
    held = Step.objects.filter(pk__in=step_ids, lease_owner=owner, status__in=("started", "pending"))
    if held.update(lease_until=change.now + lease()) == len(step_ids):
        return set(step_ids)
    return set(held.values_list("pk", flat=True))


def give_back(change: Change, held: Sequence[Claimed]) -> None:
    """They stay pending, in nobody's hands."""
    if not held:
        return
    budget.free(change, [one.step for one in held])
    ids = [one.step.pk for one in held]
    Step.objects.filter(pk__in=ids).update(lease_owner="", lease_until=None, reserved_micro=0)


def is_mine(step: Step) -> bool:
    """Whether the row still is in the hands of the worker that claimed it; asked under the task's lock."""
    held = Step.objects.filter(pk=step.pk, attempt=step.attempt, lease_owner=step.lease_owner)
    return held.filter(status=step.status).exists()


def _stop_if_reached(change: Change) -> None:
    """Pause the locked task once all that may be begun has ended; a resume then goes on to the end."""
    if stop_point.is_reached(change.task):
        why = stop_point.reason(change.task)
        change.set(stop_after={})
        lifecycle.move_task(change, TaskStatus.PAUSED, why)


def _let_through(change: Change, claimed: Sequence[Claimed]) -> Sequence[Claimed]:
    held = frozen.steps(change)
    if not held:
        return claimed
    give_back(change, [one for one in claimed if one.step.name in held])
    return [one for one in claimed if one.step.name not in held]


def why_unpriced(spec: StepSpec, params: Mapping[str, Any]) -> str:
    """Why nobody can say what the step would cost; empty if its workflow can."""
    if not callable(spec.estimate):
        return ""
    try:
        to_micro(spec.estimate_usd(params))
    except WHATEVER as error:
        return clean_text(f"What it would cost cannot be worked out: {error!r}", 2000)
    return ""


def _priced(change: Change, taken: Sequence[Claimed]) -> list[Claimed]:
    """Without those that nothing can be set aside for."""
    by_reason: dict[str, list[Claimed]] = defaultdict(list)
    for one in taken:
        by_reason[why_unpriced(one.spec, change.task.params)].append(one)
    priced = by_reason.pop("", [])
    for why, some in by_reason.items():
        strikes.block(change, [one.step for one in some], why)
    return priced


def with_items(steps: Sequence[tuple[Step, StepSpec]]) -> list[Claimed]:
    wanted = Item.objects.filter(pk__in={step.item_id for step, _spec in steps})
    items = {item.pk: item for item in rows.load(wanted)}
    outputs = _outputs({step.item_id for step, spec in steps if spec.after or spec.undoes})
    taken = [
        Claimed(step, items[step.item_id], spec, spec.approval is not None, outputs[step.item_id])
        for step, spec in steps
    ]
    for one in taken:
        if one.spec.undoes:
            one.outputs = {**one.outputs, one.spec.undoes: _undone(one).outputs or {}}
    return taken


def _undone(one: Claimed) -> Step:
    return Step.objects.get(item=one.item, name=one.spec.undoes, revision=one.step.revision)


def _outputs(item_ids: Collection[int]) -> dict[int, dict[str, Any]]:
    told: dict[int, dict[str, Any]] = defaultdict(dict)
    if item_ids:
        done = Step.objects.filter(item_id__in=item_ids, status=StepStatus.DONE, outputs__isnull=False)
        for item_id, name, outputs in done.values_list("item_id", "name", "outputs"):
            told[item_id][name] = outputs
    return told


def _hold(change: Change, claimed: Sequence[Claimed], owner: str) -> list[Claimed]:
    """For preparing: under a lease, and with their money set aside, so that nobody is asked in vain."""
    if not claimed or change.task.out_of_budget:
        return []
    held, until = _reserve(change, claimed), change.now + lease()
    leased = [(one.step.pk, owner, until, one.step.reserved_micro) for one in held]
    if leased:
        rows.update(Step, ("id",), ("lease_owner", "lease_until", "reserved_micro"), leased)
    for one in held:
        one.step.lease_owner, one.step.lease_until = owner, until
    return held


def _reserve(change: Change, claimed: Sequence[Claimed]) -> list[Claimed]:
    """Set the estimates aside as far as the budget goes; one that was prepared has its own already."""
    task = change.task
    affordable: list[Claimed] = []
    for one in claimed:
        micro = _price(one, task.params)
        more = micro - one.step.reserved_micro
        if task.limit_micro is not None and task.spent_micro + task.reserved_micro + more > task.limit_micro:
            _stop_for_budget(change, claimed[len(affordable) :], micro)
            break
        if more:
            change.reserve(more)
        one.step.reserved_micro = micro
        affordable.append(one)
    return affordable


def _price(one: Claimed, params: Mapping[str, Any]) -> int:
    """A workflow that could say it when the step was prepared, and cannot now, is taken at its first word."""
    unpriced = one.preparing and why_unpriced(one.spec, params)
    return one.step.reserved_micro if unpriced else to_micro(one.spec.estimate_usd(params))


def _stop_for_budget(change: Change, left: Sequence[Claimed], micro: int) -> None:
    """The next step does not fit: give back what was held for it. While others run, what they release may
    make it fit; after that a person is asked."""
    give_back(change, left)
    if change.task.reserved_micro or change.task.steps_in(StepStatus.STARTED):
        return
    change.set(out_of_budget=True)
    change.touched = True
    change.record(
        Kind.BUDGET,
        step=left[0].step.name,
        item=left[0].item.key,
        data={"reached": True, "needed_micro": micro},
    )
    gate().ask_for_budget(change, micro)


def is_open(change: Change) -> bool:
    return change.task.status in CLAIMABLE and not change.task.held


def _lease_fields(change: Change, one: Claimed, owner: str) -> dict[str, Any]:
    return {
        "attempt": one.step.attempt + 1,
        "lease_owner": owner,
        "lease_until": change.now + lease(),
        "reserved_micro": one.step.reserved_micro,
    }


def _intent(change: Change, one: Claimed) -> None:
    data: dict[str, Any] = {"to": StepStatus.STARTED}
    if one.step.idempotency_key:
        data["key"] = one.step.idempotency_key
    if one.step.action_sha256:
        data["approved_sha256"] = one.step.action_sha256
    change.record(Kind.INTENT, item=one.item.key, step=one.step.name, attempt=one.step.attempt, data=data)
