"""What is changed in the admin stands in the audit log: which fields, from what to what."""

from collections.abc import Mapping
from typing import Any, ClassVar

from django.db import transaction
from django.db.models import Model, QuerySet
from django.forms import ModelForm
from django.http import HttpRequest

from taskboard import audit
from taskboard.admin.readonly import QuickAdmin

Values = dict[str, Any]


class AuditedAdmin(QuickAdmin):
    """`audited_as` says what adding, changing and deleting are called in the audit log."""

    audited_as: ClassVar[Mapping[str, str]] = {"added": "added", "changed": "changed", "deleted": "deleted"}

    def save_related(self, request: HttpRequest, form: ModelForm[Any], formsets: Any, change: bool) -> None:
        super().save_related(request, form, formsets, change)
        before, after = fields_of(form)
        if after or not change:
            act = self.act(form, change)
            audit.record(
                self.actor(request), act, form.instance, before=before if change else None, after=after
            )

    def act(self, form: ModelForm[Any], change: bool) -> str:
        return self.audited_as["changed" if change else "added"]

    def delete_model(self, request: HttpRequest, obj: Any) -> None:
        with transaction.atomic():
            audit.record(self.actor(request), self.audited_as["deleted"], obj, before=self.values_of(obj))
            super().delete_model(request, obj)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        with transaction.atomic():
            for one in queryset:
                self.delete_model(request, one)

    def actor(self, request: HttpRequest) -> str:
        return request.user.get_username()

    def values_of(self, obj: Any) -> Values:
        """What the row said: its editable fields."""
        fields = [field for field in obj._meta.concrete_fields if field.editable and not field.primary_key]
        return {field.name: plain(getattr(obj, field.attname)) for field in fields}


def fields_of(form: ModelForm[Any]) -> tuple[Values, Values]:
    """What was changed: as it was, and as it is."""
    names = form.changed_data
    before = {name: plain(form.initial.get(name)) for name in names}
    return before, {name: plain(form.cleaned_data.get(name)) for name in names}


def plain(value: Any) -> Any:
    """Rows by their names."""
    if isinstance(value, Model):
        return str(value)
    if isinstance(value, (list, tuple, set, QuerySet)):
        return sorted(str(one) for one in value)
    return value if isinstance(value, (bool, int, float, type(None))) else str(value)
