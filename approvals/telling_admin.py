"""Webhooks in the admin, and the logs of what went out: mails, deliveries, answers to many questions."""

from typing import Any

from django import forms
from django.contrib import admin
from django.core.exceptions import ValidationError

from approvals import posting
from approvals.models import (
    BulkDecision,
    BulkDecisionRow,
    Delivery,
    Handling,
    Notice,
    NoticePreference,
    Webhook,
)
from taskboard.admin.readonly import ReadOnlyAdmin
from taskboard.errors import BadInput


class WebhookForm(forms.ModelForm):  # type: ignore[type-arg]
    """An address is looked up before it is kept; a secret is made where none is given."""

    class Meta:
        model = Webhook
        fields = ("name", "url", "payload", "secret", "active")

    def clean_url(self) -> str:
        url: str = self.cleaned_data["url"]
        try:
            posting.check_address(url)
        except BadInput as refusal:
            raise ValidationError(refusal.message) from refusal
        return url

    def clean_secret(self) -> str:
        secret: str = self.cleaned_data["secret"].strip() or posting.new_secret()
        try:
            posting.check_secret(secret)
        except BadInput as refusal:
            raise ValidationError(refusal.message) from refusal
        return secret


@admin.register(Webhook)
class WebhookAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """Switching one off keeps what is owed until it is on again."""

    form = WebhookForm
    show_full_result_count = False
    list_display = ("name", "url", "payload", "active", "looked_at", "stopped_why")
    list_filter = ("active", "payload")
    readonly_fields = ("created_at", "looked_at", "stopped_why")

    def save_model(self, request: Any, obj: Webhook, form: Any, change: bool) -> None:
        if obj.active:
            obj.stopped_why = ""
        super().save_model(request, obj, form, change)


@admin.register(Delivery)
class DeliveryAdmin(ReadOnlyAdmin):
    right = "approvals.view_approval"
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
    list_filter = ("state", "webhook")
    search_fields = ("=approval__id", "=message_id")


@admin.register(Notice)
class NoticeAdmin(ReadOnlyAdmin):
    right = "approvals.view_approval"
    list_display = ("id", "approval", "user", "kind", "share", "outcome", "created_at", "settled_at")
    list_select_related = ("approval", "user")
    list_filter = ("kind", "outcome")
    search_fields = ("=approval__id", "=user__username")


@admin.register(NoticePreference)
class NoticePreferenceAdmin(ReadOnlyAdmin):
    right = "approvals.view_approval"
    list_display = ("user", "kind", "mail")
    list_select_related = ("user",)


@admin.register(BulkDecision)
class BulkDecisionAdmin(ReadOnlyAdmin):
    right = "approvals.view_approval"
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
    list_filter = ("outcome", "sample")
    search_fields = ("=by_name",)


@admin.register(BulkDecisionRow)
class BulkDecisionRowAdmin(ReadOnlyAdmin):
    right = "approvals.view_approval"
    list_display = ("id", "bulk", "approval", "result", "told")
    list_select_related = ("bulk", "approval")
    list_filter = ("result",)
    search_fields = ("=approval__id", "=bulk__id")


@admin.register(Handling)
class HandlingAdmin(ReadOnlyAdmin):
    right = "approvals.oversee_people"
    list_display = ("id", "vote", "way", "shown_at")
    list_select_related = ("vote",)
    list_filter = ("way",)
