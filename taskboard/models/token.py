"""API tokens: what a script sends instead of a session."""

from datetime import datetime

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _


class ApiToken(models.Model):
    """A person's leave for a script to read. The token itself is known to nobody: only its SHA-256 is kept."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="api_tokens")
    name = models.CharField(_("Name"), max_length=80)
    beginning = models.CharField(max_length=12)
    digest = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    last_used_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)
    revoked_by_name = models.CharField(max_length=150, blank=True)

    class Meta:
        ordering = ("-id",)
        verbose_name = _("token for scripts")
        verbose_name_plural = _("tokens for scripts")
        constraints = (
            models.UniqueConstraint(
                fields=("user", "name"),
                condition=models.Q(revoked_at=None),
                name="name_of_a_token_once_per_person",
            ),
        )

    def __str__(self) -> str:
        return f"{self.beginning}… ({self.name})"

    def is_live(self, now: datetime) -> bool:
        return self.revoked_at is None and now < self.expires_at
