"""What a person enters about an absence; times are those of their own zone."""

from typing import Any

from django import forms
from django.contrib.auth.models import User
from django.utils.translation import gettext_lazy as _

from approvals import delegation
from approvals.rights import ABSENCES

TYPED = "%Y-%m-%dT%H:%M"


class PersonField(forms.ModelChoiceField):  # type: ignore[type-arg]
    """One of those who decide, by the name that colleagues know."""

    def label_from_instance(self, obj: User) -> str:
        full = obj.get_full_name()
        return f"{full} ({obj.get_username()})" if full else obj.get_username()


class MomentField(forms.DateTimeField):
    """Day and time, as the browser's own control sends it."""

    widget = forms.DateTimeInput(format=TYPED, attrs={"type": "datetime-local"})
    input_formats = (TYPED, f"{TYPED}:%S", "%Y-%m-%d %H:%M", "%Y-%m-%d")


class AbsenceForm(forms.Form):
    """Administrators also say whose absence it is."""

    use_required_attribute = False  # the server says it in a sentence and keeps what was typed
    person = PersonField(queryset=User.objects.none(), label=_("Who is away"))
    substitute = PersonField(
        queryset=User.objects.none(), label=_("Who answers meanwhile"), empty_label=_("Choose a person")
    )
    since = MomentField(label=_("From"), required=False, help_text=_("Empty: from now on."))
    until = MomentField(label=_("Until"))

    def __init__(self, reader: User, data: Any = None) -> None:
        super().__init__(data, initial={"person": reader})
        deciders = delegation.deciders()
        self.person_field("substitute").queryset = deciders.exclude(pk=reader.pk)
        if not reader.has_perm(ABSENCES):
            del self.fields["person"]
            return
        self.person_field("person").queryset = deciders
        self.person_field("substitute").queryset = deciders

    def person_field(self, name: str) -> PersonField:
        field = self.fields[name]
        assert isinstance(field, PersonField)
        return field
