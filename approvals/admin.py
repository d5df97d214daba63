"""Questions and answers in the admin: for reading only, since they are the record."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from approvals import telling_admin as telling_admin  # registers its own
from approvals.models import Absence, Approval, Event, PolicyOverride, Reminder, Vote
from approvals.policy_form import PolicyOverrideForm


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


@admin.register(PolicyOverride)
class PolicyOverrideAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """Who answers which question, said by an administrator instead of the workflow; for questions yet to be asked."""

    form = PolicyOverrideForm
    show_full_result_count = False
    list_display = (
        "workflow",
        "step",
        "group",
        "needed",
        "on_expiry",
        "version",
        "changed_by_name",
        "changed_at",
    )
    list_filter = ("workflow",)
    search_fields = ("workflow", "step", "group")
    readonly_fields = ("version", "changed_by_name", "changed_at")

    def save_model(self, request: HttpRequest, obj: PolicyOverride, form: Any, change: bool) -> None:
        obj.version += 1
        obj.changed_by_name = request.user.get_username()
        super().save_model(request, obj, form, change)


@admin.register(Absence)
class AbsenceAdmin(ReadOnly):
    list_display = ("user", "substitute", "since", "until", "set_by_name")
    list_select_related = ("user", "substitute")
    search_fields = ("=user__username", "=substitute__username")


@admin.register(Event)
class EventAdmin(ReadOnly):
    list_display = ("id", "approval", "what", "at", "by_name")
    list_select_related = ("approval",)
    list_filter = ("what",)
    search_fields = ("=approval__id", "=by_name")


@admin.register(Reminder)
class ReminderAdmin(ReadOnly):
    list_display = ("approval", "share", "due_at", "sent_at")
    list_select_related = ("approval",)
    search_fields = ("=approval__id",)
