"""Spending: what is charged, once, and what is left."""

import hashlib
import math
from dataclasses import replace
from typing import Any

from django.db.models import F

from taskboard.change import Change
from taskboard.cleaning import clean_text
from taskboard.models import Item, Kind, LedgerEntry, Step, Task
from taskboard.money import to_micro, to_usd
from taskboard.outcomes import Usage

WARN_AT = 80
"""Percent of the limit at which the journal and the page say so."""
MOST = 2**31 - 1
LONGEST_SOURCE = 250


def left_micro(task: Task) -> int | None:
    """What may still be claimed, or None without a limit."""
    return None if task.limit_micro is None else task.limit_micro - task.spent_micro - task.reserved_micro


def charge(
    change: Change, step: Step, item: Item, usage: Usage, source: str, *, estimated: bool = False
) -> int:
    """Add what an attempt consumed to the ledger; the same source of the same attempt is charged once.
    Returns the micro-USD charged now."""
    usage = checked(usage)
    micro = to_micro(usage.usd)
    entry, created = LedgerEntry.objects.get_or_create(
        source=_source(f"{change.task.public_id}:{step.pk}:{step.attempt}:{source}"),
        defaults={
            "task": change.task, "item": item, "step": step.name, "at": change.now, "amount_micro": micro,
            "estimated": estimated, "model": usage.model, "calls": usage.calls, "tokens_in": usage.tokens_in,
            "tokens_out": usage.tokens_out, "seconds": usage.seconds,
        },
    )  # fmt: skip
    if not created:
        return 0
    _spent(change, entry.amount_micro)
    Step.objects.filter(pk=step.pk).update(cost_micro=F("cost_micro") + entry.amount_micro)
    return entry.amount_micro


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
    """Figures for the record: what is none, or not finite, counts as 0."""
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
