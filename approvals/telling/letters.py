"""What a mail about questions says, as text and as HTML, in the language and zone of its reader."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from django.conf import settings
from django.contrib.auth.models import User
from django.core.mail import EmailMultiAlternatives, get_connection
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from approvals.models import Approval, Notice
from approvals.models.notice import NoticeKind
from taskboard import dates
from taskboard.looks import age, dollars, hidden
from taskboard.models import Profile
from taskboard.sentences import read

MOST = 20
"""Questions that one mail shows; the others are counted."""
LONGEST, LONGEST_SUBJECT = 600, 100


@dataclass(frozen=True)
class Entry:
    """One question as a mail shows it."""

    action: str
    consequence: str
    lines: list[str]
    link: str


@dataclass(frozen=True)
class Section:
    """Questions that are told of for the same cause."""

    title: str
    entries: list[Entry]


def compose(user: User, notices: Sequence[Notice], now: datetime) -> EmailMultiAlternatives:
    """One mail for all of these; each notice carries its question."""
    profile = Profile.objects.filter(user=user).first() or Profile()
    zone = ZoneInfo(profile.time_zone or settings.TIME_ZONE)
    with translation.override(profile.language or settings.LANGUAGE_CODE), timezone.override(zone):
        context = {
            "name": user.get_username(),
            "sections": _sections(notices[:MOST], now),
            "more": max(len(notices) - MOST, 0),
            "inbox": address(reverse("approvals:inbox")),
            "profile": address(reverse("taskboard:profile")),
        }
        mail = EmailMultiAlternatives(
            _subject(notices),
            render_to_string("approvals/mail/questions.txt", context),
            to=[user.email],
            headers={"Message-ID": notices[0].mail, "Auto-Submitted": "auto-generated"},
            connection=get_connection(),
        )
        mail.attach_alternative(render_to_string("approvals/mail/questions.html", context), "text/html")
        return mail


def address(path: str) -> str:
    return settings.TASKBOARD_BASE_URL.rstrip("/") + path


def visible(text: str, longest: int = LONGEST) -> str:
    """Foreign text for a mail: what cannot be seen is spelled out, and what is cut says how much."""
    shown = "".join(f"[U+{ord(c):04X}]" if hidden(c) else c for c in text[:longest])
    rest = len(text) - longest
    more = ngettext("(+%(n)d character)", "(+%(n)d characters)", rest) % {"n": rest}
    return shown if rest <= 0 else f"{shown} … {more}"


def _sections(notices: Sequence[Notice], now: datetime) -> list[Section]:
    titles = {
        NoticeKind.REMINDER: _("The time to answer runs out"),
        NoticeKind.PASSED: _("Passed on to you"),
        NoticeKind.ASKED: _("New questions for you"),
        NoticeKind.DECIDED: _("Answers to questions of your tasks"),
    }
    grouped = {kind: [n for n in notices if n.kind == kind] for kind in titles}
    return [
        Section(titles[kind], [_entry(notice.approval, now) for notice in found])
        for kind, found in grouped.items()
        if found
    ]


def _entry(approval: Approval, now: datetime) -> Entry:
    task = approval.task
    lines = [f"{_('Task')}: {task.public_id}, {visible(task.goal, 100)}"]
    if approval.target:
        lines.append(f"{_('Target')}: {visible(approval.target, 200)}")
    if approval.amount_micro is not None:
        lines.append(f"{_('Amount')}: {dollars(approval.amount_micro)}")
    lines.append(_ended(approval) if approval.closed_at else _until(approval, now))
    return Entry(
        visible(read(approval.action)),
        visible(read(approval.consequence)),
        lines,
        address(approval.get_absolute_url()),
    )


def _until(approval: Approval, now: datetime) -> str:
    if approval.expires_at is None:
        return _("No deadline")
    told = {"at": _time(approval.expires_at), "age": age(now - approval.expires_at)}
    return _("Answer by %(at)s (%(age)s)") % told


def _ended(approval: Approval) -> str:
    told = {"status": approval.get_status_display(), "who": approval.decided_by_name or "–"}
    said = _("%(status)s by %(who)s") % told
    return f"{said}: {visible(approval.reason)}" if approval.reason else said


def _time(when: datetime) -> str:
    return dates.minute(when)


def _subject(notices: Sequence[Notice]) -> str:
    """One line, whatever the question holds: a line break in it must not become a header."""
    told = {
        "n": len(notices),
        "what": " ".join(visible(read(notices[0].approval.action), LONGEST_SUBJECT).split()),
    }
    if all(notice.kind == NoticeKind.DECIDED for notice in notices):
        said = ngettext("Answered: %(what)s", "%(n)d questions of your tasks were answered", len(notices))
    elif notices[0].kind == NoticeKind.REMINDER and len(notices) == 1:
        said = _("Time runs out: %(what)s")
    else:
        said = ngettext("Waits for you: %(what)s", "%(n)d questions wait for you", len(notices))
    return f"[Taskboard] {said % told}"
