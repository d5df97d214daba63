"""Who may do what with a question: one pure function, used by every way in."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum

from django.utils.translation import gettext as _

from approvals.errors import AlreadyDecided, Expired, Unconfirmed, Unread
from taskboard import sentences
from taskboard.errors import BadInput, NotAllowed, TaskboardError, WrongState


class Doing(StrEnum):
    """What a person may want to do with a question."""

    DECIDE = "decide"
    APPROVE = "approve"
    CHANGES = "ask for changes"
    COMMENT = "comment"
    PASS_ON = "pass on"  # noqa: S105
    WITHDRAW = "withdraw"
    TAKE_BACK = "take back"
    KICK = "kick"
    CLOSE = "close"


class Proof(StrEnum):
    """What goes along with a yes, and shows that it was informed. A page has them from the form that it gave out with
    the complete text. A command names one question, with the digest its exact action; an answer to many has none."""

    READ = "read"
    """The complete text was given to this person."""
    CONFIRMED = "confirmed"
    """They say that they read the exact action, where nothing else describes it."""


@dataclass(frozen=True)
class Absent:
    """Somebody who is away, and in whose place another person answers."""

    id: int
    name: str
    groups: frozenset[str]


@dataclass(frozen=True)
class Person:
    """The one who wants to do something, as the database knows them at this moment."""

    id: int
    name: str
    active: bool
    may_decide: bool
    groups: frozenset[str]
    may_see: bool = True
    may_operate: bool = False
    may_route: bool = False
    stands_for: Sequence[Absent] = ()
    proofs: frozenset[Proof] = frozenset()


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
    voters: frozenset[int] = field(default_factory=frozenset)
    assignee_id: int | None = None
    assignee_name: str = ""
    passed_on_by: int | None = None
    decided_by: int | None = None
    owed: bool = False
    """Answered, and not handed over to its step yet."""
    hand_over_at: datetime | None = None
    waits: bool = True
    """Its step still waits for it."""
    is_long: bool = False
    """It cannot be read at a glance."""
    is_bare: bool = False
    """Nothing but the exact action describes it."""
    has_proposer: bool = True
    """A step made the proposal, and can make another."""


Refusal = TaskboardError | None


def refusal(question: Question, person: Person, now: datetime, doing: Doing = Doing.DECIDE) -> Refusal:
    """Why this person may not do this now, or None. The state comes first: whoever is late shall learn what was
    decided."""
    for rule in RULES[doing]:
        if refused := rule(question, person, now):
            return refused
    return None


def right_of(question: Question, person: Person) -> str:
    """By which right this person may answer, as the record names it; empty if by none."""
    if _is_asked(question, person.id, person.groups):
        right = _named_right(question)
        own = _is_starter(question, person.id, person.name)
        return sentences.ALSO_STARTED(what=right) if own else right
    for absent in person.stands_for:
        free = absent.id not in question.voters and not _starter_is_kept_out(question, absent.id, absent.name)
        if free and _is_asked(question, absent.id, absent.groups):
            return sentences.IN_PLACE(name=absent.name, what=_named_right(question))
    return ""


def passed_on(question: Question, to: Person) -> Question:
    """The question as it would be in the hands of this person."""
    return replace(question, assignee_id=to.id, assignee_name=to.name, passed_on_by=None)


def _state(question: Question, person: Person, now: datetime) -> Refusal:
    if not question.is_open:
        return AlreadyDecided(question.closed_how)
    if question.held:
        return WrongState(
            _("This question was imported. It can be decided once its task is resumed and asks it again.")
        )
    if question.expires_at is not None and question.expires_at <= now:
        return Expired(_("The time to answer is over, so nobody can decide this question any more."))
    return None


def _account(question: Question, person: Person, now: datetime) -> Refusal:
    if not person.active:
        return NotAllowed(_("Your account is not active, so you cannot decide."))
    return None if person.may_see else NotAllowed(_("You do not have the right to see questions."))


def _decider(question: Question, person: Person, now: datetime) -> Refusal:
    if not person.may_decide:
        return NotAllowed(_("You do not have the right to decide questions."))
    if not right_of(question, person):
        return NotAllowed(_asked_of(question))
    if _starter_is_kept_out(question, person.id, person.name):
        return NotAllowed(_("You started this task, so somebody else has to decide."))
    if question.passed_on_by == person.id:
        return NotAllowed(_("You passed this question on, so somebody else has to answer it."))
    if person.id in question.voters:
        return AlreadyDecided(_("You have already answered this question."))
    return None


def _reader(question: Question, person: Person, now: datetime) -> Refusal:
    """Nobody says yes to what they could not have read."""
    if question.is_bare and Proof.CONFIRMED not in person.proofs:
        return Unconfirmed(
            _("Nothing describes it but the exact action: open it, read that, and tick that you have.")
        )
    if question.is_long and Proof.READ not in person.proofs:
        return Unread(_("It is too long to be approved unread: open it and read it to its end first."))
    return None


def _changer(question: Question, person: Person, now: datetime) -> Refusal:
    if question.has_proposer:
        return None
    return BadInput(
        _("No step made this proposal, so nobody could change it: approve or reject it."), "outcome"
    )


def _passer(question: Question, person: Person, now: datetime) -> Refusal:
    """Whoever may answer, and administrators, who keep a question from being stuck."""
    if _starter_is_kept_out(question, person.id, person.name):
        return NotAllowed(_("You started this task, so somebody else has to say who decides."))
    return None if person.may_route else _decider(question, person, now)


def _withdrawer(question: Question, person: Person, now: datetime) -> Refusal:
    if _is_starter(question, person.id, person.name) or person.may_operate:
        return None
    return NotAllowed(
        _("Only the one who started the task and those who operate it may withdraw its questions.")
    )


def _taker_back(question: Question, person: Person, now: datetime) -> Refusal:
    if not question.owed or not question.waits:
        return WrongState(_("It was handed over already, so it cannot be taken back."))
    if question.hand_over_at is None:
        return WrongState(_("This answer was given for good: only answers from a page can be taken back."))
    if question.decided_by != person.id:
        return NotAllowed(_("Only the person who answered can take the answer back."))
    return None


def _kicker(question: Question, person: Person, now: datetime) -> Refusal:
    if not person.may_operate:
        return NotAllowed(_("Only those who operate tasks may hand a decision over."))
    if not question.owed:
        return WrongState(_("There is nothing to hand over (any more)."))
    if question.hand_over_at is not None and question.hand_over_at > now:
        return WrongState(_("The answer can still be taken back; it is handed over right after that."))
    return None


def _closer(question: Question, person: Person, now: datetime) -> Refusal:
    """Of what is overdue and was not closed by a sweep."""
    overdue = question.expires_at is not None and question.expires_at <= now
    if not question.is_open or question.held or not overdue:
        return WrongState(_("Its time is not over, or it is closed already."))
    if person.may_operate or person.may_decide:
        return None
    return NotAllowed(_("Only those who operate tasks or decide questions may close one."))


RULES: Mapping[Doing, Sequence[Callable[[Question, Person, datetime], Refusal]]] = {
    Doing.DECIDE: (_state, _account, _decider),
    Doing.APPROVE: (_state, _account, _decider, _reader),
    Doing.CHANGES: (_state, _account, _decider, _changer),
    Doing.COMMENT: (_account,),
    Doing.PASS_ON: (_state, _account, _passer),
    Doing.WITHDRAW: (_state, _account, _withdrawer),
    Doing.TAKE_BACK: (_account, _taker_back),
    Doing.KICK: (_account, _kicker),
    Doing.CLOSE: (_account, _closer),
}


def _is_asked(question: Question, person: int, groups: frozenset[str]) -> bool:
    if question.assignee_id is not None:
        return question.assignee_id == person
    return question.group in groups


def _asked_of(question: Question) -> str:
    if question.assignee_id is not None:
        return _("This question was passed on to %(who)s, who has to answer it.") % {
            "who": question.assignee_name
        }
    return _("Only members of “%(group)s” may decide this question.") % {
        "group": sentences.read(question.group)
    }


def _named_right(question: Question) -> str:
    if question.assignee_id is not None:
        return sentences.PASSED_ON(question.assignee_name)
    return sentences.MEMBER(what=question.group)


def _starter_is_kept_out(question: Question, person: int, name: str) -> bool:
    return not question.starter_may_decide and _is_starter(question, person, name)


def _is_starter(question: Question, person: int, name: str) -> bool:
    """By id; by name where the task was imported before the account existed."""
    if question.starter_id is not None:
        return question.starter_id == person
    return question.starter_name == name
