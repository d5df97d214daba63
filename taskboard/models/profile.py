"""A person's own settings: language and time zone, and which of their sessions have ended."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _


class Profile(models.Model):
    """Language and time zone; empty means the site's own."""

    user = models.OneToOneField(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="profile")
    language = models.CharField(_("Language"), max_length=10, blank=True)
    time_zone = models.CharField(_("Time zone"), max_length=64, blank=True)
    session_turn = models.PositiveIntegerField(
        default=0, db_default=0, editable=False,
        help_text=_("Sessions that began in an earlier turn have ended."),
    )  # fmt: skip

    def __str__(self) -> str:
        return str(self.user)
