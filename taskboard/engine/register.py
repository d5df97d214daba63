"""After an import: what the task has done is known by its effect keys, where these can be worked out."""

from collections.abc import Sequence

from taskboard import lifecycle, workflow
from taskboard.change import Change
from taskboard.engine import claim
from taskboard.engine.adopt import key_of
from taskboard.engine.claim import Claimed
from taskboard.engine.results import WHATEVER
from taskboard.models import Checkpoint, Effect, Kind, Step, StepStatus, Task
from taskboard.workflow import WorkflowSpec

AT_ONCE = 500


def register(task: Task, actor: str) -> int:
    """Make the effects of an imported task's finished writes known; returns of how many. An author's code works
    the keys out, so it runs outside of any transaction; where the document does not hold what a key is made of,
    there is none."""
    spec = workflow.find(task.workflow)
    names = [step.name for step in spec.steps.values() if step.effect_key] if spec else []
    if spec is None or not names or not Checkpoint.objects.filter(task=task, kind=Kind.IMPORTED).exists():
        return 0
    nameless = Step.objects.filter(task=task, name__in=names, status=StepStatus.DONE, effect=None)
    known = last = 0
    while batch := list(nameless.filter(pk__gt=last).order_by("pk")[:AT_ONCE]):
        last = batch[-1].pk
        known += _register(task, spec, batch, actor)
    return known


def _register(task: Task, spec: WorkflowSpec, steps: Sequence[Step], actor: str) -> int:
    claimed = claim.with_items([(step, spec.steps[step.name]) for step in steps])
    keys = [(key, one.step) for one in claimed if (key := _key(spec, task, one))]
    with lifecycle.changing(task.pk, actor) as change:
        new = [_effect(change, key, step) for key, step in sorted(keys, key=lambda pair: pair[0])]
        Effect.objects.bulk_create(new, ignore_conflicts=True)
    return len(keys)


def _key(spec: WorkflowSpec, task: Task, claimed: Claimed) -> str:
    try:
        return key_of(spec.owner, task, claimed)
    except WHATEVER:  # the document lacks an output or a parameter that the key is made of
        return ""


def _effect(change: Change, key: str, step: Step) -> Effect:
    at = step.executed_at or step.finished_at or change.now
    return Effect(
        key=key, task=change.task, step=step, made_by=step.idempotency_key or "", external_id=step.external_id,
        outputs=step.outputs, at=at,
    )  # fmt: skip
