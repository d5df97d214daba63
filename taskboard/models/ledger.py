"""Amounts spent: integers, each with a source that can be charged once."""

from django.db import models

from taskboard.models.task import Item, Task


class LedgerEntry(models.Model):
    """One amount. `source` names what was paid, so that a retry cannot charge it twice."""

    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="ledger")
    item = models.ForeignKey(Item, null=True, blank=True, on_delete=models.CASCADE, related_name="+")
    step = models.CharField(max_length=100, blank=True)
    at = models.DateTimeField()
    amount_micro = models.BigIntegerField()
    estimated = models.BooleanField(default=False)
    model = models.CharField(max_length=100, blank=True)
    calls = models.PositiveIntegerField(default=0)
    tokens_in = models.PositiveBigIntegerField(default=0)
    tokens_out = models.PositiveBigIntegerField(default=0)
    seconds = models.FloatField(default=0)
    source = models.CharField(max_length=250, unique=True)
    note = models.CharField(max_length=300, blank=True)

    class Meta:
        ordering = ("id",)
        verbose_name_plural = "ledger entries"
        indexes = (
            models.Index(fields=("task",), name="ledger_estimated", condition=models.Q(estimated=True)),
        )

    def __str__(self) -> str:
        return self.source
