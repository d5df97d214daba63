"""Guessing passwords costs a growing pause, and nobody can make somebody else wait."""

import threading
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connections
from django.test import Client, RequestFactory
from django.utils import timezone

from taskboard.login import throttle
from taskboard.models import LoginPause
from tests.conftest import logged_in

pytestmark = pytest.mark.django_db
LOGIN = "/accounts/login/"
RIGHT, WRONG = "correct horse battery", "wrong"


def attempt(client: Client, password: str = WRONG, name: str = "ops", address: str = "192.0.2.1") -> int:
    told = {"username": name, "password": password}
    return client.post(LOGIN, told, REMOTE_ADDR=address).status_code


def fail(times: int, **how: Any) -> None:
    for _number in range(times):
        assert attempt(Client(), **how) == 200


def forward(seconds: float) -> None:
    """As if so much time had passed."""
    for row in LoginPause.objects.all():
        row.last_at -= timedelta(seconds=seconds)
        row.until -= timedelta(seconds=seconds)
        row.save()


def test_after_five_wrong_ones_the_next_has_to_wait(operator: Any) -> None:
    fail(5)
    answer = Client().post(LOGIN, {"username": "ops", "password": RIGHT}, REMOTE_ADDR="192.0.2.1")
    assert answer.status_code == 429
    assert 0 < int(answer["Retry-After"]) <= 15
    assert "Wait" in answer.content.decode()


def test_the_pause_grows_and_has_an_end(operator: Any) -> None:
    assert [throttle.pause(over).total_seconds() for over in (-1, 0, 1, 2, 3, 6, 99)] == [
        0,
        15,
        30,
        60,
        120,
        900,
        900,
    ]
    fail(5)
    forward(16)
    fail(1)
    assert attempt(Client()) == 429
    forward(16)
    assert attempt(Client()) == 429
    forward(16)
    assert attempt(Client(), RIGHT) == 302


def test_trying_during_the_pause_makes_it_no_longer(operator: Any) -> None:
    fail(5)
    for _number in range(20):
        assert attempt(Client()) == 429
    forward(16)
    assert attempt(Client(), RIGHT) == 302


def test_success_clears_the_pair(operator: Any) -> None:
    fail(4)
    assert attempt(Client(), RIGHT) == 302
    fail(4)


def test_a_stranger_elsewhere_cannot_lock_a_person_out(operator: Any) -> None:
    for number in range(30):
        attempt(Client(), address=f"198.51.100.{number}")
    fail(5, address="203.0.113.9")
    assert attempt(Client(), address="203.0.113.9") == 429
    assert attempt(Client(), RIGHT, address="192.0.2.1") == 302


def test_a_stranger_at_the_same_address_cannot_lock_a_known_browser_out(operator: Any) -> None:
    mine = Client()
    assert attempt(mine, RIGHT) == 302
    mine.post("/accounts/logout/")
    fail(5)
    assert attempt(Client(), RIGHT) == 429
    assert attempt(mine, RIGHT) == 302


def test_a_known_browser_has_its_own_limit(operator: Any) -> None:
    mine = Client()
    assert attempt(mine, RIGHT) == 302
    mine.post("/accounts/logout/")
    assert [attempt(mine) for _number in range(6)] == [200, 200, 200, 200, 200, 429]


def test_a_browser_is_known_for_the_names_that_came_in_and_no_other(operator: Any, manager: Any) -> None:
    mine = Client()
    assert attempt(mine, RIGHT) == 302
    mine.post("/accounts/logout/")
    for _number in range(5):
        attempt(mine, name="manager")
    assert attempt(mine, RIGHT, name="manager") == 429
    assert attempt(mine, RIGHT) == 302


def test_a_cookie_that_somebody_made_up_is_worth_nothing(operator: Any) -> None:
    mine = Client()
    mine.cookies["known_browser"] = "eyJhIjoiYiJ9:1abc:forged"
    assert [attempt(mine) for _number in range(6)][-1] == 429


def test_many_names_from_one_address_have_to_wait_too(operator: Any) -> None:
    for number in range(50):
        attempt(Client(), name=f"user-{number // 4}")
    assert attempt(Client(), name="somebody") == 429


def test_addresses_of_one_network_count_together(operator: Any) -> None:
    assert (
        throttle.network("2001:db8:1:2:3:4:5:6") == throttle.network("2001:db8:1:2::9") == "2001:db8:1:2::/64"
    )
    assert throttle.network("::ffff:192.0.2.1") == "192.0.2.1"
    assert throttle.network("") == ""


def test_who_comes_in_takes_back_the_own_attempt_only_at_an_address(operator: Any) -> None:
    """Or a guesser with an account of their own would begin anew as often as they like."""
    fail(3, name="manager")
    assert attempt(Client(), RIGHT) == 302
    assert sorted(LoginPause.objects.values_list("failures", flat=True)) == [0, 3, 3]


def test_names_are_stored_as_digests(operator: Any) -> None:
    attempt(Client(), name="my-password-typed-as-a-name")
    places = LoginPause.objects.values_list("place", flat=True)
    assert [len(place) for place in places] == [64, 64]


def test_what_is_old_is_forgotten(operator: Any) -> None:
    fail(5)
    forward(25 * 3600)
    fail(1, name="manager", address="192.0.2.77")
    assert LoginPause.objects.count() == 2


def test_the_door_of_the_admin_is_the_same(admin: Any, operator: Any) -> None:
    answer = Client().get("/admin/login/?next=/admin/")
    assert (answer.status_code, answer["Location"]) == (302, f"{LOGIN}?next=/admin/")
    assert Client().post("/admin/login/", {"username": "admin", "password": RIGHT}).status_code == 302
    assert logged_in(operator).get("/admin/", follow=True).status_code == 403


def test_somebody_switched_off_does_not_come_in(operator: Any) -> None:
    User.objects.update(is_active=False)
    assert attempt(Client(), RIGHT) == 200


@pytest.mark.django_db(transaction=True)
def test_many_guesses_at_once_do_not_get_past(operator: Any) -> None:
    request = RequestFactory().post(LOGIN, REMOTE_ADDR="192.0.2.1")
    found, refused = throttle.places(request, "ops"), []

    def guess() -> None:
        try:
            refused.append(throttle.begin(found, timezone.now()))
        finally:
            connections.close_all()

    threads = [threading.Thread(target=guess) for _number in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert len(refused) == 12
    assert refused.count(None) == 5
