"""Questions to people, and what each person said."""

from datetime import datetime
from typing import Any, Self

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from approvals.bulk_models import BulkDecision as BulkDecision
from approvals.bulk_models import BulkDecisionRow as BulkDecisionRow
from approvals.bulk_models import Handling as Handling
from approvals.notices_models import Delivery as Delivery
from approvals.notices_models import Notice as Notice
from approvals.notices_models import NoticeKind as NoticeKind
from approvals.notices_models import NoticePreference as NoticePreference
from approvals.notices_models import Webhook as Webhook
from approvals.policy_models import Absence as Absence
from approvals.policy_models import Event as Event
from approvals.policy_models import PolicyOverride as PolicyOverride
from approvals.policy_models import Reminder as Reminder
from taskboard.models import Step, Task

Viewer = AbstractBaseUser | AnonymousUser


class ApprovalStatus(models.TextChoices):
    """Where a question stands."""

    OPEN = "open", _("Open")
    "Somebody has to answer; past its deadline nobody can."
    APPROVED = "approved", _("Approved")
    "The exact action may be carried out."
    REJECTED = "rejected", _("Rejected")
    "A person said no, with a reason."
    CHANGES_REQUESTED = "changes_requested", _("Changes requested")
    "A person wants another proposal."
    EXPIRED = "expired", _("Expired")
    "Nobody answered in time; there is no deciding person."
    WITHDRAWN = "withdrawn", _("Withdrawn")
    "It is no longer needed: the task was cancelled, or the step is gone."
    VOID = "void", _("Void")
    "The action changed after it was asked; a new question took its place."


DECIDED = (ApprovalStatus.APPROVED, ApprovalStatus.REJECTED, ApprovalStatus.CHANGES_REQUESTED)


class Outcome(models.TextChoices):
    """What a person may say, and what follows for the step."""

    APPROVE = "approve", _("Approve")
    REJECT = "reject", _("Reject")
    CHANGES = "changes", _("Ask for changes")


class ApprovalKind(models.TextChoices):
    """What a question is about."""

    STEP = "step", _("Step")
    BUDGET = "budget", _("Budget")


class Source(models.TextChoices):
    """Where a question comes from."""

    WORKFLOW = "workflow", _("Workflow")
    IMPORTED = "imported", _("Imported")


_OWED = Q(picked_up_at=None) & ~Q(verdict="") & ~Q(status=ApprovalStatus.VOID)


class ApprovalQuerySet(models.QuerySet["Approval"]):
    """Questions about questions."""

    def visible_to(self, user: Viewer) -> Self:
        """The questions this person may read: the one place to narrow later."""
        return self if user.has_perm("approvals.view_approval") else self.none()  # type: ignore[union-attr]

    def open(self, now: datetime) -> Self:
        """Those that can be answered at this moment, whether a sweep has run or not."""
        return self.filter(Q(expires_at=None) | Q(expires_at__gt=now), status=ApprovalStatus.OPEN, held=False)

    def unanswered(self, now: datetime) -> Self:
        """Open ones, and imported ones that wait for their workflow to ask them again."""
        return self.filter(
            Q(expires_at=None) | Q(expires_at__gt=now) | Q(held=True), status=ApprovalStatus.OPEN
        )

    def overdue(self, now: datetime) -> Self:
        """Past their deadline, and not closed by a sweep yet."""
        return self.filter(status=ApprovalStatus.OPEN, held=False, expires_at__lte=now)

    def undelivered(self, now: datetime | None = None) -> Self:
        """Their verdict is known, and the resumer has not handed it over yet; with `now`, those that may be."""
        owed = self.filter(_OWED)
        return owed if now is None else owed.filter(Q(hand_over_at=None) | Q(hand_over_at__lte=now))

    def alive(self) -> Self:
        """Those that can still let a step go on: open to an answer, or answered and not handed over."""
        return self.filter(Q(status=ApprovalStatus.OPEN, held=False) | _OWED)

    def inbox_of(self, user: Viewer, now: datetime) -> Self:
        """Open questions that this person may decide; the same rules as `rules.refusal`, as a query."""
        if not user.has_perm("approvals.decide_approval"):  # type: ignore[union-attr]
            return self.none()
        may = _named(user.pk, user.groups.values("name"))  # type: ignore[union-attr]
        for one in Absence.objects.stood_in_for(user.pk, now):
            may |= _named(one.pk, one.groups.values("name")) & ~_started_by(one) & ~_answered_by(one.pk)
        return (
            self.open(now)
            .filter(may & ~_started_by(user) & ~_answered_by(user.pk))
            .exclude(passed_on_by=user.pk)
        )


def _named(user: int | None, groups: Any) -> Q:
    """Asked of this person, or of a group that they are in."""
    return Q(assignee=user) | Q(assignee=None, group_name__in=groups)


def _started_by(user: Viewer) -> Q:
    named = Q(task__created_by=user.pk) | Q(task__created_by=None, task__created_by_name=user.get_username())
    return Q(starter_may_decide=False) & named


def _answered_by(user: int | None) -> Q:
    return Q(pk__in=Vote.objects.filter(user=user, counts=True).values("approval"))


class Approval(models.Model):
    """One question, the exact action it would allow, and the answer. A decided row with `picked_up_at`
    empty is its own outbox: the resumer owes work."""

    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="approvals", db_index=False)
    step = models.ForeignKey(Step, null=True, blank=True, on_delete=models.CASCADE, related_name="approvals")
    kind = models.CharField(max_length=10, choices=ApprovalKind, default=ApprovalKind.STEP)
    source = models.CharField(max_length=10, choices=Source, default=Source.WORKFLOW)
    held = models.BooleanField(default=False, help_text=_("Imported: readable, not to be decided yet."))
    predecessor = models.OneToOneField(
        "self", null=True, blank=True, on_delete=models.SET_NULL, related_name="successor"
    )
    item_key = models.CharField(max_length=200, blank=True)
    step_name = models.CharField(max_length=100, blank=True)
    revision = models.PositiveIntegerField(default=1)
    workflow_version = models.CharField(max_length=64, blank=True)
    status = models.CharField(max_length=20, choices=ApprovalStatus, default=ApprovalStatus.OPEN)

    action = models.TextField(help_text=_("What would be done, in one sentence."))
    consequence = models.TextField(blank=True)
    target = models.TextField(blank=True)
    before = models.TextField(blank=True)
    after = models.TextField(blank=True)
    amount_micro = models.BigIntegerField(null=True, blank=True)
    impact = models.BigIntegerField(null=True, blank=True)
    impact_label = models.CharField(max_length=100, blank=True, help_text=_("What the impact counts."))
    evidence = models.JSONField(default=list, blank=True)
    payload = models.JSONField(default=dict, blank=True, help_text=_("What would be executed, exactly."))
    payload_sha256 = models.CharField(max_length=64, blank=True)
    editable = models.JSONField(default=list, blank=True)

    policy = models.JSONField(default=dict, blank=True)
    policy_sha256 = models.CharField(max_length=64, blank=True)
    stage = models.PositiveSmallIntegerField(
        default=0, help_text=_("Which of the policy's groups is asked now.")
    )
    group_name = models.CharField(max_length=150, help_text=_("The group that may decide."))
    assignee = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    assignee_name = models.CharField(max_length=150, blank=True, help_text=_("Passed on to this person."))
    passed_on_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    proposed_by = models.CharField(
        max_length=100, blank=True, help_text=_("The step that made the proposal.")
    )
    starter_may_decide = models.BooleanField(default=False)
    requested_at = models.DateTimeField()
    requested_by_name = models.CharField(max_length=150, blank=True)
    visible_at = models.DateTimeField(null=True, blank=True, help_text=_("The window counts from here."))
    expires_at = models.DateTimeField(null=True, blank=True)

    closed_at = models.DateTimeField(null=True, blank=True, help_text=_("When it stopped being open."))
    decided_at = models.DateTimeField(null=True, blank=True)
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="decisions"
    )
    decided_by_name = models.CharField(max_length=150, blank=True)
    decided_with = models.CharField(max_length=200, blank=True, help_text=_("The right that was used."))
    reason = models.TextField(blank=True)
    decided_payload = models.JSONField(null=True, blank=True)
    decided_sha256 = models.CharField(max_length=64, blank=True)
    verdict = models.CharField(
        max_length=10, choices=Outcome, blank=True, help_text=_("What follows for the step.")
    )
    hand_over_at = models.DateTimeField(
        null=True, blank=True, help_text=_("Until then the answer can be taken back.")
    )
    picked_up_at = models.DateTimeField(null=True, blank=True)

    objects = ApprovalQuerySet.as_manager()

    class Meta:
        ordering = ("id",)
        permissions = (
            ("decide_approval", _("Can decide, within the policy of the question")),
            ("route_approval", _("Can pass on questions of others")),
        )
        constraints = (
            models.UniqueConstraint(fields=("step",), name="one_open_per_step", condition=Q(status="open")),
            models.UniqueConstraint(
                fields=("task",), name="one_open_budget_question", condition=Q(status="open", kind="budget")
            ),
        )
        indexes = (
            models.Index(fields=("task", "status"), name="approval_by_task"),
            models.Index(fields=("expires_at", "id"), name="approval_open", condition=Q(status="open")),
            models.Index(fields=("closed_at", "id"), name="approval_closed"),
            models.Index(fields=("id",), name="approval_undelivered", condition=_OWED),
        )

    def __str__(self) -> str:
        return f"{self.pk}: {self.action[:60]}"

    def get_absolute_url(self) -> str:
        return reverse("approvals:approval", args=[self.pk])

    @property
    def is_open(self) -> bool:
        """Can be answered now: open, asked by its workflow, and in time."""
        return self.status == ApprovalStatus.OPEN and not self.held and not self.is_overdue

    @property
    def is_overdue(self) -> bool:
        return bool(
            self.status == ApprovalStatus.OPEN and self.expires_at and self.expires_at <= timezone.now()
        )

    @property
    def shown_status(self) -> str:
        """The status as people see it: past the deadline it is expired, whether a sweep has run or not."""
        return ApprovalStatus.EXPIRED if self.is_overdue and not self.held else self.status

    @property
    def is_owed(self) -> bool:
        """Answered, and not handed over yet."""
        return bool(self.verdict) and self.picked_up_at is None and self.status != ApprovalStatus.VOID

    @property
    def sealed(self) -> tuple[dict[str, Any], str]:
        """What was agreed to, and its digest: the edited action if it was edited, else the one asked."""
        if self.decided_payload is not None:
            return self.decided_payload, self.decided_sha256
        return self.payload, self.payload_sha256

    @property
    def stages(self) -> list[dict[str, Any]]:
        """The groups that have to agree, in their order, each with how many of it."""
        alone = {"group": self.group_name, "needed": self.policy.get("needed", 1)}
        return self.policy.get("stages") or [alone]

    @property
    def needed(self) -> int:
        """How many of the group that is asked now."""
        return int(self.stages[min(self.stage, len(self.stages) - 1)]["needed"])


class Vote(models.Model):
    """What one person said to one question; `counts` is false once it was taken back."""

    approval = models.ForeignKey(Approval, on_delete=models.CASCADE, related_name="votes", db_index=False)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="votes"
    )
    user_name = models.CharField(max_length=150)
    outcome = models.CharField(max_length=10, choices=Outcome)
    reason = models.TextField(blank=True)
    at = models.DateTimeField()
    digest = models.CharField(max_length=64)
    stage = models.PositiveSmallIntegerField(default=0)
    given_with = models.CharField(max_length=200, blank=True, help_text=_("The right that was used."))
    counts = models.BooleanField(default=True)

    class Meta:
        ordering = ("id",)
        constraints = (
            models.UniqueConstraint(
                fields=("approval", "user"), name="one_vote_each", condition=Q(counts=True)
            ),
        )
        indexes = (models.Index(fields=("approval",), name="vote_by_approval"),)

    def __str__(self) -> str:
        return f"{self.user_name}: {self.outcome}"
