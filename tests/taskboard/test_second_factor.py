"""A code from the phone beside the password: set up, asked for, lost."""

import time
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client
from django_otp.oath import totp
from django_otp.plugins.otp_static.models import StaticDevice, StaticToken
from django_otp.plugins.otp_totp.models import TOTPDevice

from taskboard.login import second_factor
from taskboard.models import AuditEntry, Phone
from tests.conftest import logged_in

pytestmark = pytest.mark.django_db
HOME, CODE, LOGIN = "/accounts/second-factor/", "/accounts/code/", "/accounts/login/"
RIGHT = {"username": "manager", "password": "correct horse battery"}


@pytest.fixture(autouse=True)
def _on(settings: Any) -> None:
    settings.TASKBOARD_TOTP = True


def now(device: Phone) -> str:
    """What the phone shows; as if the device had last been used long ago."""
    Phone.objects.filter(pk=device.pk).update(last_t=-1, throttling_failure_count=0)
    return f"{totp(device.bin_key, step=device.step):06d}"


def set_up(client: Client, user: Any) -> list[str]:
    client.post(f"{HOME}begin/")
    device = Phone.objects.get(user=user)
    shown = client.post(f"{HOME}confirm/", {"code": now(device)})
    assert shown.status_code == 200
    return list(shown.context["codes"])


def test_it_is_set_up_with_a_code_that_the_phone_shows(manager: Any) -> None:
    client = logged_in(manager)
    assert "Set it up" in client.get(HOME).content.decode()
    client.post(f"{HOME}begin/")
    device = Phone.objects.get(user=manager)
    shown = client.get(HOME).content.decode()
    assert 'src="data:image/svg+xml' in shown
    assert client.post(f"{HOME}confirm/", {"code": "000000"}).status_code == 422
    assert not Phone.objects.get().confirmed
    answer = client.post(f"{HOME}confirm/", {"code": now(device)})
    assert len(answer.context["codes"]) == 10
    assert Phone.objects.get().confirmed
    assert AuditEntry.objects.filter(action="second_factor", actor="manager").exists()


def kept(user: Any) -> str:
    """The secret as it stands in the table."""
    return str(TOTPDevice.objects.get(user=user).key)


def test_the_secret_is_encrypted_in_the_table(manager: Any, settings: Any) -> None:
    set_up(logged_in(manager), manager)
    plain = Phone.objects.get().bin_key
    assert len(plain) == 20
    assert kept(manager).startswith("sealed:")
    assert plain.hex() not in kept(manager)
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "another", [settings.SECRET_KEY]
    assert Phone.objects.get().bin_key == plain
    settings.SECRET_KEY_FALLBACKS = []
    assert Phone.objects.get().bin_key != plain


def test_one_from_before_is_encrypted_as_soon_as_it_is_used(manager: Any) -> None:
    set_up(logged_in(manager), manager)
    TOTPDevice.objects.update(key="ab" * 20)
    assert second_factor.verified(manager, now(Phone.objects.get()))
    assert kept(manager).startswith("sealed:")
    assert Phone.objects.get().bin_key == b"\xab" * 20


def test_the_password_alone_lets_nobody_in(manager: Any) -> None:
    set_up(logged_in(manager), manager)
    client = Client()
    answer = client.post(LOGIN, RIGHT | {"next": "/approvals/"})
    assert (answer.status_code, answer["Location"]) == (302, CODE)
    assert client.get("/").status_code == 302
    assert "_auth_user_id" not in client.session
    assert client.post(CODE, {"code": "123456"}).status_code == 422
    answer = client.post(CODE, {"code": now(Phone.objects.get())})
    assert (answer.status_code, answer["Location"]) == (302, "/approvals/")
    assert client.get("/").status_code == 200


def test_a_code_is_good_once(manager: Any) -> None:
    set_up(logged_in(manager), manager)
    code = now(Phone.objects.get())
    for status in (302, 422):
        client = Client()
        client.post(LOGIN, RIGHT)
        assert client.post(CODE, {"code": code}).status_code == status


def test_wrong_codes_cost_a_pause(manager: Any) -> None:
    set_up(logged_in(manager), manager)
    client = Client()
    client.post(LOGIN, RIGHT)
    for _number in range(3):
        client.post(CODE, {"code": "000000"})
    device = Phone.objects.get()
    assert device.throttling_failure_count >= 1
    right = f"{totp(device.bin_key, step=device.step):06d}"
    assert client.post(CODE, {"code": right}).status_code == 422


def test_a_recovery_code_does_as_well_and_once(manager: Any) -> None:
    codes = set_up(logged_in(manager), manager)
    assert not StaticToken.objects.filter(token__in=codes).exists()
    for status in (302, 422):
        client = Client()
        client.post(LOGIN, RIGHT)
        assert client.post(CODE, {"code": f" {codes[0].upper()} "}).status_code == status
    assert second_factor.codes_left(manager) == 9


def test_the_second_step_does_not_wait_for_ever(manager: Any, monkeypatch: Any) -> None:
    set_up(logged_in(manager), manager)
    client, later = Client(), time.time() + 301
    client.post(LOGIN, RIGHT)
    monkeypatch.setattr("taskboard.login.pending.time.time", lambda: later)
    assert client.post(CODE, {"code": "123456"})["Location"] == LOGIN


def test_a_new_password_ends_the_half_of_a_login(manager: Any) -> None:
    set_up(logged_in(manager), manager)
    client = Client()
    client.post(LOGIN, RIGHT)
    manager.set_password("another horse battery")
    manager.save()
    assert client.post(CODE, {"code": now(Phone.objects.get())})["Location"] == LOGIN


def test_whoever_must_have_one_sees_nothing_before(manager: Any, operator: Any, settings: Any) -> None:
    settings.TASKBOARD_TOTP_GROUPS = ["Managers", "Administrators"]
    client = logged_in(manager)
    for address in ("/", "/approvals/", "/profile/", "/stream/?badge=1", "/admin/"):
        answer = client.get(address)
        assert (answer.status_code, answer["Location"]) == (302, HOME), address
    assert client.get("/tasks.json", headers={"Accept": "application/json"}).status_code == 403
    assert client.get("/", headers={"HX-Request": "true"})["HX-Redirect"] == HOME
    assert logged_in(operator).get("/").status_code == 200
    set_up(client, manager)
    assert client.get("/").status_code == 200


def test_a_session_from_before_has_to_show_it(manager: Any) -> None:
    before = logged_in(manager)
    set_up(logged_in(manager), manager)
    answer = before.get("/approvals/")
    assert answer["Location"].startswith(LOGIN)
    assert "_auth_user_id" not in before.session


def test_it_is_switched_off_with_a_code_unless_one_must_have_it(manager: Any, settings: Any) -> None:
    client = logged_in(manager)
    codes = set_up(client, manager)
    settings.TASKBOARD_TOTP_GROUPS = ["Managers"]
    assert client.post(f"{HOME}off/", {"code": codes[0]}).status_code == 403
    settings.TASKBOARD_TOTP_GROUPS = []
    assert client.post(f"{HOME}off/", {"code": "000000"}).status_code == 422
    assert client.post(f"{HOME}off/", {"code": codes[0]}).status_code == 302
    assert not Phone.objects.exists()


def test_recovery_codes_are_made_anew(manager: Any) -> None:
    client = logged_in(manager)
    codes = set_up(client, manager)
    refused = client.post(f"{HOME}renew/", {"code": "wrong-wrong"})
    assert (refused.status_code, "codes" in refused.context) == (422, False)
    StaticDevice.objects.update(throttling_failure_count=0)
    answer = client.post(f"{HOME}renew/", {"code": codes[0]})
    assert len(answer.context["codes"]) == 10
    assert not set(answer.context["codes"]) & set(codes)


def test_an_administrator_resets_it(manager: Any, admin: Any) -> None:
    set_up(logged_in(manager), manager)
    device = Phone.objects.get()
    admin.is_superuser = True
    admin.save()
    client = logged_in(admin)
    shown = client.get(f"/admin/otp_totp/totpdevice/{device.pk}/change/").content.decode()
    assert device.key not in shown
    client.post(f"/admin/otp_totp/totpdevice/{device.pk}/delete/", {"post": "yes"})
    assert not Phone.objects.exists()
    assert not StaticDevice.objects.exists()
    assert AuditEntry.objects.filter(action="second_factor", actor="admin").exists()


def test_a_command_resets_it_where_no_administrator_is_left(manager: Any, admin: Any) -> None:
    set_up(logged_in(manager), manager)
    call_command("resetfactor", "manager", "--as", "admin")
    assert not Phone.objects.exists()


def test_off_it_is_not_there(manager: Any, settings: Any) -> None:
    set_up(logged_in(manager), manager)
    settings.TASKBOARD_TOTP = False
    client = Client()
    assert client.post(LOGIN, RIGHT)["Location"] == "/"
    assert client.get(HOME).status_code == 404
    assert "Second factor" not in client.get("/profile/").content.decode()


def test_looking_changes_nothing(manager: Any) -> None:
    client = logged_in(manager)
    for act in ("begin", "confirm", "renew", "off"):
        assert client.get(f"{HOME}{act}/").status_code == 405
    client.get(HOME)
    assert not Phone.objects.exists()
    assert User.objects.get(pk=manager.pk).check_password("correct horse battery")
