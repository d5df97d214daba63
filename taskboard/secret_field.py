"""The form field for a secret parameter: typed like a password, and never shown again."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from taskboard import redaction


class SecretField(forms.CharField):
    """A token or a password that steps need. It is stored encrypted; everything that people see, download or log
    shows a mark in its place. Only `ctx.params` of a running step holds it."""

    secret = True

    def __init__(self, **options: Any) -> None:
        options.setdefault("min_length", redaction.SHORTEST)
        options.setdefault("max_length", 8000)
        options.setdefault("help_text", _("It is stored encrypted and never shown again."))
        options.setdefault("widget", forms.PasswordInput(attrs={"autocomplete": "new-password"}))
        super().__init__(**options)

    def widget_attrs(self, widget: forms.Widget) -> dict[str, Any]:
        """So that no page keeps what was typed (typed.js), whatever the widget."""
        return {**super().widget_attrs(widget), "data-secret": "true"}

    def clean(self, value: Any) -> Any:
        told = super().clean(value)
        if redaction.HIDDEN in str(told):
            raise forms.ValidationError(
                _("This is the mark that stands for a secret. Give the secret itself.")
            )
        if told:
            redaction.remember(str(told))
        return told
