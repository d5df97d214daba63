"""Who tried to come in and could not, and how long that place has to wait; who comes by single sign-on."""

from django.conf import settings
from django.db import models


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
