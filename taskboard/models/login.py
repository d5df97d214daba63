"""Rows about logging in: failed attempts with the pauses they cost, single sign-on identities, second factors."""

import secrets
from typing import Any

from django.conf import settings
from django.db import models
from django_otp.plugins.otp_totp.models import TOTPDevice

from taskboard import encryption

MARK = "sealed:"


class LoginPause(models.Model):
    """Failed logins from one place (an address, an address with a name, a known browser), and the pause they cost."""

    place = models.CharField(max_length=64, unique=True)
    failures = models.PositiveIntegerField(default=0)
    last_at = models.DateTimeField(db_index=True)
    until = models.DateTimeField()

    def __str__(self) -> str:
        return self.place


class SignOn(models.Model):
    """A person as the provider of single sign-on names them: by issuer and subject, which never change."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="sign_ons")
    issuer = models.CharField(max_length=300)
    subject = models.CharField(max_length=255)
    first_at = models.DateTimeField()
    last_at = models.DateTimeField()

    class Meta:
        constraints = (models.UniqueConstraint(fields=("issuer", "subject"), name="signed_on_once"),)

    def __str__(self) -> str:
        return self.subject


class Phone(TOTPDevice):  # type: ignore[misc]
    """A phone that shows codes. Its secret is encrypted in the table; one from before is as soon as it is used."""

    key: str

    class Meta:
        proxy = True

    @property
    def bin_key(self) -> bytes:
        """Nothing fits a secret that was sealed with a key which this installation no longer has."""
        if not self.key.startswith(MARK):
            return bytes.fromhex(self.key)
        return encryption.unseal_bytes(self.key.removeprefix(MARK)) or secrets.token_bytes(20)

    def save(self, *args: Any, **kwargs: Any) -> None:
        if not self.key.startswith(MARK):
            self.key = MARK + encryption.seal_bytes(self.bin_key)
        super().save(*args, **kwargs)
