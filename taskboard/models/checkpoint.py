"""The journal: append-only, numbered without gaps."""

from collections.abc import Collection
from typing import Any, NoReturn, Self

from django.db import models
from django.utils.translation import gettext_lazy as _

from taskboard.errors import WrongState
from taskboard.models.literal import one_of
from taskboard.models.task import Task

UNREADABLE = "unreadable"
"""Where the data of a row stands that has not the shape of a row."""


class Kind(models.TextChoices):
    """What a journal row tells."""

    CREATED = "created", _("Task created")
    IMPORTED = "imported", _("Imported")
    ITEMS = "items", _("Items read")
    STATUS = "status", _("Status changed")
    INTENT = "intent", _("Started")
    EXECUTED = "executed", _("Accepted")
    RESULT = "result", _("Done")
    SKIPPED = "skipped", _("Skipped")
    FAILURE = "failure", _("Failed")
    RETRY = "retry", _("Will be tried again")
    INTERRUPTED = "interrupted", _("Interrupted")
    RECONCILE = "reconcile", _("Looked up")
    UNKNOWN = "unknown", _("Outcome unknown")
    LATE = "late", _("Late result")
    GO_BACK = "go_back", _("Went back")
    SUPERSEDED = "superseded", _("Superseded")
    ASKED = "asked", _("Approval asked")
    DECIDED = "decided", _("Decided")
    PICKED_UP = "picked_up", _("Decision picked up")
    VOID = "void", _("Approval void")
    WITHDRAWN = "withdrawn", _("Question withdrawn")
    EXPIRED = "expired", _("Question expired")
    BUDGET = "budget", _("Budget")
    RESUME = "resume", _("Resume")
    PERSON = "person", _("By a person")
    SAYS = "says", _("Says")
    RISK = "risk", _("Risk")
    NOTE = "note", _("Note")
    COMMENT = "comment", _("Comment")


MILESTONES = (
    Kind.CREATED, Kind.IMPORTED, Kind.STATUS, Kind.FAILURE, Kind.INTERRUPTED, Kind.UNKNOWN, Kind.ASKED, Kind.DECIDED,
    Kind.VOID, Kind.WITHDRAWN, Kind.EXPIRED, Kind.BUDGET, Kind.RESUME, Kind.PERSON, Kind.RISK, Kind.NOTE, Kind.COMMENT,
)  # fmt: skip
"""What is worth telling across all tasks: all but the ordinary course of steps."""
FAULTS = (Kind.FAILURE, Kind.RETRY, Kind.INTERRUPTED, Kind.UNKNOWN, Kind.LATE)
"""Rows that tell of something that went wrong."""


class CheckpointQuerySet(models.QuerySet["Checkpoint"]):
    """Rows can be added and read, nothing else."""

    def milestones(self) -> Self:
        """What is worth telling across all tasks, by its index, as the first table of a query."""
        return self.filter(one_of("taskboard_checkpoint.kind", MILESTONES))

    def faults(self) -> Self:
        """What tells of something that went wrong, by its index, as the first table of a query."""
        return self.filter(one_of("taskboard_checkpoint.kind", FAULTS))

    def people(self) -> Self:
        """What people did, by its index, as the first table of a query."""
        return self.filter(one_of("taskboard_checkpoint.kind", (Kind.PERSON,)))

    def update(self, **fields: Any) -> NoReturn:
        raise WrongState("The journal is append-only: its rows cannot be changed.")

    def delete(self) -> NoReturn:
        raise WrongState("The journal is append-only: only retention removes it, with the whole task.")


class Checkpoint(models.Model):
    """One journal row. It names item and step as text, so that it reads the same for ever."""

    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="journal", db_index=False)
    ordinal = models.PositiveBigIntegerField()
    at = models.DateTimeField()
    kind = models.CharField(max_length=20, choices=Kind)
    item_key = models.CharField(max_length=200, blank=True)
    step = models.CharField(max_length=100, blank=True)
    attempt = models.PositiveIntegerField(default=0)
    actor = models.CharField(max_length=150, blank=True)
    data = models.JSONField(default=dict, blank=True)

    objects = CheckpointQuerySet.as_manager()

    class Meta:
        ordering = ("task", "ordinal")
        constraints = (models.UniqueConstraint(fields=("task", "ordinal"), name="ordinal_once_per_task"),)
        indexes = (
            models.Index(
                fields=("task", "item_key", "ordinal"),
                name="checkpoint_by_item",
                condition=~models.Q(item_key=""),
            ),
            models.Index(
                fields=("task", "ordinal"),
                name="checkpoint_faults",
                condition=models.Q(kind__in=("failure", "retry", "interrupted", "unknown", "late")),
            ),
            models.Index(
                fields=("task", "ordinal"), name="checkpoint_resume", condition=models.Q(kind="resume")
            ),
            models.Index(
                fields=("task", "ordinal"),
                name="checkpoint_people",
                condition=models.Q(kind__in=("person",)),
            ),
            models.Index(
                fields=("id",),
                name="checkpoint_milestones",
                condition=models.Q(kind__in=[kind.value for kind in MILESTONES]),
            ),
        )

    def __str__(self) -> str:
        return f"{self.ordinal} {self.kind}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        if self.pk is not None:
            raise WrongState("The journal is append-only: its rows cannot be changed.")
        super().save(*args, **kwargs)

    def delete(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise WrongState("The journal is append-only: only retention removes it, with the whole task.")

    @classmethod
    def from_db(cls, db: str | None, field_names: Collection[str], values: Collection[Any]) -> Self:
        """A row of an unknown shape is shown as it is and hinders nobody who reads the others."""
        row = super().from_db(db, field_names, values)
        if not isinstance(row.__dict__.get("data", {}), dict):
            row.data = {UNREADABLE: row.data}
        return row
