"""The app of approvals; it plugs itself into the socket that taskboard offers."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class ApprovalsConfig(AppConfig):
    name = "approvals"
    verbose_name = _("Approvals")
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from approvals.gate import ApprovalsGate  # noqa: PLC0415 models cannot be imported before
        from taskboard.gates import plug  # noqa: PLC0415

        plug(ApprovalsGate())
