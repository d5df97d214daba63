"""`manage.py approvals`: the questions that wait for an answer."""

from argparse import ArgumentParser
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _

from approvals.inbox import as_json
from approvals.models import Approval
from taskboard.management.base import TaskboardCommand


class Command(TaskboardCommand):
    help = "List the open questions, the oldest first."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--json", action="store_true", help="exactly one JSON list")

    def handle(self, *args: Any, **options: Any) -> None:
        asked = Approval.objects.unanswered(timezone.now()).select_related("task").order_by("pk")
        if options["json"]:
            self.print_json([as_json(approval) for approval in asked])
            return
        for approval in asked:
            self.stdout.write(_line(approval))
        if not asked:
            self.stdout.write(_("No question is open."))


def _line(approval: Approval) -> str:
    where = ".".join(filter(None, (approval.item_key, approval.step_name)))
    until = f"{approval.expires_at:%Y-%m-%d %H:%M} UTC" if approval.expires_at else _("held")
    task = approval.task.public_id
    return "\t".join([str(approval.pk), task, where, approval.group_name, until, approval.action])
