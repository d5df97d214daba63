"""One's own password: with the new one, all other sessions of this person end."""

from typing import Any

from django.contrib.auth.views import PasswordChangeView
from django.db import transaction
from django.http import HttpResponse

from taskboard import audit


class OwnPassword(PasswordChangeView):
    """Django's own, and an entry in the audit log."""

    def form_valid(self, form: Any) -> HttpResponse:
        with transaction.atomic():
            audit.record(form.user, "password", form.user)
            return super().form_valid(form)
