"""Webhooks in the admin, and the logs of what went out: mails, deliveries, answers to many questions."""

from typing import Any

from django.contrib import admin, messages
from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from approvals.admin.of_approval import OfApproval
from approvals.admin.webhook_form import WebhookForm, masked
from approvals.models import (
    BulkDecision,
    BulkDecisionRow,
    Delivery,
    Handling,
    Notice,
    NoticePreference,
    Webhook,
)
from approvals.rights import OVERSEE_PEOPLE, SEE
from taskboard.admin.audited import AuditedAdmin
from taskboard.admin.readonly import ReadOnlyAdmin


@admin.register(Webhook)
class WebhookAdmin(AuditedAdmin):
    """Switching one off keeps what is owed until it is on again. A secret is shown once, when it was made."""

    form = WebhookForm
    list_display = ("name", "url", "payload", "active", "looked_at", "stopped_why")
    list_filter = ("active", "payload")
    readonly_fields = ("secret_in_use", "created_at", "looked_at", "stopped_why")

    @admin.display(description=_("Secret in use"))
    def secret_in_use(self, obj: Webhook) -> str:
        return masked(obj.secret) or "–"

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """Who may only look has no use for the fields of a new secret."""
        kept = ["name", "url", "payload", "active", *self.readonly_fields]
        if not self.has_change_permission(request, obj):
            return kept
        fresh = ["new_secret", "replace_secret"] if obj else ["new_secret"]
        return [*kept[:4], *fresh, *kept[4:]]

    def save_model(self, request: HttpRequest, obj: Webhook, form: Any, change: bool) -> None:
        if obj.active:
            obj.stopped_why = ""
        super().save_model(request, obj, form, change)
        if form.made:
            told = _("The secret of “%(name)s” is %(secret)s. Copy it now: it is not shown again.")
            self.message_user(request, told % {"name": obj.name, "secret": form.made}, messages.WARNING)


@admin.register(Delivery)
class DeliveryAdmin(OfApproval):
    right = SEE
    list_display = (
        "id",
        "webhook",
        "event",
        "approval",
        "state",
        "attempts",
        "created_at",
        "due_at",
        "settled_at",
    )
    list_select_related = ("webhook", "approval")
    list_filter = ("state", "webhook", "created_at")
    search_fields = ("approval__id", "message_id")
    search_help_text = _("The number of a question, or of a message; in full.")


@admin.register(Notice)
class NoticeAdmin(OfApproval):
    right = SEE
    list_display = ("id", "approval", "user", "kind", "share", "outcome", "created_at", "settled_at")
    list_select_related = ("approval", "user")
    list_filter = ("kind", "outcome", "created_at")


@admin.register(NoticePreference)
class NoticePreferenceAdmin(ReadOnlyAdmin):
    right = SEE
    list_display = ("user", "kind", "mail")
    list_select_related = ("user",)


@admin.register(BulkDecision)
class BulkDecisionAdmin(ReadOnlyAdmin):
    right = SEE
    list_display = (
        "id",
        "outcome",
        "by_name",
        "created_at",
        "sample",
        "total",
        "done",
        "refused",
        "finished_at",
    )
    list_filter = ("sample",)

    def view_on_site(self, obj: BulkDecision) -> str:
        return reverse("approvals:bulk", args=[obj.pk])


@admin.register(BulkDecisionRow)
class BulkDecisionRowAdmin(OfApproval):
    right = SEE
    list_display = ("id", "bulk", "approval", "result", "told")
    list_select_related = ("bulk", "approval")
    list_filter = ("result",)
    search_fields = ("approval__id", "bulk__id")
    search_help_text = _("The number of a question, or of an answer to many.")


@admin.register(Handling)
class HandlingAdmin(ReadOnlyAdmin):
    right = OVERSEE_PEOPLE
    list_display = ("id", "vote", "way", "shown_at")
    list_select_related = ("vote",)
    list_filter = ("way",)
