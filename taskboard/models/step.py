"""A step of an item, with its lease."""

from collections.abc import Mapping
from datetime import datetime
from functools import cache
from typing import Any, Self

from django.db import models
from django.db.models import Q
from django.db.models.base import ModelState
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from taskboard.models.literal import not_empty, one_of
from taskboard.models.task import Item, Task


class StepStatus(models.TextChoices):
    """Where a step stands."""

    PENDING = "pending", _("Pending")
    "It can be claimed when it is due."
    STARTED = "started", _("Running")
    "A worker holds it by a lease, or died while it did."
    WAITING_APPROVAL = "waiting_approval", _("Waiting for approval")
    "A person has been asked."
    UNKNOWN = "unknown", _("Outcome unknown")
    "Begun, and nobody but a person can find out what came of it."
    BLOCKED = "blocked", _("Blocked")
    "Not tried again by itself: it killed its worker, or went back too often."
    DONE = "done", _("Done")
    "Its result is proven."
    FAILED = "failed", _("Failed")
    "It gave up; a person may try it again."
    REJECTED = "rejected", _("Rejected")
    "A person said no."
    SKIPPED = "skipped", _("Skipped")
    "It was not needed."
    SUPERSEDED = "superseded", _("Superseded")
    "A later revision took its place."
    CANCELLED = "cancelled", _("Cancelled")
    "The task was cancelled first."


OPEN_STEPS = (
    StepStatus.PENDING, StepStatus.STARTED, StepStatus.WAITING_APPROVAL, StepStatus.UNKNOWN, StepStatus.BLOCKED,
)  # fmt: skip
NEEDY_STEPS = (StepStatus.UNKNOWN, StepStatus.BLOCKED, StepStatus.FAILED)
"""Those that go on only if a person does something."""
PASSED_STEPS = (StepStatus.DONE, StepStatus.SKIPPED)


class StepQuerySet(models.QuerySet["Step"]):
    """Questions about steps."""

    def current(self) -> Self:
        """Without those that a later revision replaced."""
        return self.exclude(status=StepStatus.SUPERSEDED)

    def needy(self) -> Self:
        """Those that need a person, by their index, as the first table of a query."""
        return self.filter(one_of("taskboard_step.status", NEEDY_STEPS))

    def led_to(self, external_id: str) -> Self:
        """Those whose change outside has this id, such as the number of a ticket; found by their index."""
        return self.filter(not_empty("taskboard_step.external_id"), external_id=external_id)

    def due(self, now: datetime) -> Self:
        """Those that may be claimed now."""
        return self.filter(
            Q(due_at=None) | Q(due_at__lte=now),
            Q(lease_until=None) | Q(lease_until__lt=now),
            status=StepStatus.PENDING,
        )


class Step(models.Model):
    """One step of one item. Rows exist for the steps that an item has reached."""

    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="steps", db_index=False)
    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="steps", db_index=False)
    name = models.CharField(max_length=100)
    revision = models.PositiveIntegerField(default=1)
    position = models.PositiveBigIntegerField(help_text=_("The item's: earlier items go first."))
    status = models.CharField(max_length=20, choices=StepStatus, default=StepStatus.PENDING)
    attempt = models.PositiveIntegerField(default=0)
    failures = models.PositiveIntegerField(
        default=0, help_text=_("Attempts that failed since it was last asked for.")
    )
    deaths = models.PositiveIntegerField(default=0, help_text=_("Attempts whose worker died."))
    idempotency_key = models.CharField(max_length=350, null=True, blank=True, unique=True)
    external_id = models.CharField(max_length=300, blank=True)
    summary = models.TextField(blank=True)
    outputs = models.JSONField(null=True, blank=True)
    error = models.TextField(blank=True)
    error_class = models.CharField(max_length=100, blank=True)
    action = models.JSONField(null=True, blank=True, help_text=_("What a person approved, exactly."))
    action_sha256 = models.CharField(max_length=64, blank=True)
    due_at = models.DateTimeField(null=True, blank=True)
    lease_owner = models.CharField(max_length=120, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)
    started_at = models.DateTimeField(null=True, blank=True)
    executed_at = models.DateTimeField(null=True, blank=True)
    verified_at = models.DateTimeField(null=True, blank=True)
    verified_how = models.TextField(blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    checked_at = models.DateTimeField(null=True, blank=True, help_text=_("When the fact was true."))
    cost_micro = models.BigIntegerField(default=0)
    reserved_micro = models.BigIntegerField(default=0)

    objects = StepQuerySet.as_manager()

    class Meta:
        ordering = ("position", "id")
        constraints = (
            models.UniqueConstraint(fields=("item", "name", "revision"), name="step_once_per_revision"),
        )
        indexes = (
            models.Index(fields=("task", "name", "status", "position"), name="step_by_place"),
            models.Index(
                fields=("task", "position", "id"), name="step_pending", condition=Q(status="pending")
            ),
            models.Index(fields=("lease_until",), name="step_leased", condition=Q(status="started")),
            models.Index(fields=("external_id",), name="step_by_external_id", condition=~Q(external_id="")),
            models.Index(
                fields=("status", "task"),
                name="step_needs_person",
                condition=Q(status__in=("unknown", "blocked", "failed")),
            ),
        )

    def __str__(self) -> str:
        return f"{self.item_id}.{self.name}"

    @classmethod
    def fresh(cls, **columns: Any) -> Self:
        """A new step by the names of its columns. A batch makes hundreds, and Django's constructor, which asks
        every field, would cost more than inserting them."""
        step = cls.__new__(cls)
        step.__dict__.update(_defaults(), _state=ModelState(), **columns)
        return step

    @property
    def is_open(self) -> bool:
        return self.status in OPEN_STEPS

    @property
    def whether_sent(self) -> str:
        """What is known of a write that is not done: nothing went out, the answer was lost, or it was accepted
        and cannot be seen."""
        if self.status == StepStatus.UNKNOWN and self.error_class == "EffectHeld":
            return gettext("Not sent from here: another step may have done the same already.")
        if self.status == StepStatus.UNKNOWN and self.error_class == "Restored":
            return gettext("Not sent from here: it may have been done after the backup.")
        if self.status == StepStatus.UNKNOWN and self.was_accepted:
            return gettext("Accepted outside, but it cannot be seen where it should be.")
        if self.status == StepStatus.UNKNOWN:
            return gettext("Sent, and the answer was lost: it may have happened.")
        if self.error_class == "NotSent" and self.status in (StepStatus.FAILED, StepStatus.PENDING):
            return gettext("Not sent: surely nothing went out, so it can simply be tried again.")
        return ""

    @property
    def was_accepted(self) -> bool:
        """By this attempt, not by an earlier one."""
        return bool(self.executed_at and self.started_at and self.executed_at >= self.started_at)


@cache
def _defaults() -> Mapping[str, Any]:
    return {field.attname: field.get_default() for field in Step._meta.concrete_fields}
