"""Settings of the doors that would let everybody in, or nobody, stop the start; error pages show no secret."""

import sys
from pathlib import Path
from secrets import token_hex
from typing import Any

import pytest
from django.test import RequestFactory
from django.views.debug import ExceptionReporter

from taskboard import redaction
from tests.config.test_production import COMPLETE, start

OIDC = {
    "TASKBOARD_OIDC_ISSUER": "https://id.example.org", "TASKBOARD_OIDC_CLIENT_ID": "taskboard",
    "TASKBOARD_OIDC_CLIENT_SECRET": "s",
}  # fmt: skip


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({**OIDC, "TASKBOARD_OIDC_ISSUER": "http://id.example.org"}, "TASKBOARD_OIDC_ISSUER"),
        ({**OIDC, "TASKBOARD_OIDC_CLIENT_SECRET": ""}, "TASKBOARD_OIDC_CLIENT_ID"),
        ({"TASKBOARD_LOCAL_LOGIN": "0"}, "TASKBOARD_LOCAL_LOGIN"),
        ({"TASKBOARD_TOTP_GROUPS": "Managers"}, "TASKBOARD_TOTP_GROUPS"),
        ({**OIDC, "TASKBOARD_OIDC_GROUPS": "boss"}, "TASKBOARD_OIDC_GROUPS"),
    ],
)
def test_it_names_the_setting_that_is_wrong(tmp_path: Path, change: dict[str, str], named: str) -> None:
    result = start(tmp_path, **{**COMPLETE, **change})
    assert (result.returncode, len(result.stderr.strip().splitlines())) == (1, 1)
    assert result.stderr.startswith(f"The setting {named} is ")


def test_with_everything_on_it_starts_without_a_warning(tmp_path: Path) -> None:
    on = {**OIDC, "TASKBOARD_TOTP": "1", "TASKBOARD_TOTP_GROUPS": "Managers", "TASKBOARD_LOCAL_LOGIN": "0"}
    result = start(tmp_path, **COMPLETE, **on, TASKBOARD_OIDC_GROUPS="boss=Managers, ops=Operators")
    assert (result.returncode, result.stderr.strip()) == (0, "")


def test_the_error_page_of_a_developer_shows_no_secret(settings: Any) -> None:
    settings.DEBUG = True
    canary, password = token_hex(12), token_hex(12)
    redaction.remember(canary)
    request = RequestFactory().post("/accounts/login/", {"password": password, "note": f"see {canary}"})
    try:
        handed_on, api_token = [canary], password
        raise RuntimeError(f"{len(handed_on)} {len(api_token)}")
    except RuntimeError:
        reporter = ExceptionReporter(request, *sys.exc_info())
    for page in (reporter.get_traceback_html(), reporter.get_traceback_text()):
        assert canary not in page
        assert password not in page
