"""Effect keys of imported steps: what was done in the outside world is known here from now on."""

from collections.abc import Mapping, Sequence
from typing import Any

from taskboard.change import Change
from taskboard.models import Effect, Item, Step, StepStatus

Entries = Sequence[tuple[Item, Mapping[str, Any]]]


def adopt(change: Change, entries: Entries) -> None:
    """Take the effects of these items' steps over, also those that a purged task left behind."""
    keys = _keys(entries)
    if not keys:
        return
    known = {effect.key: effect for effect in Effect.objects.filter(key__in=keys.values())}
    for step in Step.objects.filter(item__in=[item for item, _steps in entries]):
        key = keys.get((step.item_id, step.name, step.revision))
        if key and (key not in known or known[key].task_id is None):
            Effect.objects.update_or_create(key=key, defaults=_row(change, step, known.get(key)))


def _keys(entries: Entries) -> dict[tuple[int, str, int], str]:
    return {
        (item.pk, name, entry.get("revision", 1)): entry["effect_key"]
        for item, steps in entries
        for name, newest in steps.items()
        for entry in (*newest.get("earlier", ()), newest)
        if "effect_key" in entry
    }


def _row(change: Change, step: Step, known: Effect | None) -> dict[str, Any]:
    """What happened stays so, also where the document does not know it yet."""
    row = {"task": change.task, "step": step, "made_by": step.idempotency_key or ""}
    if known is not None and known.at is not None:
        return row | {"external_id": step.external_id or known.external_id}
    return row | {"external_id": step.external_id, "outputs": step.outputs, "at": _at(step, change)}


def _at(step: Step, change: Change) -> Any:
    if step.status == StepStatus.DONE:
        return step.executed_at or step.started_at or change.now
    return step.executed_at if step.status in (StepStatus.SUPERSEDED, StepStatus.CANCELLED) else None
