"""The doors and the freeze as people see them: from the password over the picture to the code, in both themes."""

from collections.abc import Callable
from typing import Any

import pytest
from django_otp.oath import totp

from taskboard import freeze
from taskboard.models import Phone
from tests import frozen_workflows  # noqa: F401 registers them
from tests.browser import Browser
from tests.processes import Processes, answers, free_port, until
from tests.test_every_page import focus_unseen, seen_by_axe, too_wide

pytestmark = [pytest.mark.browser, pytest.mark.slow]
HOME, LOGIN = "/accounts/second-factor/", "/accounts/login/"
RIGHT = "correct horse battery"


def now() -> str:
    """What the phone shows; as if the device had last been used long ago."""
    Phone.objects.update(last_t=-1, throttling_failure_count=0)
    device = Phone.objects.get()
    return f"{totp(device.bin_key, step=device.step):06d}"


@pytest.fixture
def guarded_site(processes: Processes) -> str:
    port = free_port()
    web = processes.web(port, TASKBOARD_TOTP="1", TASKBOARD_TOTP_GROUPS="Administrators", LOGIN_ATTEMPTS="2")
    until(lambda: answers(port) or web.poll() is not None, 60, "the start of the web process")
    return f"http://127.0.0.1:{port}"


def log_in(page: Any, name: str, password: str) -> None:
    page.goto(LOGIN)
    page.fill("#id_username", name)
    page.fill("#id_password", password)
    page.click("main button[type=submit]")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_person_sets_a_second_factor_up_and_comes_in_with_it(
    browser: Browser, guarded_site: str, admin: Any, theme: str
) -> None:
    page = browser.page(guarded_site, [], color_scheme=theme, reduced_motion="reduce")
    faults: list[str] = []

    def looked_at(name: str, *more: Callable[[Any], Any]) -> None:
        faults.extend(f"{name}: {fault}" for look in (seen_by_axe, too_wide, *more) for fault in look(page))

    log_in(page, "admin", RIGHT)
    page.wait_for_url(f"**{HOME}")
    looked_at("must", focus_unseen)
    page.click("main button[type=submit]")
    page.wait_for_selector("img[src^='data:image/svg']")
    looked_at("picture")
    page.fill("#code", now())
    page.click("main .code-row button")
    page.wait_for_selector(".recovery")
    looked_at("codes")
    page.goto(HOME)
    looked_at("on", focus_unseen)
    page.context.clear_cookies()
    log_in(page, "admin", RIGHT)
    page.wait_for_url("**/accounts/code/")
    looked_at("code", focus_unseen)
    page.fill("#code", now())
    page.click("main button[type=submit]")
    page.wait_for_url(f"{guarded_site}/")
    page.context.close()
    assert not faults, "\n".join(faults)
    assert page.faults == []


def test_somebody_who_guesses_is_told_how_long_to_wait(
    browser: Browser, guarded_site: str, manager: Any
) -> None:
    page = browser.page(guarded_site, [])
    for _number in range(3):
        log_in(page, "manager", "wrong")
    assert "Too many attempts" in page.locator("h1").inner_text()
    faults = [*seen_by_axe(page), *too_wide(page)]
    page.context.close()
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_frozen_system_is_seen_by_everybody(
    browse: Callable[..., Any], operator: Any, admin: Any, theme: str
) -> None:
    freeze.freeze("desk", operator, "It is moved, and that takes until the afternoon or so. " * 4)
    page = browse(admin, color_scheme=theme, reduced_motion="reduce")
    for address in ("/systems/", "/"):
        page.goto(address)
        assert "frozen by ops" in page.locator(".banner:not([hidden])").first.inner_text()
        assert [*seen_by_axe(page), *too_wide(page), *focus_unseen(page)] == []
    assert page.faults == []
