"""A refused form says what the server received and which setting to change."""

import pytest
from django.test import Client


def post(**headers: str) -> str:
    response = Client(enforce_csrf_checks=True).post("/i18n/setlang/", headers=headers)
    assert response.status_code == 403
    return response.content.decode()


@pytest.mark.django_db
def test_a_foreign_origin_names_the_trusted_origins() -> None:
    page = post(host="localhost", origin="https://tasks.example.org")
    assert "CSRF_TRUSTED_ORIGINS" in page
    assert "https://tasks.example.org" in page


@pytest.mark.django_db
def test_a_proxy_whose_scheme_is_not_believed_names_its_header() -> None:
    page = post(host="localhost", origin="https://localhost", **{"x-forwarded-proto": "https"})
    assert "SECURE_PROXY_SSL_HEADER" in page
    assert "CSRF_TRUSTED_ORIGINS" not in page


@pytest.mark.django_db
def test_a_proxy_that_changes_scheme_and_host_names_both() -> None:
    page = post(host="localhost", origin="https://tasks.example.org", **{"x-forwarded-proto": "https"})
    assert "SECURE_PROXY_SSL_HEADER" in page
    assert "CSRF_TRUSTED_ORIGINS" in page


@pytest.mark.django_db
def test_a_null_origin_names_the_referrer_policy() -> None:
    assert "Referrer-Policy" in post(host="localhost", origin="null")


@pytest.mark.django_db
def test_a_missing_cookie_says_to_load_the_page_again() -> None:
    page = post(host="localhost")
    assert "load the page again" in page.lower()
    assert "CSRF_TRUSTED_ORIGINS" not in page


@pytest.mark.django_db
def test_the_page_is_escaped() -> None:
    assert "<script>alert(1)" not in post(host="localhost", origin="https://<script>alert(1)</script>")


@pytest.mark.django_db
def test_htmx_gets_a_toast_that_says_the_same() -> None:
    page = post(host="localhost", origin="https://tasks.example.org", **{"hx-request": "true"})
    assert "CSRF_TRUSTED_ORIGINS" in page


@pytest.mark.django_db
def test_behind_a_tls_proxy_the_documented_settings_let_it_through(settings: object) -> None:
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    settings.ALLOWED_HOSTS = ["tasks.example.org"]
    client = Client(enforce_csrf_checks=True)
    headers = {"host": "tasks.example.org", "x-forwarded-proto": "https"}
    page = client.get("/accounts/login/", headers=headers)
    token = client.cookies["csrftoken"].value
    data = {"csrfmiddlewaretoken": token, "username": "nobody", "password": "wrong"}
    sent = {**headers, "origin": "https://tasks.example.org"}
    assert page.status_code == 200
    assert client.post("/accounts/login/", data, headers=sent).status_code == 200
