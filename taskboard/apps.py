"""The app of tasks."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class TaskboardConfig(AppConfig):
    name = "taskboard"
    verbose_name = _("Tasks")
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from taskboard import checks as checks  # noqa: PLC0415 registers itself; models cannot be imported before
