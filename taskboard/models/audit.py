"""The audit log: who did what as an administrator, append-only like the journal, but beyond any one task."""

from typing import Any, NoReturn

from django.db import models
from django.utils.translation import gettext_lazy as _

from taskboard.errors import WrongState

REFUSED = "The audit log is append-only: its rows can be neither changed nor removed."


class AuditQuerySet(models.QuerySet["AuditEntry"]):
    """Rows can be added and read, nothing else."""

    def update(self, **fields: Any) -> NoReturn:
        raise WrongState(REFUSED)

    def delete(self) -> NoReturn:
        raise WrongState(REFUSED)


class AuditEntry(models.Model):
    """One act. It names person and target as text, so that it reads the same when both are gone."""

    at = models.DateTimeField(_("time"))
    actor = models.CharField(_("person"), max_length=150)
    address = models.CharField(_("from"), max_length=64, blank=True)
    action = models.CharField(_("act"), max_length=60)
    target_kind = models.CharField(_("kind of target"), max_length=60, blank=True)
    target_id = models.CharField(max_length=60, blank=True)
    target = models.CharField(_("target"), max_length=200, blank=True)
    reason = models.TextField(_("reason"), blank=True)
    before = models.JSONField(_("before"), null=True, blank=True)
    after = models.JSONField(_("after"), null=True, blank=True)

    objects = AuditQuerySet.as_manager()

    class Meta:
        ordering = ("-id",)
        verbose_name = _("audit entry")
        verbose_name_plural = _("audit entries")
        indexes = (
            models.Index(fields=("at",), name="audit_by_time"),
            models.Index(fields=("actor", "id"), name="audit_by_actor"),
            models.Index(fields=("action", "id"), name="audit_by_action"),
            models.Index(fields=("target_kind", "target", "id"), name="audit_by_target"),
        )

    def __str__(self) -> str:
        return f"{self.actor}: {self.action} {self.target}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        if self.pk is not None:
            raise WrongState(REFUSED)
        super().save(*args, **kwargs)

    def delete(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise WrongState(REFUSED)
