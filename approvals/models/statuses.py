"""What a question can be: its status, what people may say to it, what it is about, where it comes from."""

from django.db import models
from django.utils.translation import gettext_lazy as _


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


STATUS_OF = {
    Outcome.APPROVE: ApprovalStatus.APPROVED,
    Outcome.REJECT: ApprovalStatus.REJECTED,
    Outcome.CHANGES: ApprovalStatus.CHANGES_REQUESTED,
}


class ApprovalKind(models.TextChoices):
    """What a question is about."""

    STEP = "step", _("Step")
    BUDGET = "budget", _("Budget")


class Source(models.TextChoices):
    """Where a question comes from."""

    WORKFLOW = "workflow", _("Workflow")
    IMPORTED = "imported", _("Imported")
