"""Who may decide: one pure function, used by every way in."""

from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext as _

from approvals.errors import AlreadyDecided, Expired
from taskboard.errors import NotAllowed, TaskboardError, WrongState


@dataclass(frozen=True)
class Person:
    """The one who wants to decide, as the database knows them at this moment."""

    id: int
    name: str
    active: bool
    may_decide: bool
    groups: frozenset[str]


@dataclass(frozen=True)
class Question:
    """What the rules need to know of a question."""

    is_open: bool
    held: bool
    closed_how: str
    expires_at: datetime | None
    group: str
    starter_may_decide: bool
    starter_id: int | None
    starter_name: str
    voters: frozenset[int]


def refusal(question: Question, person: Person, now: datetime) -> TaskboardError | None:
    """Why this person may not decide this question now, or None. The state comes first: whoever is late
    shall learn what was decided."""
    return _state(question, now) or _right(question, person)


def _state(question: Question, now: datetime) -> TaskboardError | None:
    if not question.is_open:
        return AlreadyDecided(question.closed_how)
    if question.held:
        return WrongState(
            _("This question was imported. It can be decided once its task is resumed and asks it again.")
        )
    if question.expires_at is not None and question.expires_at <= now:
        return Expired(_("The time to answer is over, so nobody can decide this question any more."))
    return None


def _right(question: Question, person: Person) -> TaskboardError | None:
    if not person.active:
        return NotAllowed(_("Your account is not active, so you cannot decide."))
    if not person.may_decide:
        return NotAllowed(_("You do not have the right to decide questions."))
    if question.group not in person.groups:
        return NotAllowed(
            _("Only members of “%(group)s” may decide this question.") % {"group": question.group}
        )
    if _is_starter(question, person) and not question.starter_may_decide:
        return NotAllowed(_("You started this task, so somebody else has to decide."))
    if person.id in question.voters:
        return AlreadyDecided(_("You have already answered this question."))
    return None


def _is_starter(question: Question, person: Person) -> bool:
    """By id; by name where the task was imported before the account existed."""
    if question.starter_id is not None:
        return question.starter_id == person.id
    return question.starter_name == person.name
