"""Who answers in whose place, what administrators changed about a policy, and what happened to a question."""

from datetime import datetime
from decimal import Decimal
from typing import Self

from django.conf import settings
from django.contrib.auth.models import User
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from approvals.rights import DECIDE

LONGEST_WINDOW_HOURS = 30 * 24


class OnExpiry(models.TextChoices):
    """What it means if nobody answers in time."""

    ESCALATE = "escalate", _("It is asked of the group named for that")
    REJECT = "reject", _("It counts as a no")
    APPROVE = "approve", _("It counts as a yes, without a person")


class PolicyOverride(models.Model):
    """What an administrator says instead of the workflow; empty fields leave the workflow's own word. Questions
    keep the policy that they were asked with."""

    workflow = models.CharField(_("Workflow"), max_length=100)
    step = models.CharField(
        _("Step"), max_length=100, blank=True, help_text=_("Empty: the question to raise the budget.")
    )
    group = models.CharField(_("Group"), max_length=150, blank=True)
    needed = models.PositiveSmallIntegerField(
        _("How many have to agree"), null=True, blank=True, validators=[MinValueValidator(1)]
    )
    then_group = models.CharField(
        _("Then also this group"),
        max_length=150,
        blank=True,
        help_text=_("It is asked once the first has agreed."),
    )
    then_needed = models.PositiveSmallIntegerField(
        _("How many of it"), default=1, validators=[MinValueValidator(1)]
    )
    above_usd = models.DecimalField(
        _("Above this amount in USD"), max_digits=18, decimal_places=6, null=True, blank=True,
        validators=[MinValueValidator(Decimal(0))],
    )  # fmt: skip
    above_group = models.CharField(_("also this group"), max_length=150, blank=True)
    veto = models.BooleanField(
        _("One no decides"), null=True, blank=True,
        help_text=_("Otherwise as many noes decide as yeses are needed."),
    )  # fmt: skip
    starter_may_decide = models.BooleanField(_("The starter may decide"), null=True, blank=True)
    window_hours = models.PositiveIntegerField(
        _("Hours to answer"), null=True, blank=True,
        validators=[MinValueValidator(1), MaxValueValidator(LONGEST_WINDOW_HOURS)],
    )  # fmt: skip
    on_expiry = models.CharField(_("Without an answer"), max_length=10, choices=OnExpiry, blank=True)
    escalate_to = models.CharField(_("Escalate to"), max_length=150, blank=True)
    version = models.PositiveIntegerField(default=0, editable=False)
    changed_by_name = models.CharField(max_length=150, blank=True, editable=False)
    changed_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ("workflow", "step")
        constraints = (models.UniqueConstraint(fields=("workflow", "step"), name="one_override_per_step"),)

    def __str__(self) -> str:
        return f"{self.workflow}.{self.step or 'budget'}"


class AbsenceQuerySet(models.QuerySet["Absence"]):
    """Questions about absences."""

    def current(self, now: datetime) -> Self:
        return self.filter(since__lte=now, until__gt=now)

    def stood_in_for(self, substitute: int | None, now: datetime) -> list[User]:
        """The people in whose place this person answers now; those who have lost their own account or right
        cannot be represented."""
        away = self.current(now).filter(substitute=substitute, user__is_active=True).select_related("user")
        people = {absence.user_id: absence.user for absence in away}
        return [user for user in people.values() if user.has_perm(DECIDE)]


class Absence(models.Model):
    """A person is away, and somebody else answers in their place. Rows stay: they say by which right it was."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="absences")
    substitute = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="substitutes_for"
    )
    since = models.DateTimeField()
    until = models.DateTimeField()
    set_by_name = models.CharField(max_length=150)

    objects = AbsenceQuerySet.as_manager()

    class Meta:
        ordering = ("-id",)

    def __str__(self) -> str:
        return f"{self.user} → {self.substitute}"


class Event(models.Model):
    """Something that happened to a question beside its answers: its trail, in the order in which it was."""

    class What(models.TextChoices):
        COMMENT = "comment", _("Comment")
        PASSED_ON = "passed_on", _("Passed on")
        NEXT_STAGE = "next_stage", _("Asked of the next group")
        REMINDED = "reminded", _("Reminded")
        TAKEN_BACK = "taken_back", _("Answer taken back")
        WITHDRAWN = "withdrawn", _("Withdrawn by a person")
        KICKED = "kicked", _("Handed over by a person")

    approval = models.ForeignKey(
        "approvals.Approval", on_delete=models.CASCADE, related_name="events", db_index=False
    )
    what = models.CharField(max_length=12, choices=What)
    at = models.DateTimeField()
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    by_name = models.CharField(max_length=150, blank=True)
    text = models.TextField(blank=True)
    data = models.JSONField(default=dict, blank=True)

    class Meta:
        ordering = ("id",)
        indexes = (
            models.Index(fields=("approval", "id"), name="event_by_approval"),
            models.Index(fields=("at",), name="event_passed_on", condition=Q(what="passed_on")),
        )

    def __str__(self) -> str:
        return f"{self.approval_id}: {self.what}"


class Reminder(models.Model):
    """When those who may answer are told that so much of the time is over; each once."""

    approval = models.ForeignKey(
        "approvals.Approval", on_delete=models.CASCADE, related_name="reminders", db_index=False
    )
    share = models.PositiveSmallIntegerField(help_text=_("Of the time to answer, in percent."))
    due_at = models.DateTimeField()
    sent_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("id",)
        indexes = (
            models.Index(fields=("approval",), name="reminder_by_approval"),
            models.Index(fields=("due_at",), name="reminder_due", condition=Q(sent_at=None)),
        )

    def __str__(self) -> str:
        return f"{self.approval_id}: {self.share} %"
