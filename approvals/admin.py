"""Questions and answers in the admin: for reading only, since they are the record."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from approvals.models import Approval, Vote


class ReadOnly(admin.ModelAdmin):  # type: ignore[type-arg]
    """Rows can be looked at, nothing else."""

    show_full_result_count = False

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(Approval)
class ApprovalAdmin(ReadOnly):
    list_display = (
        "id",
        "action",
        "task",
        "item_key",
        "step_name",
        "status",
        "group_name",
        "requested_at",
        "decided_by_name",
    )
    list_filter = ("status", "kind", "source", "group_name")
    list_select_related = ("task",)
    search_fields = ("=task__public_id", "item_key", "action")
    date_hierarchy = "requested_at"


@admin.register(Vote)
class VoteAdmin(ReadOnly):
    list_display = ("id", "approval", "user_name", "outcome", "at", "counts")
    list_select_related = ("approval",)
    list_filter = ("outcome",)
    search_fields = ("=approval__id", "user_name")
