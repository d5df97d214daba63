"""Users: switched off instead of deleted, and no way to give oneself more rights than one has."""

from collections.abc import Mapping
from typing import Any, ClassVar, cast

from django import forms
from django.contrib import admin, messages
from django.contrib.auth.admin import GroupAdmin, UserAdmin
from django.contrib.auth.forms import UserChangeForm
from django.contrib.auth.models import Group, User
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from taskboard import audit, people, sessions, tokens
from taskboard.admin.audited import AuditedAdmin
from taskboard.admin.readonly import ReadOnlyAdmin
from taskboard.models import ApiToken, Profile

NEVER_DELETED = _(
    "People are never deleted here, since their decisions must keep naming them. Take the tick off “active” "
    "instead: they are logged out at once and can do nothing more, and their tokens end for good."
)
GROUP_STAYS = _(
    "Questions and rules name groups by this name, so it stays. A group that nobody is in can be deleted; "
    "Operators, Managers and Administrators always stay."
)


@admin.register(Profile)
class ProfileAdmin(ReadOnlyAdmin):
    list_display = ("user", "language", "time_zone")
    list_select_related = ("user",)
    search_fields = ("user__username",)


@admin.register(ApiToken)
class ApiTokenAdmin(ReadOnlyAdmin):
    list_display = ("beginning", "name", "user", "expires_at", "last_used_at", "revoked_at")
    list_select_related = ("user",)
    search_fields = ("user__username",)
    exclude = ("digest",)


class PersonForm(UserChangeForm):  # type: ignore[type-arg]
    """Somebody must be left who administers people."""

    def clean(self) -> dict[str, Any]:
        said: dict[str, Any] = super().clean() or {}
        if people.would_leave_none(self.instance, said):
            raise ValidationError(people.NOBODY_LEFT)
        return said


admin.site.unregister(User)
admin.site.unregister(Group)


@admin.register(User)
class PersonAdmin(AuditedAdmin, UserAdmin):  # type: ignore[type-arg]
    form = PersonForm
    audited_as: ClassVar[Mapping[str, str]] = {
        "added": "user_added", "changed": "user_changed", "deleted": "deleted",
    }  # fmt: skip
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

    def changeform_view(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        """Two administrators who take each other's rights away at the same moment: the second is refused."""
        if request.method != "POST":
            return super().changeform_view(request, *args, **kwargs)
        with people.changing():
            return super().changeform_view(request, *args, **kwargs)

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        """Switched on again, a person has no tokens, even if they were switched off in some other way than here."""
        super().save_related(request, form, formsets, change)
        if change and people.loses_rights(form.initial, form.cleaned_data):
            sessions.end([form.instance.pk])
        if change and "is_active" in form.changed_data:
            tokens.end_those_of([form.instance], self.actor(request))

    def act(self, form: Any, change: bool) -> str:
        if change and "is_active" in form.changed_data:
            return "user_on" if form.cleaned_data["is_active"] else "user_off"
        return super().act(form, change)

    def user_change_password(self, request: HttpRequest, id: str, form_url: str = "") -> HttpResponse:
        """With the new password the sessions of the old one end."""
        with transaction.atomic():
            response = super().user_change_password(request, id, form_url)
            if request.method == "POST" and response.status_code == 302:
                audit.record(self.actor(request), "password", User.objects.get(pk=id))
        return response

    @admin.action(description=_("Switch off (nobody is deleted)"), permissions=["change"])
    def switch_off(self, request: HttpRequest, chosen: QuerySet[User]) -> None:
        """Whoever stays is named with the reason."""
        by = cast(User, request.user)
        stay = [why for one in chosen if (why := people.why_not_off(one, by))]
        gone = people.switch_off(chosen.all(), by)
        for one in gone:
            self.log_change(request, one, "is_active: false")
        if stay:
            self.message_user(request, " ".join(stay), messages.WARNING)
        if not gone:
            return
        told = ngettext(
            "%(number)d person was switched off.", "%(number)d people were switched off.", len(gone)
        )
        self.message_user(request, told % {"number": len(gone)}, messages.SUCCESS)


@admin.register(Group)
class PeopleGroupAdmin(AuditedAdmin, GroupAdmin):
    """What a group may do; who is in it is said at the people."""

    audited_as: ClassVar[Mapping[str, str]] = {
        "added": "group_added", "changed": "group_changed", "deleted": "deleted",
    }  # fmt: skip
    actions = None

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        if not super().has_delete_permission(request, obj):
            return False
        return obj is not None and obj.name not in people.BUILT_IN and not obj.user_set.exists()

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        return ("name",) if obj else ()

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        fields = super().get_fieldsets(request, obj)
        return [(title, {**rest, "description": GROUP_STAYS}) for title, rest in fields] if obj else fields

    def changeform_view(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        if request.method != "POST":
            return super().changeform_view(request, *args, **kwargs)
        with people.changing():
            return super().changeform_view(request, *args, **kwargs)

    def save_related(
        self, request: HttpRequest, form: forms.ModelForm[Any], formsets: Any, change: bool
    ) -> None:
        super().save_related(request, form, formsets, change)
        if change and people.loses_rights(form.initial, form.cleaned_data):
            sessions.end(form.instance.user_set.values_list("pk", flat=True))
