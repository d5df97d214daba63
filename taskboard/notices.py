"""Mail to the person who started a task: it is done, it failed, or it needs somebody."""

import hashlib
import logging
from datetime import datetime, timedelta
from smtplib import SMTPRecipientsRefused
from typing import NamedTuple
from zoneinfo import ZoneInfo

from django.conf import settings
from django.contrib.auth.models import User
from django.core.cache import cache
from django.core.mail import EmailMessage, get_connection
from django.template.loader import render_to_string
from django.utils import timezone, translation
from django.utils.translation import gettext as _

from taskboard import lifecycle
from taskboard.errors import NotFound
from taskboard.models import Checkpoint, Kind, Profile, Task, TaskStatus

PAUSED = "notices-paused"
PAUSE = timedelta(minutes=1)
"""Without a try after the mail server could not be reached."""
LONGEST_GOAL = 80
log = logging.getLogger(__name__)


class Turn(NamedTuple):
    """What the starter has not been told of: the status, and the journal row that says so."""

    status: str
    ordinal: int


def tell_starters(now: datetime | None = None) -> int:
    """Send what has not been told; returns how many mails went out. If the mail server is down: later."""
    now = now or timezone.now()
    if (until := cache.get(PAUSED)) and now < until:
        return 0
    sent = 0
    for task in list(Task.objects.exclude(untold="").select_related("created_by").order_by("pk")):
        try:
            sent += _tell(task)
        except OSError as error:
            cache.set(PAUSED, now + PAUSE)
            log.warning("mail could not be sent, it is tried again in a minute", extra={"error": str(error)})
            break
    return sent


def message_id(task: Task, turn: Turn) -> str:
    """The same turn has the same id, so a mail that was sent twice is one mail."""
    key = f"{task.public_id}:{turn.status}:{turn.ordinal}"
    return f"<{hashlib.sha256(key.encode()).hexdigest()[:32]}@taskboard>"


def _tell(task: Task) -> bool:
    turn = _turn(task)
    person = task.created_by
    if turn.status != task.untold or person is None or not (person.is_active and person.email):
        _settle(task, turn, "")
        return False
    try:
        _mail(task, turn, person).send()
    except SMTPRecipientsRefused as refusal:
        log.warning("the address was refused", extra={"task": task.public_id, "error": str(refusal)})
        _settle(task, turn, "refused")
        return False
    _settle(task, turn, "sent")
    return True


def _settle(task: Task, turn: Turn, outcome: str) -> None:
    """Tick it off, unless the task has taken another turn meanwhile."""
    try:
        with lifecycle.changing(task.pk, "taskboard") as change:
            if change.task.untold and _turn(change.task) == turn:
                change.set(untold="")
                if outcome:
                    told = {"mail": outcome, "turn": turn.status, "to": task.created_by_name}
                    change.record(Kind.NOTE, data={**told, "message_id": message_id(task, turn)})
    except NotFound:
        log.info("the task was purged meanwhile", extra={"task": task.public_id})


def _turn(task: Task) -> Turn:
    row = Checkpoint.objects.filter(task=task, kind=Kind.STATUS).order_by("-ordinal").first()
    return Turn(task.status, row.ordinal if row else 0)


def _mail(task: Task, turn: Turn, person: User) -> EmailMessage:
    profile = Profile.objects.filter(user=person).first() or Profile()
    language = profile.language or settings.LANGUAGE_CODE
    with translation.override(language), timezone.override(ZoneInfo(profile.time_zone or settings.TIME_ZONE)):
        context = {"task": task, "link": settings.TASKBOARD_BASE_URL.rstrip("/") + task.get_absolute_url()}
        return EmailMessage(
            _subject(task),
            render_to_string("taskboard/mail/turn.txt", context),
            to=[person.email],
            headers={"Message-ID": message_id(task, turn), "Auto-Submitted": "auto-generated"},
            connection=get_connection(),
        )


def _subject(task: Task) -> str:
    """One line, whatever the goal holds: a line break in it must not become a header."""
    goal = " ".join("".join(c if c.isprintable() else " " for c in task.goal).split())
    return f"[Taskboard] {_headline(task)}: {goal[:LONGEST_GOAL]}"


def _headline(task: Task) -> str:
    if task.status == TaskStatus.BLOCKED and task.out_of_budget:
        return _("Out of budget")
    return str(task.get_status_display())
