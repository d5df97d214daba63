"""An outside system that nothing may be written to, for as long as the row is open."""

from typing import Self

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _


class FreezeQuerySet(models.QuerySet["Freeze"]):
    """Questions about freezes."""

    def open(self) -> Self:
        """Those that hold now."""
        return self.filter(thawed_at=None)


class Freeze(models.Model):
    """Somebody stopped all writes to one system; who and why stay as text."""

    system = models.CharField(max_length=100)
    reason = models.TextField()
    frozen_by = models.CharField(max_length=150)
    frozen_at = models.DateTimeField()
    thaw_reason = models.TextField(blank=True)
    thawed_by = models.CharField(max_length=150, blank=True)
    thawed_at = models.DateTimeField(null=True, blank=True)

    objects = FreezeQuerySet.as_manager()

    class Meta:
        ordering = ("-id",)
        constraints = (
            models.UniqueConstraint(fields=("system",), name="frozen_once", condition=Q(thawed_at=None)),
        )
        permissions = (
            ("freeze_system", _("Can freeze an outside system")),
            ("thaw_system", _("Can thaw an outside system")),
        )

    def __str__(self) -> str:
        return self.system
