"""Questions to people."""

from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from approvals.models.queryset import OWED, Questions
from approvals.models.statuses import ApprovalKind, ApprovalStatus, Outcome, Source
from taskboard.models import Step, Task


class ApprovalQuerySet(Questions["Approval"]):
    """All that can be asked about approvals, typed."""


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
            models.Index(fields=("id",), name="approval_undelivered", condition=OWED),
            models.Index(
                fields=("task", "-decided_at", "-id"),
                name="approval_answered",
                condition=Q(decided_at__isnull=False),
            ),
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
