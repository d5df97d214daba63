"""Headers of every page, the user's zone and language, and domain errors as readable answers."""

from collections.abc import Callable
from typing import Any

import pytest
from django.http import HttpRequest, HttpResponse
from django.test import RequestFactory
from django.utils import timezone, translation

from config.middleware import DomainErrors, UserZone
from taskboard.errors import BadInput, NotAllowed, TaskboardError, WrongState
from taskboard.models import Profile
from tests.conftest import logged_in


def request_of(person: Any, **headers: str) -> HttpRequest:
    request = RequestFactory().post("/", headers=headers)
    request.user = person
    return request


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (WrongState("It is finished."), 409),
        (NotAllowed("Only managers may."), 403),
        (BadInput("Too big."), 422),
    ],
)
def test_an_error_becomes_a_page_with_its_sentence(operator: Any, error: TaskboardError, status: int) -> None:
    response = DomainErrors(HttpResponse).process_exception(request_of(operator), error)
    assert response is not None
    assert response.status_code == status
    assert error.message in response.content.decode()


def test_a_field_is_named_by_its_label_and_not_by_its_name(operator: Any) -> None:
    for error, told in (
        (BadInput("Give more.", "limit_usd"), "New limit in USD: Give more."),
        (BadInput("Write which.", "unsure"), "<p>Write which.</p>"),
    ):
        response = DomainErrors(HttpResponse).process_exception(request_of(operator), error)
        assert response is not None
        page = response.content.decode()
        assert told in page
        assert error.path not in page


def test_a_wrong_method_is_refused_with_a_page_that_says_what_is_taken(operator: Any, client: Any) -> None:
    for browser in (logged_in(operator), client):
        response = browser.get("/retention/purges/make/")
        assert (response.status_code, response["Allow"]) == (405, "POST")
        assert "it takes only POST: use the button on its page." in response.content.decode()
    response = logged_in(operator).post("/activity/")
    assert (response.status_code, response["Allow"]) == (405, "GET, HEAD")
    assert "it takes GET, HEAD." in response.content.decode()


def test_scripts_are_told_so_as_json(operator: Any) -> None:
    response = logged_in(operator).post("/audit.json")
    assert (response.status_code, response["Allow"]) == (405, "GET, HEAD")
    assert response.json() == {"error": "This address only shows something; it takes GET, HEAD."}
    response = logged_in(operator).get("/retention/purges/make/", headers={"Accept": "application/json"})
    assert "error" in response.json()


def test_htmx_gets_a_toast(operator: Any) -> None:
    request = request_of(operator, hx_request="true")
    request.META["HTTP_HX_REQUEST"] = "true"
    response = DomainErrors(HttpResponse).process_exception(request, WrongState("It is finished."))
    assert response is not None
    assert response["HX-Retarget"] == "#toasts"
    assert "<html" not in response.content.decode()


def test_other_errors_are_left_alone(operator: Any) -> None:
    assert DomainErrors(HttpResponse).process_exception(request_of(operator), ValueError("bug")) is None


def seen(person: Any) -> tuple[str, str]:
    found: list[str] = []

    def view(request: HttpRequest) -> HttpResponse:
        found.extend([timezone.get_current_timezone_name(), translation.get_language()])
        return HttpResponse()

    with translation.override("en"):
        UserZone(view)(request_of(person))
    return found[0], found[1]


def test_a_user_sees_the_zone_and_language_of_the_profile(operator: Any) -> None:
    Profile.objects.update_or_create(
        user=operator, defaults={"time_zone": "Asia/Seoul", "language": "zh-hans"}
    )
    assert seen(operator) == ("Asia/Seoul", "zh-hans")
    assert timezone.get_current_timezone_name() == "UTC"


def test_without_a_profile_the_defaults_hold(operator: Any) -> None:
    Profile.objects.filter(user=operator).delete()
    assert seen(operator) == ("UTC", "en")


def test_pages_of_a_logged_in_user_are_not_stored(operator: Any) -> None:
    response = logged_in(operator).get("/accounts/password/")
    assert response["Cache-Control"] == "no-store"
    assert "HX-Request" in response["Vary"]


def test_the_content_security_policy_allows_nothing_inline(client: Any) -> None:
    policy = client.get("/healthz")["Content-Security-Policy"]
    assert "unsafe" not in policy
    assert "script-src 'self'" in policy


def test_health_needs_no_database(
    client: Any, django_assert_num_queries: Callable[..., Any], db: None
) -> None:
    with django_assert_num_queries(0):
        assert client.get("/healthz").content == b"ok\n"
