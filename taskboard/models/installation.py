"""This installation's own row: where its database is, and whether it stands by."""

from django.db import models
from django.utils.translation import gettext_lazy as _


class Installation(models.Model):
    """One row. While `since` is set, nothing acts: no step begins, no mail and no webhook goes out."""

    class Why(models.TextChoices):
        RESTORED = "restored", _("This database was restored from a backup.")
        COPIED = "copied", _("This database is a copy: it was last used at another place.")
        OLDER = "older", _("This database is older than what this machine saw last: it was put back.")
        ASKED = "asked", _("An administrator made it stand by.")

    mark = models.CharField(max_length=36, help_text=_("Another one after each stand-by."))
    place = models.CharField(max_length=1000, blank=True, help_text=_("Where the database was last used."))
    alive_at = models.DateTimeField(help_text=_("When it was last used, to the minute."))
    since = models.DateTimeField(null=True, blank=True, help_text=_("It stands by since then."))
    why = models.CharField(max_length=10, choices=Why, blank=True)
    reason = models.TextField(blank=True)
    backup_at = models.DateTimeField(null=True, blank=True, help_text=_("When the backup was made."))
    lifted_at = models.DateTimeField(null=True, blank=True)
    lifted_by_name = models.CharField(max_length=150, blank=True)

    class Meta:
        verbose_name_plural = "installation"

    def __str__(self) -> str:
        return self.mark
