"""A task and its items."""

from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from typing import Self

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.db import models
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from taskboard.money import to_usd

WHOLE_TASK = "_task"
"""Key of the item that the whole-task steps belong to; it has position 0 and counts in no progress."""


class TaskStatus(models.TextChoices):
    """Where a task stands."""

    PENDING = "pending", _("Pending")
    "Its items are still being read, or it waits in the queue."
    RUNNING = "running", _("Running")
    "Something is started, claimable, or due within a minute."
    WAITING = "waiting", _("Waiting")
    "For a person's answer, or for a later retry."
    PAUSED = "paused", _("Paused")
    "By a person: nothing more is claimed."
    BLOCKED = "blocked", _("Blocked")
    "Only unknown or blocked items are left, or there is no budget for the next step."
    COMPLETED = "completed", _("Completed")
    "All items are settled."
    FAILED = "failed", _("Failed")
    "It could not start, or a whole-task step gave up."
    CANCELLED = "cancelled", _("Cancelled")
    "By a person, for good."


OPEN_TASKS = (
    TaskStatus.PENDING,
    TaskStatus.RUNNING,
    TaskStatus.WAITING,
    TaskStatus.PAUSED,
    TaskStatus.BLOCKED,
)
FINISHED_TASKS = (TaskStatus.COMPLETED, TaskStatus.FAILED, TaskStatus.CANCELLED)


class LookFirst(models.TextChoices):
    """What was done since the backup is not in the rows: writes are looked up before they are sent."""

    ASK = "ask", _("Look it up; ask a person about what cannot be looked up")
    SEND = "send", _("Look it up; send what cannot be looked up")


class TaskQuerySet(models.QuerySet["Task"]):
    """Questions about tasks."""

    def visible_to(self, user: AbstractBaseUser | AnonymousUser) -> Self:
        """The tasks this person may see: the one place to narrow later."""
        return self if user.has_perm("taskboard.view_task") else self.none()  # type: ignore[union-attr]

    def past_its_time(self, now: datetime) -> Self:
        """Finished, and past their keeping time; whether they may go is for retention to say."""
        return self.filter(status__in=FINISHED_TASKS, expires_at__lte=now)


class Task(models.Model):
    """One run of a workflow over many items."""

    public_id = models.CharField(max_length=32, unique=True)
    workflow = models.CharField(max_length=100)
    workflow_version = models.CharField(max_length=64, blank=True)
    goal = models.TextField()
    plan = models.JSONField(default=list, blank=True)
    params = models.JSONField(default=dict, blank=True)
    status = models.CharField(max_length=20, choices=TaskStatus, default=TaskStatus.PENDING)
    reason = models.TextField(blank=True, help_text=_("Why it is in this status, where that is not plain."))
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="tasks"
    )
    created_by_name = models.CharField(max_length=150)
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    continues = models.ForeignKey(
        "self", null=True, blank=True, on_delete=models.SET_NULL, related_name="followers"
    )

    items_read = models.BooleanField(default=False, help_text=_("The source has been read to its end."))
    reader = models.CharField(max_length=120, blank=True)
    reader_until = models.DateTimeField(null=True, blank=True)
    held = models.BooleanField(
        default=False, help_text=_("Imported: nothing runs until a person resumes it.")
    )
    pause_requested_at = models.DateTimeField(null=True, blank=True)
    stop_after = models.JSONField(
        default=dict, blank=True, help_text=_("A step or a number of items, and who said so.")
    )
    frozen_systems = models.TextField(
        blank=True, default="", db_default="", help_text=_("Whose thaw its steps wait for.")
    )
    open_instructions = models.PositiveIntegerField(
        default=0, help_text=_("Instructions that no step has taken up yet.")
    )
    look_first = models.CharField(
        max_length=10,
        choices=LookFirst,
        blank=True,
        default="",
        db_default="",
        help_text=_("After a restore: whether a write is looked up before it is sent."),
    )
    queue_position = models.BigIntegerField(default=0)
    restart_count = models.PositiveIntegerField(default=0)
    resuming_until = models.DateTimeField(null=True, blank=True, help_text=_("One resumer at a time."))
    last_claim_at = models.DateTimeField(null=True, blank=True)
    last_completed_at = models.DateTimeField(null=True, blank=True)
    last_checkpoint = models.CharField(max_length=300, blank=True)
    last_ordinal = models.PositiveBigIntegerField(default=0)
    version = models.PositiveBigIntegerField(default=0)
    counts = models.JSONField(default=dict, blank=True)
    progress = models.PositiveSmallIntegerField(
        default=0, help_text=_("Settled items per thousand, from the counts: lists are sorted by it.")
    )
    stuck_items = models.PositiveIntegerField(
        default=0, help_text=_("Items that need a person, from the counts.")
    )
    says = models.TextField(blank=True)
    brief_note = models.TextField(blank=True, help_text=_("A line that people added to the brief."))
    brief = models.TextField(blank=True)

    limit_micro = models.BigIntegerField(null=True, blank=True)
    spent_micro = models.BigIntegerField(default=0)
    reserved_micro = models.BigIntegerField(default=0)
    out_of_budget = models.BooleanField(default=False)

    keep_for = models.DurationField(null=True, blank=True)
    expires_at = models.DateTimeField(null=True, blank=True)
    on_hold = models.BooleanField(default=False)
    hold_reason = models.TextField(blank=True)
    hold_by = models.CharField(max_length=150, blank=True, default="", db_default="")
    hold_until = models.DateTimeField(null=True, blank=True)
    archived = models.BooleanField(
        default=False,
        db_default=False,
        help_text=_("Read back from an archive, to be looked at; nothing of it can change."),
    )
    submit_token = models.CharField(max_length=64, null=True, blank=True, unique=True)
    untold = models.CharField(
        max_length=20, blank=True, help_text=_("A turn that the starter has not been told of.")
    )

    objects = TaskQuerySet.as_manager()

    class Meta:
        ordering = ("-id",)
        indexes = (
            models.Index(fields=("status", "queue_position"), name="task_by_status"),
            models.Index(fields=("expires_at",), name="task_by_expiry"),
            models.Index(fields=("status", "held", "stuck_items"), name="task_by_tab"),
        )
        permissions = (
            ("operate_task", _("Can start, steer and settle tasks")),
            ("change_budget", _("Can change a budget")),
            ("retain_task", _("Can hold and purge tasks")),
        )

    def __str__(self) -> str:
        return self.public_id

    def get_absolute_url(self) -> str:
        return reverse("taskboard:task", args=[self.public_id])

    @property
    def is_finished(self) -> bool:
        return self.status in FINISHED_TASKS

    @property
    def limit_usd(self) -> Decimal | None:
        return None if self.limit_micro is None else to_usd(self.limit_micro)

    @property
    def spent_usd(self) -> Decimal:
        return to_usd(self.spent_micro)

    @property
    def reserved_usd(self) -> Decimal:
        return to_usd(self.reserved_micro)

    @property
    def item_counts(self) -> Mapping[str, int]:
        """How many items stand in each status."""
        return self.counts.get("items", {})  # type: ignore[no-any-return]

    @property
    def step_counts(self) -> Mapping[str, Mapping[str, int]]:
        """How many steps of each name stand in each status."""
        return self.counts.get("steps", {})  # type: ignore[no-any-return]

    @property
    def step_costs(self) -> Mapping[str, int]:
        """What the steps of each name cost so far, in micro-USD."""
        return self.counts.get("costs", {})  # type: ignore[no-any-return]

    @property
    def unlisted(self) -> Mapping[str, int]:
        """Items that an imported document counts but does not list, per status."""
        return self.counts.get("unlisted", {})  # type: ignore[no-any-return]

    @property
    def total(self) -> int:
        return sum(self.item_counts.values())

    def steps_in(self, *statuses: str) -> int:
        """How many steps of any name stand in one of these statuses."""
        return sum(per.get(status, 0) for per in self.step_counts.values() for status in statuses)


class ItemStatus(models.TextChoices):
    """Where an item stands."""

    PENDING = "pending", _("Pending")
    "Nothing was begun."
    RUNNING = "running", _("Running")
    "Some step is started or can be."
    WAITING_APPROVAL = "waiting_approval", _("Waiting for approval")
    "A person has been asked."
    BLOCKED = "blocked", _("Blocked")
    "Its outcome is unknown, or it went back or killed its worker too often: a person is needed."
    DONE = "done", _("Done")
    "All its steps are done or were not needed."
    FAILED = "failed", _("Failed")
    "A step gave up."
    REJECTED = "rejected", _("Rejected")
    "A person said no."
    SKIPPED = "skipped", _("Skipped")
    "Only from an imported document: here an item whose steps were skipped is done."
    CANCELLED = "cancelled", _("Cancelled")
    "The task was cancelled first."


SETTLED_ITEMS = (
    ItemStatus.DONE, ItemStatus.FAILED, ItemStatus.REJECTED, ItemStatus.SKIPPED, ItemStatus.CANCELLED,
)  # fmt: skip


class ItemQuerySet(models.QuerySet["Item"]):
    """Questions about items."""

    def listed(self) -> Self:
        """The items that people count: all but the one that stands for the whole task."""
        return self.filter(position__gt=0)


class Item(models.Model):
    """One object of a task: a page, a ticket."""

    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="items", db_index=False)
    key = models.CharField(max_length=200)
    label = models.CharField(max_length=300, blank=True)
    position = models.PositiveBigIntegerField()
    status = models.CharField(max_length=20, choices=ItemStatus, default=ItemStatus.PENDING)
    stage = models.CharField(max_length=100, blank=True)
    params = models.JSONField(default=dict, blank=True)
    go_backs = models.PositiveIntegerField(default=0)
    cost_micro = models.BigIntegerField(default=0, help_text=_("What its steps cost so far."))
    updated_at = models.DateTimeField()

    objects = ItemQuerySet.as_manager()

    class Meta:
        ordering = ("position",)
        constraints = (
            models.UniqueConstraint(fields=("task", "key"), name="item_key_once_per_task"),
            models.UniqueConstraint(fields=("task", "position"), name="item_position_once_per_task"),
        )
        indexes = (
            models.Index(fields=("task", "status", "position"), name="item_by_status"),
            models.Index(fields=("task", "cost_micro", "id"), name="item_by_cost"),
            models.Index(
                fields=("key", "id"), name="item_by_key", opclasses=("varchar_pattern_ops", "int8_ops")
            ),
        )

    def __str__(self) -> str:
        return self.key

    def get_absolute_url(self) -> str:
        return reverse("taskboard:item", args=[self.task.public_id, self.key])

    @property
    def is_whole_task(self) -> bool:
        return self.position == 0
