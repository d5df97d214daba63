"""What an administrator enters of a webhook. Its secret goes in and never comes out again."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from approvals.models import Webhook
from approvals.telling import posting
from taskboard.errors import BadInput

SHOWN = 4
"""The last characters of a secret, by which its owner knows which one it is."""


def masked(secret: str) -> str:
    return f"{posting.PREFIX}•••{secret[-SHOWN:]}" if secret else ""


class WebhookForm(forms.ModelForm):  # type: ignore[type-arg]
    """An address is looked up before it is kept; a secret is made where none is given."""

    new_secret = forms.CharField(
        label=_("Secret"),
        required=False,
        max_length=100,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
        help_text=_(
            "Begins with whsec_. Left empty, one is made for a new address, and the old one stays otherwise."
        ),
    )
    replace_secret = forms.BooleanField(
        label=_("Make a new secret"),
        required=False,
        help_text=_("The old one is worth nothing any more. The new one is shown once, after saving."),
    )

    class Meta:
        model = Webhook
        fields = ("name", "url", "payload", "active")

    made = ""
    """The secret that was made just now, to be shown once."""

    def clean_url(self) -> str:
        url: str = self.cleaned_data["url"]
        try:
            posting.check_address(url)
        except BadInput as refusal:
            raise ValidationError(refusal.message) from refusal
        return url

    def clean_new_secret(self) -> str:
        secret: str = self.cleaned_data["new_secret"].strip()
        try:
            if secret:
                posting.check_secret(secret)
        except BadInput as refusal:
            raise ValidationError(refusal.message) from refusal
        return secret

    def save(self, commit: bool = True) -> Any:
        given: str = self.cleaned_data["new_secret"]
        if not given and (self.cleaned_data["replace_secret"] or not self.instance.secret):
            self.made = posting.new_secret()
        self.instance.secret = given or self.made or self.instance.secret
        return super().save(commit)
