"""`manage.py tickets`: the ticket book of this installation."""

from typing import Any

from django.conf import settings
from django.core.management.base import CommandError, CommandParser
from django.utils.translation import gettext as _

from taskboard.management.base import TaskboardCommand
from taskboard.workflows.seo_audit.ticket import Ticket
from taskboard.workflows.seo_audit.ticket_book import TicketBook
from taskboard.workflows.seo_audit.tracker import book_path


class Command(TaskboardCommand):
    """Lists id, key, title and time of each ticket."""

    help = "List the tickets in the ticket book."

    def add_arguments(self, parser: CommandParser) -> None:
        """One switch."""
        parser.add_argument("--json", action="store_true", help="print one JSON list")

    def handle(self, *args: Any, **options: Any) -> None:
        """Oldest first."""
        if settings.TASKBOARD_TRACKER_URL:
            raise CommandError(
                _("Tickets go to %(url)s; look there.") % {"url": settings.TASKBOARD_TRACKER_URL}
            )
        tickets = TicketBook(book_path()).all()
        if options["json"]:
            self.print_json([_document(ticket) for ticket in tickets])
            return
        for ticket in tickets:
            self.stdout.write(
                f"{ticket.id:8} {ticket.created_at:%Y-%m-%d %H:%M:%S} {ticket.key}  {ticket.title}"
            )


def _document(ticket: Ticket) -> dict[str, str]:
    return {
        "id": ticket.id,
        "key": ticket.key,
        "title": ticket.title,
        "created_at": ticket.created_at.isoformat(),
    }
