"""What a task used: amounts, calls and tokens per model, and what of it is only estimated."""

from typing import Any

from django.db.models import Q, Sum

from taskboard.models import LedgerEntry, Task
from taskboard.money import to_usd

FIGURES = ("calls", "tokens_in", "tokens_out", "seconds")


def per_model(task: Task) -> list[dict[str, Any]]:
    """One entry per model, by name; what belongs to no model comes first, without a name."""
    sums = {name: Sum(name) for name in FIGURES}
    estimated = Sum("amount_micro", filter=Q(estimated=True), default=0)
    rows = LedgerEntry.objects.filter(task=task).order_by("model").values("model")
    return [
        {
            "model": row["model"],
            "usd": str(to_usd(row["micro"])),
            "estimated_usd": str(to_usd(row["estimate"])),
        }
        | {name: row[name] for name in FIGURES}
        for row in rows.annotate(micro=Sum("amount_micro"), estimate=estimated, **sums)
    ]


def estimated_micro(task: Task) -> int:
    """How much of what is spent stands for what lost attempts did not report."""
    entries = LedgerEntry.objects.filter(task=task, estimated=True)
    return entries.aggregate(sum=Sum("amount_micro"))["sum"] or 0
