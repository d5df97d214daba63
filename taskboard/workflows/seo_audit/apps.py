"""Registers the workflow once the models are loaded."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class SeoAuditConfig(AppConfig):
    """The site index of the audits, and the workflow itself."""

    name = "taskboard.workflows.seo_audit"
    label = "seo_audit"
    verbose_name = _("SEO audit")
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Import the declaration: it registers itself, and a broken one stops the start."""
        from taskboard.workflows.seo_audit import workflow  # noqa: F401, PLC0415
