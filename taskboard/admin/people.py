"""Users: switched off instead of deleted, and no way to give oneself more rights than one has."""

from typing import Any

from django.contrib import admin, messages
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from taskboard.admin.readonly import ReadOnlyAdmin
from taskboard.models import Profile

NEVER_DELETED = _(
    "People are never deleted here, since their decisions must keep naming them. Take the tick off “active” "
    "instead: they are logged out at once and can do nothing more."
)


@admin.register(Profile)
class ProfileAdmin(ReadOnlyAdmin):
    list_display = ("user", "language", "time_zone")
    list_select_related = ("user",)
    search_fields = ("=user__username",)


admin.site.unregister(User)


@admin.register(User)
class PersonAdmin(UserAdmin):  # type: ignore[type-arg]
    actions = ("switch_off",)
    list_display = ("username", "email", "first_name", "last_name", "is_active", "is_staff", "last_login")
    list_filter = ("is_active", "is_staff", "groups")
    readonly_fields = ("last_login", "date_joined")

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Only a superuser changes a superuser: a new password would be a way to become one."""
        allowed = super().has_change_permission(request, obj)
        return allowed and (obj is None or not obj.is_superuser or request.user.is_superuser)

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        own = tuple(super().get_readonly_fields(request, obj))
        return own if request.user.is_superuser else (*own, "is_superuser", "user_permissions")

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        """The sentence why stands where one looks for the way to delete."""
        fieldsets = super().get_fieldsets(request, obj)
        if obj is None:
            return fieldsets
        why = {"description": NEVER_DELETED}
        return [
            (title, {**rest, **why} if "is_active" in rest["fields"] else rest) for title, rest in fieldsets
        ]

    @admin.action(description=_("Switch off (nobody is deleted)"), permissions=["change"])
    def switch_off(self, request: HttpRequest, people: QuerySet[User]) -> None:
        """Not oneself, and superusers only by a superuser."""
        people = people.filter(is_active=True).exclude(username=request.user.get_username())
        if not request.user.is_superuser:
            people = people.exclude(is_superuser=True)
        chosen = list(people)
        people.update(is_active=False)
        for one in chosen:
            self.log_change(request, one, "is_active: false")
        number = len(chosen)
        told = ngettext("%(number)d person was switched off.", "%(number)d people were switched off.", number)
        self.message_user(request, told % {"number": number}, messages.SUCCESS)
