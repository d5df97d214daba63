"""Tokens for scripts: shown once, kept as a hash, read and nothing else, dead with their person."""

import logging
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.base_user import AbstractBaseUser
from django.test import Client
from django.utils import timezone

from taskboard import tokens
from taskboard.models import ApiToken, AuditEntry, Profile
from tests.conftest import logged_in, make_person
from tests.factories import make_task

pytestmark = pytest.mark.django_db
PAGE = "/profile/tokens/"


def made(person: Any, name: str = "report", days: int = 7) -> str:
    return tokens.make(person, name, timezone.localdate() + timedelta(days=days))[1]


def send(text: str, where: str = "/tasks.json", method: str = "get", **options: Any) -> Any:
    return getattr(Client(), method)(where, headers={"Authorization": f"Bearer {text}", **options})


def told(where: Any) -> str:
    return str(where.json()["error"])


def test_it_is_made_on_a_page_that_shows_it_once(operator: AbstractBaseUser) -> None:
    client, day = logged_in(operator), timezone.localdate() + timedelta(days=3)
    answer = client.post(PAGE, {"name": "nightly report", "last_day": f"{day:%Y-%m-%d}"})
    text = answer.context["text"]
    assert text in answer.content.decode()
    assert answer["Cache-Control"] == "no-store"
    assert text not in client.get(PAGE).content.decode()
    token = ApiToken.objects.get()
    assert text not in repr(vars(token))
    assert token.digest != text
    assert send(text).status_code == 200


def test_it_ends_with_its_last_day_in_the_zone_of_its_person(operator: AbstractBaseUser) -> None:
    Profile.objects.create(user=operator, time_zone="Asia/Seoul")
    with timezone.override("Asia/Seoul"):
        day = timezone.localdate()
    logged_in(operator).post(PAGE, {"name": "a", "last_day": f"{day:%Y-%m-%d}"})
    ends = ApiToken.objects.get().expires_at
    assert ends.astimezone(timezone.get_fixed_timezone(540)).isoformat().endswith("T00:00:00+09:00")
    assert timedelta(0) < ends - timezone.now() <= timedelta(days=1)


@pytest.mark.parametrize(
    "form",
    [
        {"name": "", "last_day": "2999-01-01"},
        {"name": "x" * 81, "last_day": "2999-01-01"},
        {"name": "a", "last_day": "2000-01-01"},
        {"name": "a", "last_day": "9999-12-31"},
        {"name": "a", "last_day": "tomorrow"},
        {"name": "a", "last_day": ""},
    ],
)
def test_a_bad_form_is_refused_at_its_field(operator: AbstractBaseUser, form: dict[str, str]) -> None:
    answer = logged_in(operator).post(PAGE, form)
    assert answer.status_code == 422
    assert b'aria-invalid="true"' in answer.content
    assert not ApiToken.objects.exists()


def test_the_same_form_sent_twice_makes_one(operator: AbstractBaseUser) -> None:
    form = {"name": "a", "last_day": f"{timezone.localdate():%Y-%m-%d}"}
    assert [logged_in(operator).post(PAGE, form).status_code for _ in range(2)] == [200, 422]
    assert ApiToken.objects.count() == 1


@pytest.mark.parametrize("method", ["post", "put", "patch", "delete", "options"])
def test_it_can_only_read(operator: AbstractBaseUser, method: str) -> None:
    text = made(operator)
    for where in ("/tasks.json", "/tasks/new/linear/"):  # the second is a form, which scripts read too
        answer = send(text, where, method)
        assert (answer.status_code, answer["Allow"]) == (405, "GET, HEAD")
        assert told(answer) == "With a token one can read, and nothing else."


def test_it_opens_data_and_no_page_for_people(operator: AbstractBaseUser) -> None:
    task, text = make_task(), made(operator)
    base = f"/tasks/{task.public_id}/"
    opened = ["/tasks.csv", f"{base}items.csv", f"{base}journal.jsonl", f"{base}state.json", f"{base}brief.md",
              "/approvals/export/decisions", "/approvals.json", "/attention.json"]  # fmt: skip
    for where in opened:
        answer = send(text, where)
        assert answer.status_code == 200, where
        assert b"".join(answer) is not None
    closed = [f"{base}parts/state/", "/stream/", "/accounts/password/", "/accounts/second-factor/", "/admin/"]
    assert {send(text, where).status_code for where in closed} == {403}


def test_a_page_answers_a_token_with_its_data(operator: AbstractBaseUser) -> None:
    answer = send(made(operator), "/", Accept="*/*")
    assert answer["Content-Type"] == "application/json"


def test_times_are_those_of_its_person(operator: AbstractBaseUser) -> None:
    Profile.objects.create(user=operator, time_zone="Asia/Seoul")
    make_task()
    assert send(made(operator)).json()["tasks"][0]["created_at"].endswith("+09:00")


def test_it_has_the_rights_of_its_person_at_that_moment(operator: AbstractBaseUser) -> None:
    text = made(operator)
    operator.groups.clear()
    assert [send(text, where).status_code for where in ("/tasks.json", "/tasks.csv")] == [403, 403]


def test_it_is_its_person_whoever_is_logged_in(
    operator: AbstractBaseUser, outsider: AbstractBaseUser
) -> None:
    client = logged_in(outsider)
    assert client.get("/tasks.json", headers={"Authorization": f"Bearer {made(operator)}"}).status_code == 200


def test_a_dead_one_is_refused_with_a_sentence(operator: AbstractBaseUser) -> None:
    text = made(operator)
    ApiToken.objects.update(expires_at=timezone.now())
    ended = send(text)
    ApiToken.objects.update(expires_at=timezone.now() + timedelta(days=1))
    operator.is_active = False
    operator.save()
    for answer in (ended, send(text), send("tb_unknown"), send("tb_é"), send(f"{text}x")):
        assert answer.status_code == 401
        assert answer["WWW-Authenticate"].startswith("Bearer")
        assert "not known" in told(answer)


def test_its_owner_revokes_it_and_nobody_else_but_an_administrator(
    operator: AbstractBaseUser, manager: AbstractBaseUser, admin: AbstractBaseUser
) -> None:
    text = made(operator)
    where = f"{PAGE}{ApiToken.objects.get().pk}/revoke/"
    assert logged_in(manager).post(where).status_code == 404
    assert send(text).status_code == 200
    assert "report" in logged_in(admin).get(PAGE).content.decode()
    assert "report" not in logged_in(manager).get(PAGE).content.decode()
    assert logged_in(admin).post(where).status_code == 302
    assert send(text).status_code == 401
    assert logged_in(operator).post(where).status_code == 409
    assert list(AuditEntry.objects.order_by("pk").values_list("actor", "action")) == [
        ("ops", "token_made"), ("admin", "token_revoked"),
    ]  # fmt: skip


def test_the_name_of_an_ended_one_is_free_again(operator: AbstractBaseUser) -> None:
    made(operator)
    ApiToken.objects.update(expires_at=timezone.now())
    assert send(made(operator)).status_code == 200


def test_the_last_use_is_noted_now_and_then(
    operator: AbstractBaseUser, django_assert_num_queries: Any
) -> None:
    text, now = made(operator), timezone.now()
    assert tokens.holder(text, now)
    assert ApiToken.objects.get().last_used_at == now
    with django_assert_num_queries(1):
        assert tokens.holder(text, now + timedelta(seconds=30))
    assert ApiToken.objects.get().last_used_at == now


def test_too_many_requests_have_to_wait(operator: AbstractBaseUser, settings: Any) -> None:
    settings.TASKBOARD_TOKEN_REQUESTS_PER_MINUTE = 3
    client, head = Client(), {"Authorization": f"Bearer {made(operator)}"}
    asked = (client.get("/tasks.json", headers=head) for _ in range(20))  # a minute may end in between
    late = next(answer for answer in asked if answer.status_code == 429)
    assert 1 <= int(late["Retry-After"]) <= 60
    other = {"Authorization": f"Bearer {made(make_person('other', 'Operators'))}"}
    assert client.get("/tasks.json", headers=other).status_code == 200


def test_it_is_in_no_log_and_no_error_report(
    operator: AbstractBaseUser, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    text = made(operator)
    monkeypatch.setattr("taskboard.lists.export.tasks", lambda *_args: broken_rows())
    caplog.set_level(logging.DEBUG)
    client = Client(raise_request_exception=False)
    answer = client.get("/tasks.csv", headers={"Authorization": f"Bearer {text}"})
    assert answer.status_code == 500
    assert text not in caplog.text + answer.content.decode()
    assert not [record for record in caplog.records if text in repr(vars(getattr(record, "request", record)))]


def broken_rows() -> Any:
    raise RuntimeError("broken")


def test_other_kinds_of_authorization_are_left_alone(operator: AbstractBaseUser) -> None:
    client = logged_in(operator)
    assert client.get("/tasks.json", headers={"Authorization": "Basic b3BzOng="}).status_code == 200
    assert client.get("/tasks.json", headers={"Authorization": "Bearer other"}).status_code == 200
