"""`manage.py purge`: remove what has expired, after it has been archived."""

from argparse import ArgumentParser, ArgumentTypeError
from datetime import UTC, datetime, time
from typing import Any

from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.dateparse import parse_date, parse_datetime
from django.utils.translation import gettext as _

from taskboard import standby
from taskboard.audit import Actor
from taskboard.errors import BadInput, NotAllowed, NotFound
from taskboard.management.base import TaskboardCommand, add_person, find_task, find_user
from taskboard.models import PurgePlan, Task
from taskboard.retention import begun, consent, expiry, plans, purge
from taskboard.retention.preview import previews
from taskboard.retention.report import Report
from taskboard.rights import RETAIN


class Command(TaskboardCommand):
    quiet = False
    help = "Remove tasks whose keeping time is over. Each is archived first; a record of it stays."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--dry-run", action="store_true", help="only say what would be removed")
        parser.add_argument("--task", metavar="ID", help="only this task; refused unless it has expired")
        parser.add_argument(
            "--before", type=_moment, metavar="DATE", help="only what expired before this date (UTC)"
        )
        parser.add_argument(
            "--agree",
            type=int,
            metavar="NUMBER",
            help="agree to the purge that another administrator asked for",
        )
        parser.add_argument("--json", action="store_true", help="print one JSON object")
        add_person(parser, "who purges, for the record (an administrator)")

    def handle(self, *args: Any, **options: Any) -> None:
        self.quiet = options["json"]
        if not options["dry_run"]:  # the files may be those of another installation
            standby.refuse()
        user = _allowed(find_user(options["person"])) if options["person"] else None
        now, report = timezone.now(), Report(dry_run=options["dry_run"])
        if options["agree"] is not None:
            consent.agree(_plan(options["agree"]), _needed(user))
        elif options["task"] and begun.of(find_task(options["task"])) is None:
            expiry.check(find_task(options["task"]), now)
        if report.dry_run:
            self._look(_chosen(options, now), report)
        else:
            self._purge(_chosen(options, now), user or "command line", report)
        report.note_kept(expiry.kept(now), now)
        if options["json"]:
            self.print_json(report.as_json())
        else:
            self._sum_up(report)

    def _look(self, tasks: "QuerySet[Task]", report: Report) -> None:
        for some in _groups(tasks):
            seen = previews(some)
            for task in some:
                self._say(report.would_purge(task.public_id, seen[task.pk]))

    def _purge(self, tasks: "QuerySet[Task]", by: Actor, report: Report) -> None:
        """What has begun already comes first: it may have died half way."""
        self._carry_out(report)
        while tasks.exists():
            plan = consent.begin(plans.make(_asking(by), tasks), by)
            if plan.begun_at is None:
                report.waits = plan.pk
                return
            self._carry_out(report)

    def _carry_out(self, report: Report) -> None:
        for record in begun.unfinished():
            if purge.carry_out(record) and record.completed:
                self._say(report.purged(record))

    def _say(self, line: str) -> None:
        if not self.quiet:
            self.stdout.write(line)

    def _sum_up(self, report: Report) -> None:
        for public_id, why in report.kept:
            self.stdout.write(f"{public_id}: kept. {why}")
        self.stdout.write(report.sum_up())


def _chosen(options: dict[str, Any], now: datetime) -> "QuerySet[Task]":
    """Of what has expired: one task, all before a time, or all; none where only a purge is agreed to."""
    expired = expiry.expired(now)
    if options["agree"] is not None:
        return expired.none()
    if options["task"]:
        expired = expired.filter(public_id=options["task"])
    return expired if options["before"] is None else expired.filter(expires_at__lt=options["before"])


def _groups(tasks: "QuerySet[Task]") -> Any:
    """As many at once as a plan holds."""
    pks = list(tasks.values_list("pk", flat=True))
    for first in range(0, len(pks), plans.MOST):
        found = Task.objects.in_bulk(pks[first : first + plans.MOST])
        yield [found[pk] for pk in pks[first : first + plans.MOST] if pk in found]


def _plan(number: int) -> PurgePlan:
    plan = PurgePlan.objects.filter(pk=number).first()
    if plan is None:
        raise NotFound(_("There is no previewed purge %d.") % number)
    return plan


def _needed(user: User | None) -> User:
    if user is None:
        raise BadInput(_("Say who agrees: --as USER."))
    return user


def _asking(by: Actor) -> Actor:
    if consent.needs_second_person() and isinstance(by, str):
        raise BadInput(_("A purge needs two administrators here. Say who asks for it: --as USER."))
    return by


def _allowed(user: User) -> User:
    if not user.has_perm(RETAIN):
        raise NotAllowed(_("%(user)s may not purge: only administrators may.") % {"user": user.username})
    return user


def _moment(text: str) -> datetime:
    """A day (its beginning) or a moment; without a zone it is UTC."""
    try:
        moment = parse_datetime(text) or datetime.combine(parse_date(text) or _not_a_date(text), time())
    except ValueError as error:
        raise ArgumentTypeError(f"{text!r} is not a date such as 2026-09-17.") from error
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _not_a_date(text: str) -> Any:
    raise ValueError(text)
