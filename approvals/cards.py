"""What a card shows of one question: facts in words, the difference, the seal, what may be done."""

import json
import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property

from django.contrib.auth.models import User
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from approvals import facts, rules
from approvals.comparison import compare
from approvals.models import Approval, ApprovalKind, ApprovalStatus, Outcome
from taskboard.looks import duration
from taskboard.models import Step, StepStatus, Task
from taskboard.seal import sha256_of
from taskboard.views import funnel

AHEAD = (StepStatus.PENDING, StepStatus.STARTED)


@dataclass(frozen=True)
class Executed:
    """What the step was really given, and when."""

    sha256: str
    started_at: datetime | None
    done_at: datetime | None


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

    @property
    def task(self) -> Task:
        return self.approval.task

    @property
    def diff(self) -> list[str]:
        return compare(self.approval.before, self.approval.after)

    @cached_property
    def payload(self) -> str:
        return json.dumps(self.approval.sealed[0], indent=2, sort_keys=True, ensure_ascii=False)

    @property
    def evidence(self) -> list[Evidence]:
        return [Evidence(str(fact["label"]), str(fact["text"])) for fact in self.approval.evidence]

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

    @property
    def budget_left(self) -> int | None:
        task = self.task
        return None if task.limit_micro is None else task.limit_micro - task.spent_micro - task.reserved_micro

    @property
    def limit(self) -> str:
        """The proposed limit, where the question is about the budget."""
        return str(self.approval.payload["limit_usd"]) if self.approval.kind == ApprovalKind.BUDGET else ""

    @cached_property
    def executed(self) -> Executed | None:
        """Known once the step has begun with it, unless a later question of the step took its place."""
        step, approval = self.approval.step, self.approval
        if (
            step is None
            or step.action is None
            or not approval.picked_up_at
            or not _began_after(step, approval)
        ):
            return None
        if Approval.objects.filter(step=step, pk__gt=approval.pk).exists():
            return None
        return Executed(sha256_of(step.action), step.started_at, step.verified_at or step.finished_at)

    @property
    def intact(self) -> bool:
        """Whether what was approved is what was executed."""
        return self.executed is not None and self.executed.sha256 == self.approval.decided_sha256

    @property
    def waits(self) -> bool:
        """Whether it was decided and nobody has picked it up."""
        approval = self.approval
        return approval.decided_at is not None and approval.picked_up_at is None and approval.verdict != ""

    @property
    def moving(self) -> bool:
        """Whether more happens by itself: it was answered, and what follows is not settled yet."""
        approval = self.approval
        if self.waits or approval.verdict != Outcome.APPROVE or approval.kind == ApprovalKind.BUDGET:
            return self.waits
        step = approval.step
        return approval.status != ApprovalStatus.VOID and step is not None and step.status in AHEAD

    @property
    def policy(self) -> list[str]:
        """The rules of this question, as sentences."""
        approval = self.approval
        who = ngettext(
            "One member of %(group)s has to agree.",
            "%(n)s members of %(group)s have to agree.",
            approval.needed,
        ) % {"group": approval.group_name, "n": approval.needed}
        starter = (
            _("The one who started the task may decide too.")
            if approval.starter_may_decide
            else _("The one who started the task may not decide.")
        )
        return [who, starter, self._on_expiry()]

    @property
    def approve_does(self) -> str:
        if self.approval.kind == ApprovalKind.BUDGET:
            return _("The limit is raised and the task goes on.")
        return _("The step runs once, with exactly the action shown here.")

    @property
    def reject_does(self) -> str:
        if self.approval.kind == ApprovalKind.BUDGET:
            return _("The limit stays, and the task stays blocked.")
        return _("The step ends without running. Your reason is kept for the people who wait.")

    def _on_expiry(self) -> str:
        approval = self.approval
        words = {
            "approve": _("If nobody answers in time, the action is carried out without a person’s yes."),
            "reject": _("If nobody answers in time, that counts as a no."),
        }
        then = _("If nobody answers within %(window)s, the question goes to %(group)s.") % {
            "window": duration(timedelta(seconds=approval.policy.get("window", 0))),
            "group": approval.policy.get("escalate_to") or approval.group_name,
        }
        return words.get(approval.policy.get("on_expiry", ""), then) if approval.policy else ""


def card(approval: Approval, user: User, now: datetime) -> Card:
    """The card for this reader; whether they may decide is asked of the rules that judge the decision."""
    refused = rules.refusal(facts.question_of(approval), facts.person_of(user.pk), now)
    return Card(approval, refused.message if refused else "")


def _began_after(step: Step, approval: Approval) -> bool:
    return step.started_at is not None and step.started_at >= approval.picked_up_at  # type: ignore[operator]
