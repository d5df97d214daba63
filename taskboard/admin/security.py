"""Freezes, secrets and logins, read-only. Secrets and digests themselves are never shown."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django_otp.plugins.otp_static.models import StaticDevice
from django_otp.plugins.otp_totp.models import TOTPDevice

from taskboard.admin.readonly import ReadOnlyAdmin
from taskboard.guards import person
from taskboard.login import second_factor
from taskboard.models import Freeze, LoginPause, SignOn, TaskSecret

PEOPLE = "auth.change_user"


@admin.register(Freeze)
class FreezeAdmin(ReadOnlyAdmin):
    list_display = ("system", "frozen_by", "frozen_at", "thawed_by", "thawed_at")
    search_fields = ("system",)


@admin.register(TaskSecret)
class TaskSecretAdmin(ReadOnlyAdmin):
    list_display = ("task", "name")
    list_select_related = ("task",)
    search_fields = ("task__public_id",)
    exclude = ("sealed",)
    ordering = ("-id",)

    def view_on_site(self, obj: Any) -> str:
        return str(obj.task.get_absolute_url())


@admin.register(LoginPause)
class LoginPauseAdmin(ReadOnlyAdmin):
    list_display = ("id", "failures", "last_at", "until")
    fields = ("failures", "last_at", "until")
    ordering = ("-id",)


@admin.register(SignOn)
class SignOnAdmin(ReadOnlyAdmin):
    list_display = ("user", "subject", "issuer", "last_at")
    list_select_related = ("user",)
    search_fields = ("user__username", "subject")
    ordering = ("-id",)


@admin.register(TOTPDevice)
class SecondFactorAdmin(ReadOnlyAdmin):
    """Deleting one is the reset for somebody whose phone is gone; the recovery codes go with it."""

    right = PEOPLE
    list_display = ("user", "confirmed", "created_at", "last_used_at")
    list_select_related = ("user",)
    search_fields = ("user__username",)
    fields = ("user", "confirmed", "created_at", "last_used_at")
    ordering = ("-id",)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return self.has_view_permission(request)

    def delete_model(self, request: HttpRequest, obj: TOTPDevice) -> None:
        second_factor.forget(obj.user, person(request))

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        for device in queryset.select_related("user"):
            second_factor.forget(device.user, person(request))


@admin.register(StaticDevice)
class RecoveryAdmin(ReadOnlyAdmin):
    """Takes the place of the library's own list, which shows the codes."""

    right = PEOPLE
    list_display = ("user", "last_used_at")
    list_select_related = ("user",)
    fields = ("user", "last_used_at")
    ordering = ("-id",)
