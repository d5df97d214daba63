"""What a card shows of one question: facts in words, the difference, the seal, what may be done."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cached_property
from math import ceil
from operator import attrgetter

from django.contrib.auth.models import User
from django.utils.translation import gettext as _

from approvals import archived, facts, rules
from approvals.cards import background, reading, sentences
from approvals.cards.comparison import Row, compare
from approvals.cards.course import UNDER_WAY, Course, course_of
from approvals.cards.edits import Edit, edits
from approvals.cards.fields import Field, fields
from approvals.cards.replaced import Former, Replacement, former, replacement
from approvals.models import Approval, ApprovalKind, ApprovalStatus, Event, Outcome, Vote
from approvals.rules import Doing
from taskboard import health
from taskboard.budget import left_micro
from taskboard.models import StepStatus, Task
from taskboard.sentences import read as in_words
from taskboard.views import funnel
from taskboard.views.artifact_links import Shown

HURRY = timedelta(days=1)


@dataclass(frozen=True)
class Evidence:
    """A fact that the software found; a difference is shown as one."""

    label: str
    text: str

    @property
    def is_diff(self) -> bool:
        return self.text.startswith("--- ") and "\n@@ " in self.text


@dataclass(frozen=True)
class Card:
    """One question for one reader at one moment."""

    approval: Approval
    refusal: str
    now: datetime
    may: frozenset[Doing] = frozenset()
    broken: bool = False
    right: str = ""
    """By which right this reader may answer."""

    @property
    def title(self) -> str:
        """What would be done; where the workflow says nothing, the number at least."""
        told = in_words(self.approval.action.strip())
        return told or _("Question %s, without a description") % self.approval.pk

    @property
    def task(self) -> Task:
        return self.approval.task

    @cached_property
    def diff(self) -> list[Row]:
        before, after = self.approval.before, self.approval.after
        if self.approval.kind == ApprovalKind.BUDGET:
            return compare(in_words(before), in_words(after))
        return compare(before, after)

    @cached_property
    def payload(self) -> str:
        return json.dumps(self.approval.sealed[0], indent=2, sort_keys=True, ensure_ascii=False)

    @cached_property
    def unshown(self) -> list[reading.Part]:
        return reading.unshown(self.approval)

    @property
    def bare(self) -> bool:
        return reading.is_bare(self.approval)

    @property
    def needs_confirmation(self) -> bool:
        """A yes to something that is not described, or cannot be shown as it should, is asked for twice."""
        return self.broken or self.bare

    @property
    def is_long(self) -> bool:
        return reading.is_long(self.approval, self.unshown)

    @property
    def length(self) -> int:
        return reading.length(self.approval, self.unshown)

    @cached_property
    def earlier(self) -> list[background.Earlier]:
        return background.earlier(self.approval, self.now)

    @cached_property
    def replaced(self) -> Replacement | None:
        return replacement(self.approval)

    @cached_property
    def former(self) -> Former | None:
        return former(self.approval)

    @cached_property
    def artifacts(self) -> Sequence[Shown]:
        return background.artifacts(self.approval)

    @cached_property
    def later_artifacts(self) -> Sequence[Shown]:
        return background.later_artifacts(self.approval)

    @property
    def evidence(self) -> list[Evidence]:
        return [
            Evidence(in_words(str(one["label"])), in_words(str(one["text"])))
            for one in self.approval.evidence
        ]

    @property
    def step_label(self) -> str:
        spec = funnel.spec_of(self.task)
        name = self.approval.step_name
        return funnel.label(spec.steps.get(name) if spec else None, name)

    @property
    def impact(self) -> int | None:
        """A bare number only where no sentence says what it counts."""
        number = self.approval.impact
        words = re.findall(r"\d+", f"{self.approval.action} {self.approval.consequence}")
        return None if str(number) in words else number

    @property
    def edited(self) -> bool:
        return self.approval.decided_payload is not None

    @cached_property
    def edits(self) -> list[Edit]:
        return edits(self.approval)

    @property
    def sealed_sha256(self) -> str:
        return self.approval.sealed[1]

    @property
    def budget_left(self) -> int | None:
        return left_micro(self.task)

    @property
    def hurries(self) -> bool:
        ends = self.approval.expires_at
        return ends is not None and ends - self.now < HURRY

    @property
    def voices(self) -> int:
        """How many have agreed so far."""
        votes, stage = self.approval.votes.all(), self.approval.stage
        return sum(v.counts and v.stage == stage and v.outcome == Outcome.APPROVE for v in votes)

    @cached_property
    def said(self) -> list[Vote | Event]:
        """Answers and all else that happened to it, in the order in which it was."""
        return sorted([*self.approval.votes.all(), *self.approval.events.all()], key=attrgetter("at"))

    @cached_property
    def deciding(self) -> Vote | None:
        """The answer that closed it: one line tells both."""
        at = self.approval.closed_at
        return next((v for v in self.approval.votes.all() if v.counts and v.at == at), None)

    @cached_property
    def receivers(self) -> background.Receivers:
        return background.receivers(self.approval)

    @property
    def undo_until(self) -> datetime | None:
        """Until when this reader can take the answer back."""
        ends = self.approval.hand_over_at
        return ends if Doing.TAKE_BACK in self.may and ends is not None and ends > self.now else None

    @property
    def undo_seconds(self) -> int:
        """How many are left for that; a started one counts."""
        return ceil((self.undo_until - self.now).total_seconds()) if self.undo_until else 0

    @property
    def may_comment(self) -> bool:
        return Doing.COMMENT in self.may

    @property
    def may_pass_on(self) -> bool:
        return Doing.PASS_ON in self.may

    @property
    def may_withdraw(self) -> bool:
        return Doing.WITHDRAW in self.may

    @property
    def may_kick(self) -> bool:
        return Doing.KICK in self.may

    @property
    def may_close(self) -> bool:
        return Doing.CLOSE in self.may

    @property
    def fields(self) -> list[Field]:
        """What may be changed with a yes."""
        return fields(self.approval)

    @property
    def about_budget(self) -> bool:
        return self.approval.kind == ApprovalKind.BUDGET

    @cached_property
    def course(self) -> Course:
        return course_of(self.approval)

    @cached_property
    def number_before(self) -> int | None:
        return archived.number_before(self.approval)

    @property
    def intact(self) -> bool:
        """Whether what was approved is what was executed."""
        return bool(self.course.sha256) and self.course.sha256 == self.sealed_sha256

    @property
    def skipped(self) -> bool:
        """Whether its step looked, and then left the action alone."""
        return self.course.ended == StepStatus.SKIPPED

    @property
    def waits(self) -> bool:
        """Whether it was decided and nobody has picked it up."""
        approval = self.approval
        return approval.decided_at is not None and approval.picked_up_at is None and approval.verdict != ""

    @property
    def neglected(self) -> bool:
        """Whether it waits for longer than a worker needs, so that somebody should look after the workers."""
        approval = self.approval
        return self.waits and health.is_overdue(approval.hand_over_at or approval.closed_at, self.now)

    @property
    def moving(self) -> bool:
        """Whether more happens by itself: it was answered, and what follows is not settled yet."""
        approval = self.approval
        if self.waits or approval.verdict != Outcome.APPROVE or approval.kind == ApprovalKind.BUDGET:
            return self.waits
        step = approval.step
        return approval.status != ApprovalStatus.VOID and step is not None and step.status in UNDER_WAY

    @property
    def policy(self) -> list[str]:
        return sentences.policy(self.approval)

    @property
    def approve_does(self) -> str:
        return sentences.approve_does(self.approval)

    @property
    def reject_does(self) -> str:
        return sentences.reject_does(self.approval)

    @property
    def changes_do(self) -> str:
        return sentences.changes_do(self.approval)


def card(approval: Approval, user: User, now: datetime) -> Card:
    """The card for this reader; what they may do is asked of the rules that judge the deed."""
    question, person = facts.question_of(approval), facts.person_of(user.pk)
    refused = {doing: rules.refusal(question, person, now, doing) for doing in Doing}
    why_not = refused[Doing.DECIDE]
    may = frozenset(doing for doing, error in refused.items() if error is None and not approval.task.archived)
    right = "" if why_not else rules.right_of(question, person)
    return Card(approval, why_not.message if why_not else "", now, may, right=right)


def without_words(card: Card) -> Card:
    """The same card for a question whose text cannot be drawn."""
    return replace(card, broken=True)
