"""Headers that a browser would not send."""

import pytest
from django.test import Client

from tests.addresses import Rows
from tests.badinput.nasties import report

pytestmark = pytest.mark.django_db
ODD = (
    "http://[", "//", "\x00", "a\x0bb", "²", "x" * 9000, "\xff\xfe", "%ED%A0%80",
    "http://user:pw@[::1]:99999/\x7f", "*" * 3000,
)  # fmt: skip
HEADERS = (
    "REFERER", "ORIGIN", "ACCEPT", "ACCEPT_LANGUAGE", "ACCEPT_ENCODING", "RANGE", "IF_MODIFIED_SINCE",
    "IF_NONE_MATCH", "LAST_EVENT_ID", "AUTHORIZATION", "USER_AGENT", "X_FORWARDED_FOR", "X_FORWARDED_PROTO",
    "HX_CURRENT_URL", "HX_TARGET", "HX_TRIGGER", "HX_REQUEST", "HX_HISTORY_RESTORE_REQUEST", "COOKIE", "HOST",
)  # fmt: skip
COOKIES = ("sessionid", "csrftoken", "messages", "django_language")


@pytest.mark.parametrize("header", HEADERS)
@pytest.mark.parametrize("known", [True, False], ids=["logged in", "a stranger"])
def test_no_header_breaks_an_answer(header: str, known: bool, client: Client, rows: Rows) -> None:
    asking = client if known else Client(raise_request_exception=False)
    task, faults = rows.task.get_absolute_url(), []
    turn = HEADERS.index(header)
    for odd in (ODD[0], ODD[turn % len(ODD)], ODD[(turn + 3) % len(ODD)]):
        told = {f"HTTP_{header}": odd, **({} if header == "HX_REQUEST" else {"HTTP_HX_REQUEST": "true"})}
        for sent in (told, {f"HTTP_{header}": odd}):
            answers = [
                asking.get("/", **sent),
                asking.get(task, **sent),
                asking.post(f"{task}pause/", **sent),
            ]
            answers += [asking.get("/accounts/login/", **sent)]
            answers += (
                [] if known else [asking.get("/stream/", **sent)]
            )  # it closes the connection of the test
            answers += [
                asking.get("/metrics", **sent),
                asking.post("/i18n/setlang/", {"language": "en"}, **sent),
            ]
            for answer in answers:
                if answer.status_code >= 500:
                    faults.append(
                        f"{answer.request['PATH_INFO']} {header}={odd[:40]!r}: {answer.status_code}"
                    )
    assert not faults, report(faults)


@pytest.mark.parametrize("header", ["HTTP_REFERER", "HTTP_ORIGIN"])
def test_a_refused_form_with_an_odd_origin_is_still_told_what_to_do(header: str) -> None:
    strict = Client(enforce_csrf_checks=True, raise_request_exception=False)
    for odd in ODD:
        for text in (odd, f"https://{odd}", "https://["):
            told = {header: text, "HTTP_X_FORWARDED_PROTO": "https"}
            response = strict.post("/i18n/setlang/", {"language": "en"}, **told)
            assert response.status_code == 403, text


@pytest.mark.parametrize("name", COOKIES)
def test_no_cookie_breaks_a_page(name: str, client: Client) -> None:
    for odd in (*ODD, "[[[[", '[["__json_message",0,20]]:x:y', "a" * 300):
        client.cookies[name] = odd.replace("\x00", "")
        assert client.get("/").status_code < 500, odd
