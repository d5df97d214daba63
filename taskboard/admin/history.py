"""Tasks and all that belongs to them: to be searched and read. They are changed on their own pages."""

from typing import Any, ClassVar

from django.contrib import admin
from django.contrib.admin.models import LogEntry
from django.utils.translation import gettext_lazy as _

from taskboard.admin.readonly import ReadOnlyAdmin
from taskboard.models import (
    Artifact,
    AttentionTaken,
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

BY_TASK = "=task__public_id"


class OfTask(ReadOnlyAdmin):
    """Rows of a task; "view on site" leads to its page."""

    list_select_related: ClassVar[tuple[str, ...]] = ("task",)
    search_fields: ClassVar[tuple[str, ...]] = (BY_TASK,)
    search_help_text = _("The id of a task, or another of the values shown here, in full.")
    ordering = ("-id",)

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
    list_filter = ("status", "workflow", "on_hold", "held", "created_at")
    search_fields = ("=public_id", "goal", "=created_by_name")
    raw_id_fields = ("created_by", "continues")

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
    search_fields = (BY_TASK, "=key")

    def view_on_site(self, obj: Item) -> str:
        return obj.task.get_absolute_url() if obj.is_whole_task else obj.get_absolute_url()


@admin.register(Step)
class StepAdmin(OfItem):
    list_display = ("name", "item", "task", "revision", "status", "attempt", "external_id", "finished_at")
    list_filter = ("status",)
    search_fields = (BY_TASK, "=item__key", "=idempotency_key", "=external_id")


@admin.register(Checkpoint)
class CheckpointAdmin(OfTask):
    list_display = ("ordinal", "task", "at", "kind", "item_key", "step", "attempt", "actor")
    list_filter = ("kind", "at")
    search_fields = (BY_TASK, "=item_key", "=actor")


@admin.register(Artifact)
class ArtifactAdmin(OfItem):
    list_display = ("name", "version", "task", "managed", "media_type", "size", "created_at")
    list_filter = ("managed", "media_type")
    search_fields = (BY_TASK, "=name")


@admin.register(LedgerEntry)
class LedgerEntryAdmin(OfItem):
    list_display = ("at", "task", "item", "step", "usd", "model", "estimated", "source")
    list_filter = ("estimated", "at")
    search_fields = (BY_TASK, "=source", "=model")

    @admin.display(description=_("USD"), ordering="amount_micro")
    def usd(self, entry: LedgerEntry) -> str:
        return str(to_usd(entry.amount_micro))


@admin.register(Effect)
class EffectAdmin(ReadOnlyAdmin):
    list_display = ("key", "external_id", "task", "made_by", "at")
    list_select_related = ("task",)
    search_fields = ("=key", "=external_id", BY_TASK)
    ordering = ("-id",)


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
    search_fields = (BY_TASK, "=author_name")
    raw_id_fields = ("author",)


@admin.register(AttentionTaken)
class AttentionTakenAdmin(ReadOnlyAdmin):
    list_display = ("kind", "key", "taken_by_name", "at")
    list_filter = ("kind",)
    search_fields = ("=key", "=taken_by_name")
    raw_id_fields = ("task", "taken_by")


@admin.register(Brief)
class BriefAdmin(OfTask):
    list_display = ("task", "number", "at")


@admin.register(BulkJob)
class BulkJobAdmin(OfTask):
    list_display = ("action", "task", "by_name", "created_at", "total", "done", "failed", "finished_at")
    list_filter = ("action",)
    raw_id_fields = ("task", "by")


@admin.register(BulkResult)
class BulkResultAdmin(ReadOnlyAdmin):
    list_display = ("item_key", "job", "outcome", "told")
    list_filter = ("outcome",)
    list_select_related = ("job",)
    search_fields = ("=job__task__public_id", "=item_key")
    ordering = ("-id",)


@admin.register(PurgeRecord)
class PurgeRecordAdmin(ReadOnlyAdmin):
    list_display = ("public_id", "goal", "purged_at", "purged_by", "completed", "archive")
    list_filter = ("completed", "workflow", "purged_at")
    search_fields = ("=public_id", "goal", "=purged_by", "=archive_sha256")


@admin.register(WorkflowVersion)
class WorkflowVersionAdmin(ReadOnlyAdmin):
    list_display = ("workflow", "version", "seen_at")
    list_filter = ("workflow",)


@admin.register(Heartbeat)
class HeartbeatAdmin(ReadOnlyAdmin):
    list_display = ("owner", "role", "started_at", "seen_at")
    list_filter = ("role",)


@admin.register(LogEntry)
class LogEntryAdmin(ReadOnlyAdmin):
    right = "taskboard.retain_task"
    list_display = ("action_time", "user", "content_type", "object_repr", "action_flag")
    list_filter = ("action_flag", "action_time")
    list_select_related = ("user", "content_type")
    search_fields = ("=user__username", "object_repr")
