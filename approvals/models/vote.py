"""What people said to questions."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from approvals.models.statuses import STATUS_OF, Outcome


class Vote(models.Model):
    """What one person said to one question; `counts` is false once it was taken back."""

    approval = models.ForeignKey(
        "approvals.Approval", on_delete=models.CASCADE, related_name="votes", db_index=False
    )
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
    address = models.CharField(
        max_length=64, blank=True, default="", db_default="", help_text=_("From where it was given.")
    )
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

    @property
    def said(self) -> str:
        """The answer as a deed, in a word."""
        return str(STATUS_OF[Outcome(self.outcome)].label)
