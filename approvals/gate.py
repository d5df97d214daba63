"""Plugged into taskboard.gates: what the engine needs of the app that asks people."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db.models import Count, Min, Q, QuerySet
from django.db.models.functions import Coalesce
from django.utils import timezone

from approvals import asking, decisions, document, expiry, handover, inbox, policy_words, resumer
from approvals.cards import course
from approvals.models import Approval, ApprovalKind, ApprovalStatus, Outcome
from approvals.models.queryset import OWED
from approvals.telling import reminders, sweep, unsent
from taskboard import sentences
from taskboard.change import Change
from taskboard.gates import Answered, Asked, Figures, Outgoing, Ruled, Seal, Settled
from taskboard.models import Step, StepStatus, Task
from taskboard.outcomes import Ask
from taskboard.seal import sha256_of
from taskboard.workflow import WorkflowSpec

LET_THROUGH = (ApprovalStatus.APPROVED, ApprovalStatus.EXPIRED)


class ApprovalsGate:
    """Implements taskboard.gates.Gate; see there what each method is for."""

    def ask(self, change: Change, step: Step, item_key: str, ask: Ask) -> None:
        before = _last_question(change.task, step, item_key)
        if before is not None and before.status == ApprovalStatus.OPEN:
            decisions.void(change, before, sentences.REPLACED())
        decisions.open_question(change, asking.for_step(change, step, item_key, ask), predecessor=before)

    def ask_for_budget(self, change: Change, needed_micro: int) -> None:
        questions = Approval.objects.filter(task=change.task, kind=ApprovalKind.BUDGET)
        if not questions.filter(status=ApprovalStatus.OPEN).exists():
            decisions.open_question(change, asking.for_budget(change, needed_micro))

    def seal(self, step: Step) -> Seal | None:
        last = Approval.objects.filter(step=step).last()
        if last is None or last.status not in LET_THROUGH or last.verdict != Outcome.APPROVE:
            return None
        action, _sha256 = last.sealed
        return Seal(asked_sha256=last.payload_sha256, action=action, action_sha256=sha256_of(action))

    def void(self, change: Change, step: Step, reason: str) -> None:
        last = Approval.objects.filter(step=step).last()
        if last is not None:
            decisions.void(change, last, reason)

    def withdraw(self, change: Change, steps: Sequence[int] | None, reason: str) -> int:
        asked = Approval.objects.filter(task=change.task, status=ApprovalStatus.OPEN)
        if steps is not None:
            asked = asked.filter(step__in=steps)
        return decisions.withdraw(change, asked.select_related("step"), reason)

    def budget_refused(self, tasks: Sequence[int]) -> Mapping[int, Settled]:
        asked = Approval.objects.filter(task__in=tasks, kind=ApprovalKind.BUDGET).order_by("pk")
        last = {one.task_id: one for one in asked}
        return {
            pk: _settled(one)
            for pk, one in last.items()
            if one.status != ApprovalStatus.OPEN and one.verdict != Outcome.APPROVE
        }

    def withdraw_budget(self, change: Change, reason: str) -> int:
        asked = Approval.objects.filter(
            task=change.task, kind=ApprovalKind.BUDGET, status=ApprovalStatus.OPEN
        )
        return decisions.withdraw(change, asked, reason)

    def ask_again(self, change: Change) -> int:
        alive = Approval.objects.alive().filter(task=change.task, step__isnull=False).values("step")
        waiting = Step.objects.filter(task=change.task, status=StepStatus.WAITING_APPROVAL)
        return handover.ask_these_again(change, list(waiting.exclude(pk__in=alive).select_related("item")))

    def collect(self, now: datetime, task: Task | None = None) -> int:
        return resumer.pick_up_all(task)

    def expire(self, now: datetime, task: Task | None = None) -> int:
        return expiry.expire_overdue(now, task)

    def tell(self, now: datetime) -> int:
        return reminders.send(now) + sweep.look(now)

    def figures(self, now: datetime) -> Figures:
        return unsent.figures(now)

    def outgoing(self, now: datetime) -> Outgoing:
        return unsent.outgoing(now)

    def drop_outgoing(self, now: datetime) -> int:
        return unsent.drop(now)

    def undelivered(self, now: datetime) -> tuple[int, datetime | None]:
        owed = Approval.objects.undelivered(now).filter(closed_at__lte=now, task__held=False)
        found = owed.aggregate(count=Count("id"), oldest=Min(Coalesce("hand_over_at", "closed_at")))
        return found["count"], found["oldest"]

    def unsettled(self) -> "QuerySet[Any, Any]":
        return Approval.objects.filter(Q(status=ApprovalStatus.OPEN) | OWED).order_by().values("task")

    def open_questions(self, task: Task, limit: int | None = None) -> list[dict[str, Any]]:
        asked = Approval.objects.unanswered(timezone.now()).filter(task=task).select_related("task")
        return [inbox.as_json(approval) for approval in asked[:limit]]

    def asked(self, tasks: Sequence[int]) -> int:
        of_items = Approval.objects.filter(task__in=tasks, step__position__gt=0)
        return of_items.values("step").distinct().count()

    def waits_for(self, tasks: Sequence[int], now: datetime) -> Mapping[int, Sequence[Asked]]:
        asked = Approval.objects.unanswered(now).filter(task__in=tasks).values("task", "group_name")
        groups = asked.annotate(count=Count("id"), oldest=Min("requested_at")).order_by(
            "oldest", "group_name"
        )
        found: dict[int, list[Asked]] = {}
        for one in groups:
            found.setdefault(one["task"], []).append(Asked(one["group_name"], one["count"], one["oldest"]))
        return found

    def question_of(self, step: Step) -> int | None:
        asked = Approval.objects.filter(step=step, status=ApprovalStatus.OPEN)
        return asked.values_list("pk", flat=True).first()

    def settled(self, task: Task, limit: int = 20) -> list[Settled]:
        decided = Approval.objects.filter(task=task, decided_at__isnull=False).order_by("-decided_at", "-pk")
        return [_settled(one) for one in decided[:limit]]

    def answered(self, task: Task, limit: int = 3) -> list[Answered]:
        latest = course.answered(Approval.objects.filter(task=task), limit)
        return [
            Answered(one.pk, one.action, one.status, one.decided_by_name, came.moments, one.is_owed)
            for one, came in latest
        ]

    def rules(self, spec: WorkflowSpec) -> Mapping[str, Ruled]:
        return policy_words.rules(spec)

    def rule_faults(self, spec: WorkflowSpec) -> list[str]:
        return policy_words.faults(spec)

    def to_document(self, task: Task) -> list[dict[str, Any]]:
        return document.written(task)

    def from_document(self, change: Change, entries: Sequence[Mapping[str, Any]]) -> None:
        document.read(change, entries)


def _settled(one: Approval) -> Settled:
    at = one.decided_at or one.closed_at or one.requested_at
    return Settled(one.item_key, one.step_name, one.action, one.status, one.decided_by_name, one.reason, at)


def _last_question(task: Task, step: Step, item_key: str) -> Approval | None:
    """What a new question of this step follows: the last of the same step, or of a document."""
    asked = Approval.objects.filter(
        task=task, item_key=item_key, step_name__in=(step.name, ""), successor=None
    )
    return asked.filter(kind=ApprovalKind.STEP).select_related("step").last()
