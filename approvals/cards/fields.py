"""The fields of an action that the deciding person may change, as a form shows and sends them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from approvals.models import Approval, ApprovalKind
from taskboard.errors import BadInput

PREFIX = "edit."
ONE_LINE = 80


@dataclass(frozen=True)
class Field:
    """One editable value; a long text gets several lines."""

    name: str
    label: str
    value: str
    number: bool

    @property
    def sent_as(self) -> str:
        return PREFIX + self.name

    @property
    def is_long(self) -> bool:
        return len(self.value) > ONE_LINE or "\n" in self.value


def fields(approval: Approval) -> list[Field]:
    """Those that the workflow declares editable and that a person can type."""
    values = ((name, approval.payload.get(name)) for name in approval.editable)
    return [
        Field(name, label(approval, name), str(value), not isinstance(value, str))
        for name, value in values
        if isinstance(value, str) or type(value) is int
    ]


def typed(approval: Approval, said: Mapping[str, str]) -> dict[str, Any] | None:
    """The values that were changed, or None. Raises BadInput for text that is not a number."""
    changed = {
        field.name: _read(field, text)
        for field in fields(approval)
        if (text := said.get(field.sent_as, field.value).replace("\r\n", "\n")) != field.value
    }
    return changed or None


def _read(field: Field, text: str) -> str | int:
    if not field.number:
        return text
    try:
        return int(text)
    except ValueError:
        raise BadInput(_("Enter a whole number for “%s”.") % field.label) from None


def label(approval: Approval, name: str) -> str:
    """The name of a field of the action, for people."""
    if approval.kind == ApprovalKind.BUDGET:
        return _("New limit in USD")
    return name.replace("_", " ").capitalize()
