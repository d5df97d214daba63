"""Changes in the outside world by their content: reserved before the first call, adopted where they are there.

The row of an effect key is locked when it is looked at, so of two steps, also of two tasks, one has it. A row
without `at` is held by its step: it works on it, or nobody knows what came of it.
"""

from collections.abc import Collection, Iterator
from datetime import datetime, timedelta
from enum import Enum, auto

from django.db.models import Q

from taskboard.change import Change
from taskboard.engine.claim import Claimed
from taskboard.engine.endings import Ending, Finished, MustAsk, NotKnown
from taskboard.models import Effect, Step, StepStatus, Task
from taskboard.outcomes import Done

S = StepStatus
GIVEN_UP = "GivenUp"
"""The error class of a step that a person gave up: its effect may be there."""
NOT_BEGUN = (S.PENDING, S.WAITING_APPROVAL, S.BLOCKED)
"""A holder that stands so has nothing in the air: whoever comes first may take its reservation."""
NOT_YET = (S.PENDING, S.STARTED, S.WAITING_APPROVAL)


class Stand(Enum):
    """What a step finds about its effect before its first call."""

    OURS = auto()
    THERE = auto()
    BUSY = auto()
    UNKNOWN = auto()
    DOUBTFUL = auto()
    """Whoever had it has ended without anybody knowing whether it happened."""


def reserve(change: Change, claimed: Claimed, key: str, absent: str = "") -> tuple[Stand, Effect]:
    """The effect of that key, reserved for this step unless somebody has it; `absent` is the idempotency key
    under which it was looked up in vain, after whoever had it had ended."""
    step = claimed.step
    Effect.objects.filter(step=step, at=None).exclude(key=key).delete()
    new = Effect(key=key, task=change.task, step=step, made_by=step.idempotency_key or "")
    Effect.objects.bulk_create([new], ignore_conflicts=True)
    effect = _locked(key)
    stand = _stand(change, claimed, effect)
    if stand is Stand.OURS or (stand is Stand.DOUBTFUL and absent == made_by(effect)):
        _take_over(change, claimed, effect)
        return Stand.OURS, effect
    return stand, effect


def doubt(change: Change, claimed: Claimed) -> None:
    """Nobody can say whether it is there: this step holds it, so that a person can settle it here. The key under
    which it may be found stays."""
    Effect.objects.filter(step=claimed.step, at=None).exclude(key=claimed.effect_key).delete()
    Effect.objects.filter(key=claimed.effect_key).update(task=change.task, step=claimed.step, at=None)


def follow(change: Change, claimed: Claimed, ending: Ending) -> None:
    """What an ending makes of the step's effect, in the transaction of its move."""
    spec = claimed.spec
    if spec.undoes and isinstance(ending, Finished):
        undone = Q(step__item=claimed.item, step__name=spec.undoes, step__revision=claimed.step.revision)
        Effect.objects.filter(undone).delete()
    if spec.effect_key is None or isinstance(ending, MustAsk):
        return
    if isinstance(ending, NotKnown):
        if claimed.made_by:
            doubt(change, claimed)
    elif isinstance(ending, Finished):
        _happened(change, claimed, ending)
    else:
        release([claimed.step.pk])


def confirm(step: Step, done: Done, at: datetime) -> None:
    """A person says that the effect which this step holds is there."""
    Effect.objects.filter(step=step).update(at=at, external_id=done.external_id, outputs=done.outputs or None)


def deny(step: Step) -> None:
    """A person says that it is not there: the step runs again, and holds it meanwhile."""
    Effect.objects.filter(step=step).update(at=None, external_id="")


def release(steps: Collection[int]) -> None:
    """Surely nothing happened: whoever wants the same may go."""
    Effect.objects.filter(step__in=steps, at=None).delete()


def release_those_of(task: Task) -> None:
    """The task is cancelled: what was reserved and not begun is free."""
    Effect.objects.filter(task=task, at=None, step__status__in=NOT_BEGUN).delete()


def is_own(step: Step) -> bool:
    """Whether the step had the effect itself, or may have had it; not so if it found another one's there."""
    return Effect.objects.filter(step=step).exists()


def origin(effect: Effect) -> str:
    """Who had it, in words; the task may be purged by now."""
    if effect.task is not None and effect.step is not None:
        return f"task {effect.task.public_id}, step {_place(effect)}"
    return effect.made_by or "a task that is no longer here"


def made_by(effect: Effect) -> str:
    """The idempotency key under which it can be found outside."""
    return effect.made_by or (effect.step and effect.step.idempotency_key) or effect.key


def differences(task: Task) -> Iterator[str]:
    """A sentence for each effect that does not agree with its step."""
    effects = Effect.objects.filter(task=task).select_related("step__item")
    for effect in effects.filter(step=None).iterator():
        yield f"effects.{effect.key}: it belongs to the task, but to none of its steps."
    for effect in effects.filter(at=None, step__status=S.DONE).iterator():
        yield f"effects.{effect.key}: it is only reserved, but {_place(effect)} is done."
    for effect in effects.filter(at__isnull=False, step__status__in=NOT_YET).iterator():
        yield f"effects.{effect.key}: it happened, but {_place(effect)} is not through."


def _place(effect: Effect) -> str:
    return f"{effect.step.item.key}.{effect.step.name}" if effect.step else ""


def _happened(change: Change, claimed: Claimed, ending: Finished) -> None:
    """The effect is there. One that was found after its holder had ended belongs to the step that found it."""
    done, at = ending.accepted.done, ending.accepted.at
    fields = {"at": at, "external_id": done.external_id, "outputs": done.outputs or None}
    if claimed.made_by:
        found = Effect.objects.filter(key=claimed.effect_key, at=None)
        found.update(**fields, task=change.task, step=claimed.step)
    else:
        Effect.objects.filter(step=claimed.step, at=None).update(**fields)


def _locked(key: str) -> Effect:
    """Read once the lock is there: what is joined to a row that had to be waited for is from before the wait."""
    Effect.objects.select_for_update().only("pk").get(key=key)
    return Effect.objects.select_related("task", "step__item").get(key=key)


def _stand(change: Change, claimed: Claimed, effect: Effect) -> Stand:
    if effect.at is not None:
        return Stand.THERE
    holder = effect.step
    if holder is not None and (holder.pk == claimed.step.pk or holder.status in NOT_BEGUN):
        return Stand.OURS
    if holder is None:
        return Stand.DOUBTFUL
    if holder.status == S.STARTED or _may_still_run(change, claimed, holder):
        return Stand.BUSY
    return Stand.UNKNOWN if holder.status == S.UNKNOWN else Stand.DOUBTFUL


def _may_still_run(change: Change, claimed: Claimed, holder: Step) -> bool:
    """Cancelled in the middle of its call: its worker may still report."""
    over = (holder.finished_at or change.now - timedelta(days=1)) + claimed.spec.time_limit
    return holder.status == S.CANCELLED and over > change.now


def _take_over(change: Change, claimed: Claimed, effect: Effect) -> None:
    """From now on this step works on it, under its own key."""
    Effect.objects.filter(pk=effect.pk).update(
        task=change.task, step=claimed.step, made_by=claimed.step.idempotency_key, at=None, external_id=""
    )
