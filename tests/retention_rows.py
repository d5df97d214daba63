"""Data for the tests of retention: a finished task with a row in every table that belongs to a task."""

from datetime import UTC, datetime
from typing import Any

from django.contrib.auth.models import User
from django.core.files.base import ContentFile

from approvals.models import (
    Approval,
    ApprovalStatus,
    BulkDecision,
    BulkDecisionRow,
    Delivery,
    Event,
    Handling,
    Notice,
    NoticePreference,
    Outcome,
    Reminder,
    Vote,
    Webhook,
)
from taskboard import artifacts, lifecycle
from taskboard.models import (
    Artifact,
    AttentionTaken,
    Brief,
    BulkJob,
    BulkResult,
    Comment,
    Effect,
    HoldRule,
    Instruction,
    ItemStatus,
    Kind,
    LedgerEntry,
    PurgePlan,
    PurgePlanTask,
    RetentionPolicy,
    Risk,
    Step,
    StepStatus,
    Task,
    TaskSecret,
)
from taskboard.outcomes import NewArtifact
from taskboard.workflows.seo_audit.models import SiteChange, SiteLink, SitePage
from tests.factories import NOW, make_finished_task, make_item, make_step

LATER = datetime(2026, 12, 1, tzinfo=UTC)


def make_full_task(items: int = 3, **over: Any) -> Task:
    """Every table that hangs on a task holds something of it."""
    task = make_finished_task(**over)
    for _number in range(items):
        item = make_item(task, status=ItemStatus.DONE)
        step = make_step(item, status=StepStatus.DONE, idempotency_key=f"{task.public_id}:{item.key}:fix")
        key = f"{task.public_id} {item.key}"
        Effect.objects.create(key=key, task=task, step=step, external_id="T-1", at=NOW)
        first = make_answered(step, "Change it")
        make_answered(step, "Change it again", predecessor=first)
        vote = {"user_name": "manager", "outcome": Outcome.APPROVE, "digest": "0" * 64}
        make_told(first, Vote.objects.create(approval=first, at=NOW, **vote))
        Event.objects.create(approval=first, at=NOW, what=Event.What.COMMENT, by_name="ops", text="Careful")
        Reminder.objects.create(approval=first, share=50, due_at=NOW)
        LedgerEntry.objects.create(task=task, item=item, at=NOW, amount_micro=50_000, source=key)
        SitePage.objects.create(task=task, path=item.key, url=f"https://example.org/{item.key}", read_at=NOW)
        SiteLink.objects.create(task=task, source=item.key, target="index")
        SiteChange.objects.create(task=task, path=item.key, field="title", text="New", step="apply_fix")
    make_rules()
    Risk.objects.create(task=task, text="It may rain", raised_by="step", raised_at=NOW)
    Instruction.objects.create(task=task, position=1, text="Slower", added_by="ops", added_at=NOW)
    Comment.objects.create(task=task, item=item, author_name="ops", text="I saw it", at=NOW)
    AttentionTaken.objects.create(kind="still", key=task.public_id, task=task, taken_by_name="ops", at=NOW)
    job = BulkJob.objects.create(task=task, action="retry", by_name="ops", created_at=NOW, finished_at=NOW)
    BulkResult.objects.create(job=job, position=1, item_key="a", outcome="done")
    Brief.objects.create(task=task, number=1, text="Stand by", at=NOW)
    TaskSecret.objects.create(task=task, name="token", sealed="sealed")
    with lifecycle.changing(task.pk, "ops") as change:
        change.spend(items * 50_000)
        change.record(Kind.NOTE, data={"text": "诊断 done"})
        report = artifacts.store(task, NewArtifact("report.md", content=b"# Report"), step="report")
        link = artifacts.store(task, NewArtifact("draft", url="s3://reports/draft.md"))
        artifacts.add(change, [report, link])
    artifacts.storage().save(f"sites/{task.public_id}/original/index.html", ContentFile(b"<html>"))
    assert Artifact.objects.filter(task=task).count() == 2
    task.refresh_from_db()
    return task


def make_rules() -> None:
    """What administrators said about keeping and purging, once; nothing of it acts any more."""
    HoldRule.objects.get_or_create(
        search="status:failed",
        time_zone="UTC",
        reason="Audit",
        owner_name="admin",
        created_at=NOW,
        ended_at=NOW,
    )
    RetentionPolicy.objects.get_or_create(workflow="gone", days=30, set_by_name="admin", set_at=NOW)
    plan, _new = PurgePlan.objects.get_or_create(
        by_name="admin", created_at=NOW, digest="0" * 64, asked_at=NOW, refused_at=NOW
    )
    PurgePlanTask.objects.get_or_create(plan=plan, position=1, public_id="task_20260901_0001", goal="Audit")


def make_answered(step: Step, action: str, **over: Any) -> Approval:
    """A question about this step that a manager said yes to."""
    times = dict.fromkeys(("requested_at", "decided_at", "closed_at", "picked_up_at"), NOW)
    asked = {"status": ApprovalStatus.APPROVED, "group_name": "Managers", "item_key": step.item.key}
    return Approval.objects.create(task=step.task, step=step, action=action, **asked, **times, **over)


def make_told(asked: Approval, said: Vote) -> None:
    """Who was told of this question, and how it was answered. Those rows that belong to no task are made once."""
    reader, _new = User.objects.get_or_create(username="reader")
    NoticePreference.objects.get_or_create(user=reader, kind="asked", mail=True)
    hook, _new = Webhook.objects.get_or_create(name="ops", url="https://hooks.example.org/")
    many, _new = BulkDecision.objects.get_or_create(
        outcome="approve", by_name="manager", created_at=NOW, begun_at=NOW, finished_at=NOW
    )
    Notice.objects.create(approval=asked, user=reader, kind="asked", created_at=NOW, settled_at=NOW)
    times = {"created_at": NOW, "due_at": NOW, "settled_at": NOW}
    Delivery.objects.create(webhook=hook, approval=asked, event="asked", message_id=f"m{asked.pk}", **times)
    BulkDecisionRow.objects.create(bulk=many, approval=asked, position=asked.pk, digest="0" * 64)
    Handling.objects.create(vote=said, way="bulk")
