"""`manage.py tickets`: the ticket book of this installation, or one ticket of it."""

from typing import Any

from django.conf import settings
from django.core.management.base import CommandError, CommandParser
from django.utils.translation import gettext as _

from taskboard.errors import NotFound
from taskboard.management.base import TaskboardCommand
from taskboard.workflows.seo_audit.ticket import Ticket
from taskboard.workflows.seo_audit.ticket_book import TicketBook
from taskboard.workflows.seo_audit.tracker import book_path


class Command(TaskboardCommand):
    """Lists id, key, title and time of each ticket."""

    help = "List the tickets in the ticket book, or show one with its text: tickets T-1."

    def add_arguments(self, parser: CommandParser) -> None:
        """One ticket, and a switch."""
        parser.add_argument(
            "ticket", nargs="?", metavar="T-1", help="Only this one (or the key of its step), with its text."
        )
        parser.add_argument("--key", metavar="KEY", help="Only the one with this key of a step.")
        parser.add_argument("--json", action="store_true", help="print one JSON list")

    def handle(self, *args: Any, **options: Any) -> None:
        """Oldest first."""
        if settings.TASKBOARD_TRACKER_URL:
            raise CommandError(
                _("Tickets go to %(url)s; look there.") % {"url": settings.TASKBOARD_TRACKER_URL}
            )
        book, wanted, key = TicketBook(book_path()), options["ticket"], options["key"]
        tickets = [one for one in book.all() if wanted in (None, one.id, one.key) and key in (None, one.key)]
        if key and not tickets:
            raise NotFound(_("There is no ticket with the key %(key)s in the ticket book.") % {"key": key})
        if wanted and not tickets:
            raise NotFound(_("There is no ticket %(id)s in the ticket book.") % {"id": wanted})
        if options["json"]:
            self.print_json([_document(ticket) for ticket in tickets])
            return
        for ticket in tickets:
            self.stdout.write(
                f"{ticket.id:8} {ticket.created_at:%Y-%m-%d %H:%M:%S} {ticket.key}  {ticket.title}"
            )
        if wanted:
            self.stdout.write(f"\n{book.text(tickets[0].id)}")


def _document(ticket: Ticket) -> dict[str, str]:
    return {
        "id": ticket.id,
        "key": ticket.key,
        "title": ticket.title,
        "created_at": ticket.created_at.isoformat(),
    }
