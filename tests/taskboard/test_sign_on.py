"""Single sign-on with a real provider beside us: the whole code flow, what is refused, groups, emergencies."""

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client

from taskboard.login import provider
from taskboard.login.sign_on import wanted_groups
from taskboard.models import AuditEntry, SignOn
from tests.oidc_provider import CLIENT, SECRET
from tests.processes import Processes, answers, free_port, until

pytestmark = pytest.mark.django_db
START, BACK, LOGIN = "/accounts/sign-on/", "/accounts/sign-on/back/", "/accounts/login/"
LONG_AGO = 1_000_000_000
"""Seconds of the epoch: 2001."""
MINA = {
    "sub": "248289761001",
    "preferred_username": "mina",
    "email": "mina@example.org",
    "groups": ["boss", "all"],
}
Told = Callable[..., None]


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    folder, port = tmp_path_factory.mktemp("provider"), free_port()
    processes = Processes({}, folder)
    processes.start(sys.executable, "-m", "tests.oidc_provider", str(port), folder, name="provider")
    until(lambda: answers(port), 60, "the start of the provider")
    yield f"http://127.0.0.1:{port}", folder
    processes.stop()


@pytest.fixture
def tell(running: tuple[str, Path], settings: Any) -> Told:
    """Single sign-on is on; `tell(who, **lies)` says who comes next."""
    issuer, folder = running
    settings.TASKBOARD_OIDC_ISSUER = issuer
    settings.TASKBOARD_OIDC_CLIENT_ID, settings.TASKBOARD_OIDC_CLIENT_SECRET = CLIENT, SECRET
    settings.TASKBOARD_OIDC_GROUPS = {"boss": "Managers", "root": "Administrators"}
    provider._read.clear()

    def told(who: dict[str, Any], **lies: Any) -> None:
        (folder / "who.json").write_text(json.dumps(who))
        (folder / "lies.json").write_text(json.dumps(lies))

    told(MINA)
    return told


def come(client: Client, onward: str = "") -> Any:
    """Through the provider and back, as a browser goes."""
    leaving = client.get(START, {"next": onward} if onward else {})
    back = httpx.get(leaving["Location"]).headers["Location"]
    return client.get(back.removeprefix("http://testserver"))


def test_the_log_in_page_offers_it_and_hides_nothing(tell: Told, client: Client) -> None:
    shown = client.get(f"{LOGIN}?next=/approvals/").content.decode()
    assert f"{START}?next=/approvals/" in shown
    assert 'name="password"' in shown


def test_a_new_person_comes_in_with_the_groups_that_the_provider_names(tell: Told, client: Client) -> None:
    answer = come(client, "/approvals/")
    assert (answer.status_code, answer["Location"]) == (302, "/approvals/")
    mina = User.objects.get(username="mina")
    assert (list(mina.groups.values_list("name", flat=True)), mina.email) == (
        ["Managers"],
        "mina@example.org",
    )
    assert not mina.has_usable_password()
    assert client.get("/").status_code == 200
    assert AuditEntry.objects.filter(action="user_added", target="mina").exists()


def test_the_next_time_it_is_the_same_person_under_whatever_name(tell: Told, client: Client) -> None:
    come(client)
    tell({**MINA, "preferred_username": "mina.new", "groups": ["root"]})
    other = Client()
    come(other)
    mina = User.objects.get()
    assert (mina.username, mina.is_staff) == ("mina", True)
    assert list(mina.groups.values_list("name", flat=True)) == ["Administrators"]


def test_a_right_that_the_provider_takes_away_ends_what_is_open_and_is_told(
    tell: Told, client: Client
) -> None:
    come(client)
    tell({**MINA, "groups": []})
    come(Client())
    assert client.get("/").status_code == 302
    entry = AuditEntry.objects.latest("pk")
    assert (entry.action, entry.target, entry.reason) == ("user_changed", "mina", "single sign-on")
    assert (entry.before, entry.after) == ({"groups": ["Managers"]}, {"groups": []})


def test_groups_that_are_not_mapped_stay(tell: Told, client: Client, operator: Any) -> None:
    call_command("createsuperuser", "--noinput", "--username=root", "--email=root@example.org")
    call_command("linksignon", "ops", MINA["sub"], "--as", "root")
    come(client)
    assert set(operator.groups.values_list("name", flat=True)) == {"Operators", "Managers"}


def test_an_account_is_not_taken_over_by_its_name_or_address(
    tell: Told, client: Client, operator: Any
) -> None:
    tell({**MINA, "preferred_username": "OPS", "email": operator.email})
    answer = come(client)
    assert (answer.status_code, answer["Location"]) == (302, LOGIN)
    assert "There is an account named OPS already" in client.get(LOGIN).content.decode()
    assert not SignOn.objects.exists()


@pytest.mark.parametrize(
    "lies",
    [
        {"key": "another"},
        {"token": {"aud": "somebody else"}},
        {"token": {"aud": ["taskboard", "other"]}},
        {"token": {"azp": "other"}},
        {"token": {"iss": "https://elsewhere.example.org"}},
        {"token": {"nonce": "replayed"}},
        {"token": {"exp": LONG_AGO}},
        {"token": {"exp": None}},
        {"userinfo": {"sub": "another"}},
    ],
    ids=str,
)
def test_a_token_that_is_not_for_us_lets_nobody_in(tell: Told, client: Client, lies: dict[str, Any]) -> None:
    tell(MINA, **lies)
    assert come(client)["Location"] == LOGIN
    assert "_auth_user_id" not in client.session
    assert not User.objects.exists()
    assert "did not succeed" in client.get(LOGIN).content.decode()


def test_a_provider_that_describes_another_one_is_refused(tell: Told, client: Client) -> None:
    tell(MINA, issuer="https://elsewhere.example.org")
    assert client.get(START)["Location"] == LOGIN


def test_a_code_is_taken_only_by_the_browser_that_asked(tell: Told, client: Client) -> None:
    leaving = client.get(START)
    back = httpx.get(leaving["Location"]).headers["Location"].removeprefix("http://testserver")
    assert Client().get(back)["Location"] == LOGIN
    assert not User.objects.exists()
    client.get(back)
    assert client.get(back)["Location"] == LOGIN


def test_whoever_is_switched_off_does_not_come_in(tell: Told, client: Client) -> None:
    come(client)
    User.objects.update(is_active=False)
    assert client.get("/").status_code == 302
    other = Client()
    assert come(other)["Location"] == LOGIN
    assert "switched off" in other.get(LOGIN).content.decode()


def test_an_address_elsewhere_is_not_followed(tell: Told, client: Client) -> None:
    assert come(client, "https://elsewhere.example.org/")["Location"] == "/"


def test_a_provider_that_is_down_ends_no_session_and_is_said(
    tell: Told, client: Client, settings: Any
) -> None:
    come(client)
    settings.TASKBOARD_OIDC_ISSUER = f"http://127.0.0.1:{free_port()}"
    assert client.get("/").status_code == 200
    assert Client().get(START)["Location"] == LOGIN


def test_passwords_may_be_switched_off_but_for_an_emergency(
    tell: Told, operator: Any, manager: Any, settings: Any
) -> None:
    settings.TASKBOARD_LOCAL_LOGIN, settings.TASKBOARD_BREAK_GLASS = False, ["manager"]
    told = {"password": "correct horse battery"}
    assert Client().post(LOGIN, {**told, "username": "ops"}).status_code == 403
    assert Client().post(LOGIN, {**told, "username": "manager"}).status_code == 302
    assert "Emergency log-in" in Client().get(LOGIN).content.decode()


def test_the_provider_has_asked_for_the_second_factor(tell: Told, client: Client, settings: Any) -> None:
    settings.TASKBOARD_TOTP, settings.TASKBOARD_TOTP_GROUPS = True, ["Managers"]
    come(client)
    assert client.get("/").status_code == 200


def test_off_it_is_not_there(client: Client) -> None:
    assert client.get(START).status_code == 404
    assert client.get(BACK).status_code == 404
    assert "single sign-on" not in client.get(LOGIN).content.decode()


def test_groups_are_read_from_whatever_the_claim_holds() -> None:
    mapping = {"boss": "Managers", "root": "Administrators"}
    assert wanted_groups({"groups": ["boss", "x"]}, mapping, "groups") == {"Managers"}
    assert wanted_groups({"groups": "root"}, mapping, "groups") == {"Administrators"}
    for odd in (None, {}, 7, [["boss"]], {"boss": 1}):
        assert wanted_groups({"groups": odd}, mapping, "groups") == set()
