"""Tasks and all that belongs to them: to be searched and read. They are changed on their own pages."""

from typing import Any, ClassVar

from django.contrib import admin
from django.contrib.admin.models import LogEntry
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from taskboard import audit
from taskboard.admin.filters import WorkflowFilter
from taskboard.admin.readonly import BY_TASK, ReadOnlyAdmin
from taskboard.models import (
    Artifact,
    AttentionTaken,
    AuditEntry,
    Brief,
    BulkJob,
    BulkResult,
    Checkpoint,
    Comment,
    Effect,
    Heartbeat,
    Instruction,
    Item,
    LedgerEntry,
    PurgeRecord,
    Risk,
    Step,
    Task,
    WorkflowVersion,
)  # fmt: skip
from taskboard.money import to_usd
from taskboard.rights import RETAIN


class OfTask(ReadOnlyAdmin):
    """Rows of a task; "view on site" leads to its page."""

    list_select_related: ClassVar[tuple[str, ...]] = ("task",)
    search_fields: ClassVar[tuple[str, ...]] = (BY_TASK,)
    search_help_text = _("The id of a task, and behind it the key of an item where there is one; in full.")

    def view_on_site(self, obj: Any) -> str:
        return str(obj.task.get_absolute_url())


class OfItem(OfTask):
    """Rows of an item; "view on site" leads to the item's page where there is one."""

    list_select_related = ("task", "item")

    def view_on_site(self, obj: Any) -> str:
        if obj.item is None or obj.item.is_whole_task:
            return str(obj.task.get_absolute_url())
        return str(obj.item.get_absolute_url())


@admin.register(Task)
class TaskAdmin(ReadOnlyAdmin):
    list_display = (
        "public_id",
        "goal_in_short",
        "workflow",
        "status",
        "created_by_name",
        "created_at",
        "usd",
    )
    list_filter = ("status", WorkflowFilter, "on_hold", "held", "created_at")
    search_fields = ("public_id",)
    search_help_text = _("The id of a task, in full. The page of tasks searches in goals.")

    @admin.display(description=_("goal"))
    def goal_in_short(self, task: Task) -> str:
        return task.goal if len(task.goal) <= 80 else task.goal[:79] + "…"

    @admin.display(description=_("spent (USD)"), ordering="spent_micro")
    def usd(self, task: Task) -> str:
        return str(task.spent_usd)


@admin.register(Item)
class ItemAdmin(OfTask):
    list_display = ("key", "label", "task", "status", "stage", "updated_at")
    list_filter = ("status",)
    search_fields = (BY_TASK, "key")
    search_within = "key"

    def view_on_site(self, obj: Item) -> str:
        return obj.task.get_absolute_url() if obj.is_whole_task else obj.get_absolute_url()


@admin.register(Step)
class StepAdmin(OfItem):
    list_display = ("name", "item", "task", "revision", "status", "attempt", "external_id", "finished_at")
    list_filter = ("status",)
    search_fields = (BY_TASK, "idempotency_key")
    search_within = "item__key"
    search_help_text = _("The id of a task, behind it the key of an item; or an idempotency key; in full.")


@admin.register(Checkpoint)
class CheckpointAdmin(OfTask):
    list_display = ("ordinal", "task", "at", "kind", "item_key", "step", "attempt", "actor")
    list_filter = ("kind", "at")
    search_fields = (BY_TASK,)
    search_within = "item_key"


@admin.register(Artifact)
class ArtifactAdmin(OfItem):
    list_display = ("name", "version", "task", "managed", "media_type", "size", "created_at")
    list_filter = ("managed",)
    search_within = "name"
    search_help_text = _("The id of a task, and behind it the name of an artifact; in full.")


@admin.register(LedgerEntry)
class LedgerEntryAdmin(OfItem):
    list_display = ("at", "task", "item", "step", "usd", "model", "estimated", "source")
    list_filter = ("estimated", "at")
    search_fields = (BY_TASK, "source")
    search_within = "item__key"

    @admin.display(description=_("USD"), ordering="amount_micro")
    def usd(self, entry: LedgerEntry) -> str:
        return str(to_usd(entry.amount_micro))


@admin.register(Effect)
class EffectAdmin(ReadOnlyAdmin):
    list_display = ("key", "external_id", "task", "made_by", "at")
    list_select_related = ("task",)
    search_fields = ("key", BY_TASK)
    search_help_text = _("An effect key, or the id of a task; in full.")

    def view_on_site(self, obj: Effect) -> str | None:
        return obj.task.get_absolute_url() if obj.task else None


@admin.register(Risk)
class RiskAdmin(OfItem):
    list_display = ("text", "severity", "task", "raised_by", "raised_at", "closed_at")
    list_filter = ("severity",)


@admin.register(Instruction)
class InstructionAdmin(OfTask):
    list_display = ("text", "task", "position", "added_by", "added_at", "taken_up_at")


@admin.register(Comment)
class CommentAdmin(OfItem):
    list_display = ("text", "task", "item", "author_name", "at", "withdrawn_at")


@admin.register(AttentionTaken)
class AttentionTakenAdmin(ReadOnlyAdmin):
    list_display = ("kind", "key", "taken_by_name", "at")
    search_fields = (BY_TASK,)

    def view_on_site(self, obj: AttentionTaken) -> str:
        return reverse("taskboard:attention")


@admin.register(Brief)
class BriefAdmin(OfTask):
    list_display = ("task", "number", "at")


@admin.register(BulkJob)
class BulkJobAdmin(OfTask):
    list_display = ("action", "task", "by_name", "created_at", "total", "done", "failed", "finished_at")
    list_filter = ("action",)

    def view_on_site(self, obj: BulkJob) -> str:
        return reverse("taskboard:bulk_job", args=[obj.task.public_id, obj.pk])


@admin.register(BulkResult)
class BulkResultAdmin(ReadOnlyAdmin):
    list_display = ("item_key", "job", "outcome", "told")
    list_filter = ("outcome",)
    list_select_related = ("job",)
    search_fields = ("job__task__public_id",)
    search_help_text = _("The id of a task, in full.")

    def view_on_site(self, obj: BulkResult) -> str:
        return reverse("taskboard:bulk_job", args=[obj.job.task.public_id, obj.job_id])


@admin.register(PurgeRecord)
class PurgeRecordAdmin(ReadOnlyAdmin):
    list_display = ("public_id", "goal", "purged_at", "purged_by", "completed", "archive")
    list_filter = ("completed", WorkflowFilter, "purged_at")
    search_fields = ("public_id",)
    search_help_text = _("The id of a task, in full.")

    def view_on_site(self, obj: PurgeRecord) -> str:
        return reverse("taskboard:retention")


@admin.register(WorkflowVersion)
class WorkflowVersionAdmin(ReadOnlyAdmin):
    list_display = ("workflow", "version", "seen_at")
    list_filter = (WorkflowFilter,)

    def view_on_site(self, obj: WorkflowVersion) -> str:
        return reverse("taskboard:workflow", args=[obj.workflow])


@admin.register(Heartbeat)
class HeartbeatAdmin(ReadOnlyAdmin):
    list_display = ("owner", "role", "started_at", "seen_at")
    list_filter = ("role",)


@admin.register(LogEntry)
class LogEntryAdmin(ReadOnlyAdmin):
    right = RETAIN
    list_display = ("action_time", "user", "content_type", "object_repr", "action_flag")
    list_filter = ("action_flag", "action_time")
    list_select_related = ("user", "content_type")
    search_fields = ("user__username",)
    search_help_text = _("The name of a person, in full.")


@admin.register(AuditEntry)
class AuditEntryAdmin(ReadOnlyAdmin):
    list_display = ("at", "actor", "action_in_words", "target_kind", "target", "address")
    list_filter = ("at",)
    search_fields = ("actor", "action")
    search_help_text = _("The name of a person, in full. The page “Audit log” filters by more.")

    @admin.display(description=_("act"))
    def action_in_words(self, entry: AuditEntry) -> str:
        return str(audit.ACTIONS.get(entry.action, entry.action))

    def view_on_site(self, obj: AuditEntry) -> str:
        return reverse("taskboard:audit") + f"?before={obj.pk + 1}"
