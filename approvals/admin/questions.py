"""Questions and answers in the admin: for reading only, since they are the record."""

from collections.abc import Mapping
from typing import Any, ClassVar

from django.contrib import admin
from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from approvals.admin.of_approval import OfApproval
from approvals.admin.policy_form import PolicyOverrideForm
from approvals.models import Absence, Approval, Event, PolicyOverride, Reminder, Vote
from taskboard.admin.audited import AuditedAdmin
from taskboard.admin.filters import GroupFilter, WorkflowFilter
from taskboard.admin.readonly import BY_TASK, ReadOnlyAdmin


@admin.register(Approval)
class ApprovalAdmin(ReadOnlyAdmin):
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
    list_filter = ("status", "kind", "source", GroupFilter, "requested_at")
    list_select_related = ("task",)
    search_fields = ("id", BY_TASK)
    search_within = "item_key"
    search_help_text = _(
        "The number of a question, or the id of a task and behind it the key of an item; in full."
    )

    def view_on_site(self, obj: Approval) -> str:
        return reverse("approvals:approval", args=[obj.pk])


@admin.register(Vote)
class VoteAdmin(OfApproval):
    list_display = ("id", "approval", "user_name", "outcome", "at", "counts")
    list_filter = ("outcome", "at")


@admin.register(PolicyOverride)
class PolicyOverrideAdmin(AuditedAdmin):
    """Who answers which question, said by an administrator instead of the workflow; for questions yet to be asked."""

    form = PolicyOverrideForm
    audited_as: ClassVar[Mapping[str, str]] = {
        "added": "policy", "changed": "policy", "deleted": "policy_removed",
    }  # fmt: skip
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
    list_filter = (WorkflowFilter,)
    search_fields = ("workflow", "step", "group")
    readonly_fields = ("version", "changed_by_name", "changed_at")

    def save_model(self, request: HttpRequest, obj: PolicyOverride, form: Any, change: bool) -> None:
        obj.version += 1
        obj.changed_by_name = request.user.get_username()
        super().save_model(request, obj, form, change)

    def view_on_site(self, obj: PolicyOverride) -> str:
        return reverse("taskboard:workflow", args=[obj.workflow])


@admin.register(Absence)
class AbsenceAdmin(ReadOnlyAdmin):
    list_display = ("user", "substitute", "since", "until", "set_by_name")
    list_select_related = ("user", "substitute")
    search_fields = ("user__username", "substitute__username")
    search_help_text = _("The name of a person, in full.")


@admin.register(Event)
class EventAdmin(OfApproval):
    list_display = ("id", "approval", "what", "at", "by_name")
    list_filter = ("what", "at")


@admin.register(Reminder)
class ReminderAdmin(OfApproval):
    list_display = ("approval", "share", "due_at", "sent_at")
