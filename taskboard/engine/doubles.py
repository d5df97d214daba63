"""A change that may be there twice, since a given-up attempt came back with it: told as a risk, until it is settled."""

from collections.abc import Collection, Iterator

from django.utils.translation import gettext_noop

from taskboard.change import Change
from taskboard.engine.claim import Claimed
from taskboard.engine.endings import Ending, Finished, NotKnown, TryAgain
from taskboard.models import Checkpoint, Kind, Risk, Step, StepStatus
from taskboard.sentences import Sentence
from taskboard.workflow import REPEATABLE

S = StepStatus
NO_ID = "–"
TWICE = Sentence(
    gettext_noop(
        "The step %(step)s of %(item)s may have been done twice: its attempt %(attempt)s had been given up and came"
        " back late, with the external id %(late)s; the step led to the external id %(other)s. Look at both outside,"
        " and take one back if both are there."
    )
)
AT_WORK = Sentence(
    gettext_noop(
        "The step %(step)s of %(item)s may be done twice: its attempt %(attempt)s had been given up and came back"
        " late, with the external id %(late)s, while the step was at work again. Look outside whether it is there"
        " twice."
    )
)
AFTER_ALL = Sentence(
    gettext_noop(
        "The step %(step)s of %(item)s was done after all: its attempt %(attempt)s had been given up and came back"
        " late, with the external id %(late)s. Look outside before it is done again."
    )
)


def may_be(claimed: Claimed) -> bool:
    """Whether doing the step twice would matter."""
    return claimed.spec.writes and claimed.spec.find != REPEATABLE and not claimed.made_by


def tell(change: Change, claimed: Claimed, now: Step, external_id: str) -> None:
    """An attempt came back with this id, where the step stands so `now`, and nobody can tell whether that is two."""
    text = _sentence(claimed, now, external_id)
    risk = Risk.objects.create(
        task=change.task, item=None if claimed.item.is_whole_task else claimed.item, text=text,
        severity=Risk.Severity.HIGH, raised_by=Risk.BY_ENGINE, raised_at=change.now,
    )  # fmt: skip
    data = {"text": text, "severity": risk.severity, "risk": risk.pk, "key": now.idempotency_key}
    _record(change, claimed, data | {"external_id": external_id})


def doubted(change: Change, ended: Collection[tuple[Claimed, Ending]]) -> set[int]:
    """The items with such a risk; looked up only where one of these endings could settle it."""
    if not any(_could_settle(claimed, ending) for claimed, ending in ended):
        return set()
    risks = Risk.objects.filter(task=change.task, raised_by=Risk.BY_ENGINE, closed_at=None)
    return {pk or 0 for pk in risks.values_list("item", flat=True)}


def settle(change: Change, claimed: Claimed, ending: Ending) -> Ending:
    """The same ending, once the step's risks are told as they stand with it. Trying again what an attempt had done
    all the same would surely double it: a person is asked instead."""
    if not _could_settle(claimed, ending):
        return ending
    for risk, external_id in _open(change, claimed):
        if isinstance(ending, TryAgain):
            _close(change, claimed, risk, "The step does not go on by itself: a person settles its outcome.")
            ending = NotKnown(f"{risk.text} {ending.reason}", external_id)
        elif isinstance(ending, Finished):
            _compare(change, claimed, risk, external_id, ending)
    return ending


def _compare(change: Change, claimed: Claimed, risk: Risk, external_id: str, ending: Finished) -> None:
    led_to = ending.accepted.done.external_id
    if external_id and external_id == led_to:
        _close(change, claimed, risk, f"Both attempts led to {external_id}: there is only one.")
        return
    _close(change, claimed, risk, "It is told anew, with both ids.")
    now = Step(status=S.DONE, external_id=led_to, idempotency_key=claimed.step.idempotency_key)
    tell(change, claimed, now, external_id)


def _could_settle(claimed: Claimed, ending: Ending) -> bool:
    if not may_be(claimed):
        return False
    again = isinstance(ending, Finished) and (ending.accepted.found or claimed.step.attempt > 1)
    return again or isinstance(ending, TryAgain)


def _open(change: Change, claimed: Claimed) -> Iterator[tuple[Risk, str]]:
    """The open risks of this revision of the step, each with the id that came late."""
    told = Checkpoint.objects.filter(task=change.task, item_key=claimed.item.key, step=claimed.step.name)
    data = told.filter(kind=Kind.RISK).values_list("data", flat=True)
    key = claimed.step.idempotency_key
    late = {one["risk"]: one.get("external_id", "") for one in data if one.get("key") == key}
    risks = Risk.objects.filter(pk__in=late, task=change.task, raised_by=Risk.BY_ENGINE, closed_at=None)
    return ((risk, late[risk.pk]) for risk in list(risks))


def _close(change: Change, claimed: Claimed, risk: Risk, why: str) -> None:
    Risk.objects.filter(pk=risk.pk).update(closed_by=Risk.BY_ENGINE, closed_at=change.now, closed_why=why)
    _record(change, claimed, {"did": "close risk", "reason": why})


def _record(change: Change, claimed: Claimed, data: dict[str, object]) -> None:
    step = claimed.step
    change.record(Kind.RISK, item=claimed.item.key, step=step.name, attempt=step.attempt, data=data)


def _sentence(claimed: Claimed, now: Step, external_id: str) -> str:
    holes = {
        "step": claimed.step.name, "item": claimed.item.key, "attempt": claimed.step.attempt,
        "late": external_id or NO_ID, "other": now.external_id or NO_ID,
    }  # fmt: skip
    if now.status == S.STARTED:
        return AT_WORK(**holes)
    return (TWICE if now.executed_at or now.status == S.DONE else AFTER_ALL)(**holes)
