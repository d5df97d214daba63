"""What people fill in: a new task, a budget, a reason, their profile."""

import secrets
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from decimal import Decimal
from typing import Any
from zoneinfo import available_timezones

from django import forms
from django.conf import settings
from django.utils import timezone
from django.utils.functional import lazy
from django.utils.translation import gettext_lazy as _

from taskboard.errors import BadInput, SeveralFaults, UnfitItems
from taskboard.models import Profile
from taskboard.money import LARGEST
from taskboard.steering.sheet import MOST_BYTES, Row, placed, rows
from taskboard.workflow import WorkflowSpec

USD_FAULTS = {
    "invalid": _("Give an amount in USD, for example 5.50."),
    "min_value": _("An amount in USD is between 0 and 1,000,000,000."),
    "max_value": _("An amount in USD is between 0 and 1,000,000,000."),
    "max_decimal_places": _("Give at most six digits after the point."),
}


class Usd(forms.DecimalField):
    """An amount in USD, to the micro-dollar."""

    def __init__(self, **options: Any) -> None:
        options.setdefault("error_messages", USD_FAULTS)
        widget = forms.TextInput(attrs={"inputmode": "decimal"})
        super().__init__(min_value=Decimal(0), max_value=LARGEST, decimal_places=6, widget=widget, **options)

    def to_python(self, value: Any) -> Any:
        """A comma is refused: it may stand for a point or for thousands."""
        if "," in str(value or ""):
            raise forms.ValidationError(_("Write the amount with a point and no comma, for example 5.50."))
        return super().to_python(value)


class NewTaskForm(forms.Form):
    """What every new task is asked, whatever its workflow; the token makes a double submit one task."""

    goal = forms.CharField(
        label=_("Goal"),
        required=False,
        max_length=500,
        error_messages={"max_length": _("Say it in at most 500 characters.")},
        help_text=_("One sentence that says what this is for. Left empty, the workflow words it."),
    )
    limit_usd = Usd(
        label=_("Budget in USD"),
        required=False,
        help_text=_(
            "When the next step does not fit, nothing is begun and a manager is asked. Empty: no limit."
        ),
    )
    submit_token = forms.CharField(widget=forms.HiddenInput, max_length=64, required=False)


class SheetForm(forms.Form):
    """A CSV file instead of a list typed by hand; for workflows whose form says `sheet = "name of a field"`."""

    sheet = forms.FileField(
        label=_("Or from a CSV sheet"),
        required=False,
        allow_empty_file=True,
        widget=forms.FileInput(attrs={"accept": ".csv,.tsv,.txt,text/csv"}),
        help_text=_(
            "Its first line names the columns, one of them “key”, “url” or “address”. It is shown before anything"
            " starts."
        ),
    )

    def clean_sheet(self) -> list[Row]:
        """The rows, none without a file; every fault with its line."""
        file = self.cleaned_data["sheet"]
        try:
            return rows(file.read(MOST_BYTES + 1)) if file else []
        except SeveralFaults as error:
            raise forms.ValidationError(list(error.faults)) from error
        except BadInput as error:
            raise forms.ValidationError(error.message) from error


def new_token() -> str:
    return secrets.token_urlsafe(24)


def params_form(
    spec: WorkflowSpec, data: Mapping[str, Any] | None = None, initial: Mapping[str, Any] | None = None
) -> forms.Form:
    """The workflow's own form; one without parameters has an empty form. A form that has `browser`
    learns that a person sits at one, who may name less than the command line."""
    form = (spec.params or forms.Form)(data, initial=dict(initial or {}))
    if hasattr(form, "browser"):
        form.browser = True
    form.use_required_attribute = False  # the server says it in a sentence and keeps the text
    return form


def sheet_field(spec: WorkflowSpec) -> str:
    """The parameter that a CSV sheet may fill; empty where the workflow takes none."""
    return str(getattr(spec.params, "sheet", ""))


def from_sheet(spec: WorkflowSpec, found: Sequence[Row]) -> str:
    """What the sheet puts into that parameter: the keys, one per line, unless the form says `from_sheet`."""
    make = getattr(spec.params, "from_sheet", None)
    return str(make(found)) if make else "\n".join(row.told for row in found)


def tell_at_sheet(params: forms.Form, name: str, sheet: SheetForm, found: Sequence[Row]) -> None:
    """What is wrong with the parameter that a sheet stands in for is said at the sheet, with its lines."""
    faults: list[str] = [*map(str, params.errors.pop(name, []))]
    unfit = getattr(params, "unfit", None)
    if unfit is None and len(found) == len(faults) == 1:
        unfit = UnfitItems({found[0].told: faults[0]})
    if found and faults:
        sheet.add_error("sheet", placed(unfit, found).faults if unfit else faults)


def field_sets(form: forms.Form) -> dict[str, Any]:
    """The fields of a workflow's form: long ones, short ones, and those that it calls advanced; each with
    the values that it suggests."""
    advanced, suggestions = getattr(form, "advanced", ()), getattr(form, "suggestions", {})
    shown = form.visible_fields()
    return {
        "long": [(b, suggestions.get(b.name)) for b in shown if _is_long(b) and b.name not in advanced],
        "short": [bound for bound in shown if not _is_long(bound) and bound.name not in advanced],
        "advanced": [bound for bound in shown if bound.name in advanced],
        "advanced_faults": any(bound.errors for bound in shown if bound.name in advanced),
    }


def _is_long(bound: forms.BoundField) -> bool:
    return isinstance(bound.field.widget, forms.Textarea)


def add_fault(form: forms.Form, fault: BadInput) -> None:
    """Put a fault that came up later at the field that it names."""
    name = fault.path.rpartition(".")[2]
    message = fault.message.removeprefix(f"{fault.path}: ")
    form.add_error(name if name in form.fields else None, message)


class BudgetForm(forms.Form):
    """A new limit."""

    limit_usd = Usd(label=_("New limit in USD"), required=False)


class ReasonForm(forms.Form):
    """Why; kept in the journal."""

    reason = forms.CharField(label=_("Reason"), max_length=2000, required=False)


class SettleForm(ReasonForm):
    """What a person found out about a step whose outcome is unknown."""

    external_id = forms.CharField(label=_("Id outside"), max_length=300, required=False)
    key = forms.CharField(label=_("Key"), max_length=400, required=False)


class LineForm(forms.Form):
    """A line for the brief."""

    text = forms.CharField(label=_("Line"), max_length=500, required=False)


def checked(form: forms.Form) -> dict[str, Any]:
    """The cleaned data; raises BadInput with all its faults."""
    if not form.is_valid():
        raise BadInput(" ".join(str(error) for errors in form.errors.values() for error in errors))
    return form.cleaned_data


def _in_three_months() -> date:
    return timezone.localdate() + timedelta(days=90)


class TokenForm(forms.Form):
    """Which script a token is for, and until when."""

    name = forms.CharField(
        label=_("For which script"),
        max_length=80,
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
        error_messages={
            "required": _("Say which script it is for, so that you know later which token to revoke.")
        },
    )
    last_day = forms.DateField(
        label=_("Last day"),
        initial=_in_three_months,
        input_formats=["%Y-%m-%d"],
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
        help_text=_("At most a year ahead. After it the token opens nothing."),
        error_messages={
            "invalid": _("Write a day as 2026-09-17."),
            "required": _("Write a day as 2026-09-17."),
        },
    )
    use_required_attribute = False


def _zones() -> list[tuple[str, Any]]:
    by_region: dict[str, list[tuple[str, str]]] = {}
    for name in sorted(available_timezones()):
        region, slash, place = name.partition("/")
        if slash and region not in ("Etc", "SystemV", "posix", "right"):
            by_region.setdefault(region, []).append((name, place.replace("_", " ")))
    return [("", _("As the site: %s") % settings.TIME_ZONE), ("UTC", "UTC"), *by_region.items()]


def _languages() -> list[tuple[str, Any]]:
    return [("", _("As the browser asks")), *settings.LANGUAGES]


class ProfileForm(forms.ModelForm):  # type: ignore[type-arg]
    """How a person likes to see words and times."""

    language = forms.ChoiceField(label=_("Language"), required=False, choices=lazy(_languages, list)())
    time_zone = forms.ChoiceField(label=_("Time zone"), required=False, choices=lazy(_zones, list)())

    class Meta:
        model = Profile
        fields = ("language", "time_zone")
