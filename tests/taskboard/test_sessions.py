"""Sessions end where rights fall: a second browser of the same person is logged out."""

from typing import Any

import pytest
from django.contrib.auth.models import Group, Permission, User
from django.contrib.sessions.models import Session
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from taskboard import people, sessions, streams
from taskboard.live import Channel
from taskboard.views.regions import look
from tests.conftest import logged_in

pytestmark = pytest.mark.django_db
PASSWORD = "correct horse battery"


def enter(person: Any, password: str = PASSWORD) -> Client:
    """Through the login page, as a browser."""
    client = Client()
    form = {"username": person.username, "password": password}
    assert client.post("/accounts/login/", form).status_code == 302
    return client


def is_in(client: Client) -> bool:
    return client.get("/profile/").status_code == 200


def change(at_admin: Client, person: Any, groups: tuple[str, ...], **fields: str) -> int:
    ids = [str(pk) for pk in Group.objects.filter(name__in=groups).values_list("pk", flat=True)]
    form = {"username": person.username, "groups": ids, "is_active": "on", **fields}
    form = {name: value for name, value in form.items() if value}
    return at_admin.post(reverse("admin:auth_user_change", args=[person.pk]), form).status_code


def test_a_group_that_is_taken_away_ends_every_session(admin: Any, operator: Any) -> None:
    first, second = enter(operator), enter(operator)
    assert change(logged_in(admin), operator, ("Managers",)) == 302
    assert not is_in(first)
    assert not is_in(second)
    assert is_in(enter(operator))
    assert is_in(enter(operator))


def test_a_group_that_is_added_ends_none(admin: Any, operator: Any) -> None:
    client = enter(operator)
    assert change(logged_in(admin), operator, ("Operators", "Managers")) == 302
    assert is_in(client)
    assert client.get("/").status_code == 200


def test_a_session_does_not_come_back_with_the_person(admin: Any, operator: Any) -> None:
    client, at_admin = enter(operator), logged_in(admin)
    people.switch_off([operator], admin)
    assert not is_in(client)
    assert change(at_admin, operator, ("Operators",)) == 302
    assert not is_in(client)
    assert is_in(enter(operator))


def test_rights_that_a_group_loses_end_the_sessions_of_its_members(operator: Any, manager: Any) -> None:
    root = logged_in(User.objects.create_superuser("root", password=PASSWORD))
    group, member, other = Group.objects.get(name="Operators"), enter(operator), enter(manager)
    kept = group.permissions.exclude(codename="operate_task").values_list("pk", flat=True)
    address = reverse("admin:auth_group_change", args=[group.pk])
    assert root.post(address, {"permissions": [str(pk) for pk in kept]}).status_code == 302
    assert not is_in(member)
    assert is_in(other)
    assert not Permission.objects.filter(group=group, codename="operate_task").exists()


def test_a_new_own_password_ends_the_other_sessions(operator: Any) -> None:
    here, there, new = enter(operator), enter(operator), "quite another battery"
    form = {"old_password": PASSWORD, "new_password1": new, "new_password2": new}
    assert here.post("/accounts/password/", form).status_code == 302
    assert is_in(here)
    assert not is_in(there)


def test_a_password_set_by_an_administrator_ends_all(admin: Any, operator: Any) -> None:
    client, new = enter(operator), "quite another battery"
    address = reverse("admin:auth_user_password_change", args=[operator.pk])
    form = {"password1": new, "password2": new, "usable_password": "true"}
    assert logged_in(admin).post(address, form).status_code == 302
    assert not is_in(client)
    assert is_in(enter(operator, new))


def test_the_turn_costs_no_query_of_its_own(operator: Any) -> None:
    client = logged_in(operator)
    with CaptureQueriesContext(connection) as captured:
        assert client.get("/activity/").status_code == 200
    assert sum("taskboard_profile" in query["sql"] for query in captured) == 1


@pytest.mark.django_db(transaction=True)
def test_those_that_are_over_are_told_apart(operator: Any, manager: Any, admin: Any) -> None:
    """What open streams ask for."""
    people = (operator, manager, admin)
    kept, turned, left = (str(logged_in(person).session.session_key) for person in people)
    sessions.end([manager.pk])
    Session.objects.filter(pk=left).delete()
    assert sessions.ended([kept, turned, left, "", "unheard-of"]) == {turned, left, "", "unheard-of"}


def test_a_form_that_was_open_does_not_bring_them_back(operator: Any) -> None:
    client = enter(operator)
    sessions.end([operator.pk])
    again = enter(operator)
    assert again.post("/profile/", {"language": "", "time_zone": "Asia/Seoul"}).status_code == 302
    assert sessions.turn_of(operator.pk) == 1
    assert not is_in(client)


@pytest.mark.django_db(transaction=True)
def test_rights_that_another_process_took_end_a_stream_within_a_minute(operator: Any, manager: Any) -> None:
    """Nothing but the rows changed: no form, no turn, no signal."""
    left, kept = (str(logged_in(person).session.session_key) for person in (operator, manager))
    assert sessions.ended([left, kept]) == set()
    operator.groups.through.objects.filter(user=operator).delete()
    assert sessions.ended([left, kept]) == {left}
    assert streams.CHECK_EVERY + streams.ROUND < 60


def test_rights_that_another_process_took_close_every_page_at_once(operator: Any) -> None:
    client = enter(operator)
    assert client.get("/").status_code == 200
    operator.groups.through.objects.filter(user=operator).delete()
    assert client.get("/").status_code == 403
    assert client.get("/stream/").status_code == 401


@pytest.mark.django_db(transaction=True)
def test_a_person_who_was_removed_leaves_the_live_pages_of_others_going(operator: Any, manager: Any) -> None:
    gone, there = (Channel("badge", 0, person.pk, "en", "UTC") for person in (operator, manager))
    operator.delete()
    seen = look({gone: None, there: None})
    assert (list(seen[gone].regions), list(seen[there].regions)) == ([], ["#approvals-badge"])
