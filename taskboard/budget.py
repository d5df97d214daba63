"""Spending: what is charged, once, and what is left."""

import hashlib
import math
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from django.db.models import F, QuerySet, Sum

from taskboard.change import Change
from taskboard.cleaning import clean_text
from taskboard.models import Item, Kind, LedgerEntry, Step, Task
from taskboard.money import to_micro, to_usd
from taskboard.outcomes import Usage

WARN_AT = 80
"""Percent of the limit at which the journal and the page say so."""
MOST = 2**31 - 1
LONGEST_SOURCE = 250
ESTIMATE = "~lost"
"""Source of the row that stands for what a lost attempt did not report."""


def left_micro(task: Task) -> int | None:
    """What may still be claimed, or None without a limit."""
    return None if task.limit_micro is None else task.limit_micro - task.spent_micro - task.reserved_micro


def charge(change: Change, step: Step, item: Item, usage: Usage, source: str) -> int:
    """Add what an attempt consumed to the ledger; the same source of the same attempt is charged once.
    Returns the micro-USD charged now."""
    micro = _enter(change, step, item, usage, source)
    _add(change, step, micro)
    return micro


def settle_lost(change: Change, step: Step, item: Item) -> int:
    """The attempt was given up: its reservation ends, and what it has not reported of it is charged as an
    estimate. Returns the micro-USD charged."""
    reserved = step.reserved_micro
    if not reserved:
        return 0
    change.reserve(-reserved)
    Step.objects.filter(pk=step.pk).update(reserved_micro=0)
    step.reserved_micro = 0
    missing = max(0, reserved - _sum(_entries(change, step)))
    if missing:
        _estimate(change, step, item, missing, ESTIMATE)
        _add(change, step, missing)
    return missing


def free(change: Change, steps: Iterable[Step]) -> None:
    """Nothing is set aside for these steps any more; the caller writes that into their rows."""
    reserved = sum(step.reserved_micro for step in steps)
    if reserved:
        change.reserve(-reserved)


def charge_late(
    change: Change, step: Step, item: Item, usage: Usage | None, source: str, *, last: bool = False
) -> int:
    """What an attempt reports that may have been given up: the estimate gives way to what is known now, and
    wholly to its last word. Rows are only added. Returns by how much the sum changed."""
    micro = _enter(change, step, item, usage, source) if usage else 0
    left = _sum(_entries(change, step).filter(estimated=True))
    back = left if last else min(left, micro)
    if back:
        _estimate(change, step, item, -back, f"{ESTIMATE}:{source}")
    _add(change, step, micro - back)
    return micro - back


def _enter(change: Change, step: Step, item: Item, usage: Usage, source: str) -> int:
    """A row of the ledger; 0 if it is there already."""
    usage = checked(usage)
    micro = to_micro(usage.usd)
    _entry, created = LedgerEntry.objects.get_or_create(
        source=_source(_prefix(change, step) + source),
        defaults={
            "task": change.task, "item": item, "step": step.name, "at": change.now, "amount_micro": micro,
            "model": usage.model, "calls": usage.calls, "tokens_in": usage.tokens_in,
            "tokens_out": usage.tokens_out, "seconds": usage.seconds,
        },
    )  # fmt: skip
    return micro if created else 0


def _estimate(change: Change, step: Step, item: Item, micro: int, source: str) -> None:
    """A row that stands for what an attempt did not report, or takes such a row back; journaled."""
    LedgerEntry.objects.create(
        source=_source(_prefix(change, step) + source), task=change.task, item=item, step=step.name,
        at=change.now, amount_micro=micro, estimated=True,
    )  # fmt: skip
    data = {"estimated_micro": micro, "estimated_usd": str(to_usd(micro))}
    change.record(Kind.BUDGET, item=item.key, step=step.name, attempt=step.attempt, data=data)


def _add(change: Change, step: Step, micro: int) -> None:
    if micro:
        _spent(change, micro)
        change.count_cost(step.name, micro)
        Step.objects.filter(pk=step.pk).update(cost_micro=F("cost_micro") + micro)
        Item.objects.filter(pk=step.item_id).update(cost_micro=F("cost_micro") + micro)


def _entries(change: Change, step: Step) -> "QuerySet[LedgerEntry]":
    """What this attempt has charged so far."""
    return LedgerEntry.objects.filter(item=step.item_id, source__startswith=_prefix(change, step))


def _sum(entries: "QuerySet[LedgerEntry]") -> int:
    return entries.aggregate(sum=Sum("amount_micro"))["sum"] or 0


def _prefix(change: Change, step: Step) -> str:
    return f"{change.task.public_id}:{step.pk}:{step.attempt}:"


def charge_task(change: Change, micro: int, source: str) -> None:
    """Charge what belongs to no step, such as reading the source."""
    _entry, created = LedgerEntry.objects.get_or_create(
        source=_source(f"{change.task.public_id}:{source}"),
        defaults={"task": change.task, "at": change.now, "amount_micro": micro},
    )
    if created:
        _spent(change, micro)


def checked(usage: Usage) -> Usage:
    """The usage with an amount that is one (raises BadInput with its field) and figures that can be stored."""
    to_micro(usage.usd, "usage.usd")
    return replace(
        usage, model=clean_text(usage.model, 100), calls=_figure(usage.calls), tokens_in=_figure(usage.tokens_in),
        tokens_out=_figure(usage.tokens_out), seconds=_figure(usage.seconds),
    )  # fmt: skip


def _figure(number: Any) -> Any:
    """Figures for the record: anything that is not a finite number counts as 0."""
    known = isinstance(number, (int, float)) and math.isfinite(number)
    return max(0, min(number, MOST)) if known else 0


def _source(name: str) -> str:
    """What is charged once, by its whole name."""
    clean = clean_text(name)
    if len(clean) <= LONGEST_SOURCE:
        return clean
    return f"{clean[: LONGEST_SOURCE - 65]}:{hashlib.sha256(clean.encode()).hexdigest()}"


def _spent(change: Change, micro: int) -> None:
    before = _percent(change.task)
    change.spend(micro)
    if before < WARN_AT <= _percent(change.task):
        change.record(
            Kind.BUDGET, data={"warning": WARN_AT, "spent_usd": str(to_usd(change.task.spent_micro))}
        )


def _percent(task: Task) -> int:
    return 100 * task.spent_micro // task.limit_micro if task.limit_micro else 0
