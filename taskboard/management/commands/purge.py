"""`manage.py purge`: remove what has expired, after it has been archived."""

from argparse import ArgumentParser, ArgumentTypeError
from datetime import UTC, datetime, time
from typing import Any

from django.contrib.auth.models import User
from django.utils import timezone
from django.utils.dateparse import parse_date, parse_datetime
from django.utils.translation import gettext as _

from taskboard.errors import NotAllowed
from taskboard.management.base import TaskboardCommand, add_person, find_task, find_user
from taskboard.models import Task
from taskboard.retention import expiry, purge
from taskboard.retention.report import Report


class Command(TaskboardCommand):
    help = "Remove tasks whose keeping time is over. Each is archived first; a record of it stays."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--dry-run", action="store_true", help="only say what would be removed")
        parser.add_argument("--task", metavar="ID", help="only this task; refused unless it has expired")
        parser.add_argument(
            "--before", type=_moment, metavar="DATE", help="only what expired before this date (UTC)"
        )
        parser.add_argument("--json", action="store_true", help="print one JSON object")
        add_person(parser, "who purges, for the record (an administrator)")

    def handle(self, *args: Any, **options: Any) -> None:
        by = _allowed(find_user(options["person"])) if options["person"] else "command line"
        now = timezone.now()
        ids = (
            [self._named(options["task"], now)] if options["task"] else purge.selected(now, options["before"])
        )
        report = Report(dry_run=options["dry_run"])
        for pk in ids:
            self._one(pk, by, report, quiet=options["json"])
        report.note_kept(expiry.kept(now), now)
        if options["json"]:
            self.print_json(report.as_json())
        else:
            self._sum_up(report)

    def _named(self, public_id: str, now: datetime) -> int:
        task = find_task(public_id)
        if expiry.begun(task) is None:
            expiry.check(task, now)
        return task.pk

    def _one(self, pk: int, by: str, report: Report, *, quiet: bool) -> None:
        if report.dry_run:
            line = report.would_purge(Task.objects.get(pk=pk))
        else:
            line = report.purged(purge.purge_task(pk, by))
        if not quiet:
            self.stdout.write(line)

    def _sum_up(self, report: Report) -> None:
        for public_id, why in report.kept:
            self.stdout.write(f"{public_id}: kept. {why}")
        self.stdout.write(report.sum_up())


def _allowed(user: User) -> str:
    if not user.has_perm("taskboard.retain_task"):
        raise NotAllowed(_("%(user)s may not purge: only administrators may.") % {"user": user.username})
    return user.username


def _moment(text: str) -> datetime:
    """A day (its beginning) or a moment; without a zone it is UTC."""
    try:
        moment = parse_datetime(text) or datetime.combine(parse_date(text) or _not_a_date(text), time())
    except ValueError as error:
        raise ArgumentTypeError(f"{text!r} is not a date such as 2026-09-17.") from error
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _not_a_date(text: str) -> Any:
    raise ValueError(text)
