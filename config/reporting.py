"""What an error page of a developer's machine may show: no password, no token, no secret that is known here."""

import re
from typing import Any

from django.http import HttpRequest
from django.views.debug import SafeExceptionReporterFilter

from taskboard.redaction import redact


class Redacted(SafeExceptionReporterFilter):
    """Also where DEBUG is on, whatever the view says about its parameters."""

    hidden_settings = re.compile(
        "API|AUTH|TOKEN|KEY|SECRET|PASS|SIGNATURE|CREDENTIAL|CODE|COOKIE|URL", re.IGNORECASE
    )

    def is_active(self, request: HttpRequest | None) -> bool:
        return True

    def get_post_parameters(self, request: HttpRequest | None) -> Any:
        told = request.POST.copy() if request else {}
        for name in told:
            hides = self.hidden_settings.search(name)
            told[name] = self.cleansed_substitute if hides else redact(str(told[name]))
        return told

    def get_traceback_frame_variables(self, request: HttpRequest | None, tb_frame: Any) -> Any:
        shown = super().get_traceback_frame_variables(request, tb_frame)
        return [(name, self._shown(name, value)) for name, value in shown]

    def _shown(self, name: str, value: Any) -> Any:
        if self.hidden_settings.search(name):
            return self.cleansed_substitute
        try:
            text = repr(value)
        except Exception:  # noqa: BLE001 somebody else's repr; the page itself says that it failed
            return value
        clean = redact(text)
        return value if clean == text else clean
