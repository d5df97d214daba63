"""What an administrative act changed, in words: fields as forms call them, values as pages show them."""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from django.apps import apps
from django.core.exceptions import FieldDoesNotExist
from django.db import models
from django.template.defaultfilters import filesizeformat
from django.utils.dateparse import parse_datetime
from django.utils.formats import number_format
from django.utils.text import capfirst
from django.utils.timezone import is_aware
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django_stubs_ext import StrOrPromise

from taskboard import dates, looks
from taskboard.errors import BadInput
from taskboard.models import Installation
from taskboard.money import to_micro
from taskboard.views.entries import DEEDS

Choices = Mapping[Any, looks.Words | StrOrPromise]
FIELDS: Mapping[str, StrOrPromise] = {
    "limit_usd": gettext_lazy("Limit"),
    "until": gettext_lazy("Until"),
    "since": gettext_lazy("Since"),
    "days": gettext_lazy("Days"),
    "owner": gettext_lazy("Owner"),
    "by": gettext_lazy("By"),
    "reason": gettext_lazy("Reason"),
    "search": gettext_lazy("Search"),
    "time_zone": gettext_lazy("Time zone"),
    "tasks": gettext_lazy("Tasks"),
    "rows": gettext_lazy("Rows"),
    "files": gettext_lazy("Files"),
    "bytes": gettext_lazy("Size"),
    "archive": gettext_lazy("Archive"),
    "sha256": gettext_lazy("SHA-256"),
    "item": gettext_lazy("Item"),
    "step": gettext_lazy("Step"),
    "status": gettext_lazy("Status"),
    "said": gettext_lazy("What was said"),
    "external_id": gettext_lazy("External id"),
    "question": gettext_lazy("Question"),
    "dropped": gettext_lazy("Dropped unsent"),
    "made_at": gettext_lazy("Made at"),
    "backup_at": gettext_lazy("Backup made at"),
    "why": gettext_lazy("Why"),
    "on": gettext_lazy("On"),
    "recovery": gettext_lazy("Recovery codes"),
    "single_sign_on": gettext_lazy("Single sign-on"),
    "substitute": gettext_lazy("Substitute"),
}
"""Names that acts give to what they changed; others are fields of the target's model."""
CHOICES: Mapping[str, Choices] = {
    "status": looks.WORDS,
    "said": DEEDS,
    "why": dict(Installation.Why.choices),
    "recovery": {"new": gettext_lazy("new")},
}
NONE: Mapping[str, StrOrPromise] = {
    "limit_usd": gettext_lazy("no limit"), "days": gettext_lazy("without an end"),
}  # fmt: skip
"""What it means that there is no value, where it means something."""
SHA256_SHOWN = 12


def changes(kind: str, before: Any, after: Any) -> Iterator[tuple[str, str, str]]:
    """Each field of the target with what it was and what it is; empty where it was not told."""
    was, now = (value if isinstance(value, dict) else {} for value in (before, after))
    for name in dict.fromkeys([*was, *now]):
        yield _label(kind, name), _told(kind, name, was), _told(kind, name, now)


def _label(kind: str, name: str) -> str:
    field = _field(kind, name)
    return str(FIELDS.get(name) or capfirst(field.verbose_name if field else name.replace("_", " ")))


def _told(kind: str, name: str, some: Mapping[str, Any]) -> str:
    return _value(name, some[name], _choices(kind, name)) if name in some else ""


def _value(name: str, value: Any, known: Choices) -> str:
    if value is None or value == "":
        return str(NONE.get(name, ""))
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    if isinstance(value, list):
        return ", ".join(_value(name, one, known) for one in value)
    if isinstance(value, dict):
        return "; ".join(f"{key}: {_value(key, one, {})}" for key, one in value.items())
    if isinstance(value, int):
        return filesizeformat(value) if name == "bytes" else number_format(value)
    return str(known.get(value) or _text(name, str(value)))


def _text(name: str, value: str) -> str:
    if name == "sha256":
        return f"{value[:SHA256_SHOWN]}…"
    try:
        if name == "limit_usd":
            return looks.dollars(to_micro(value))
        at = parse_datetime(value)
    except (BadInput, ValueError):
        return value
    return dates.minute(at) if at and is_aware(at) else value


def _choices(kind: str, name: str) -> Choices:
    field = _field(kind, name)
    return CHOICES.get(name) or dict(field.flatchoices if field else ())


def _field(kind: str, name: str) -> "models.Field[Any, Any] | None":
    model = _models().get(kind)
    try:
        found = model._meta.get_field(name) if model else None
    except FieldDoesNotExist:
        return None
    return found if isinstance(found, models.Field) else None


@cache
def _models() -> Mapping[str, type[models.Model]]:
    return {str(model._meta.model_name): model for model in apps.get_models()}
