"""Who sees what: nobody without logging in, nothing without a group."""

import pytest
from django.contrib.auth.base_user import AbstractBaseUser
from django.test import Client

import tests.workflows  # noqa: F401 registers the zoo
from tests.conftest import logged_in
from tests.factories import make_task

PAGES = [
    "/",
    "/tasks/new/",
    "/tasks/new/linear/",
    "{task}",
    "/attention/",
    "{task}brief/",
    "{task}brief.md",
    "{task}journal/",
    "{task}journal.jsonl",
    "{task}state.json",
]


def address(pattern: str) -> str:
    return pattern.format(task=make_task().get_absolute_url())


@pytest.mark.parametrize("pattern", PAGES)
def test_a_stranger_is_sent_to_login_and_comes_back(db: None, pattern: str) -> None:
    wanted = address(pattern)
    response = Client().get(wanted)
    assert response.status_code == 302
    assert response["Location"] == f"/accounts/login/?next={wanted}"


def test_htmx_of_a_stranger_sends_the_whole_page_to_login(db: None) -> None:
    task = make_task()
    current = f"http://testserver{task.get_absolute_url()}?after=100"
    response = Client().get(
        f"{task.get_absolute_url()}parts/summary/", headers={"HX-Request": "true", "HX-Current-URL": current}
    )
    assert response["HX-Redirect"] == f"/accounts/login/?next={task.get_absolute_url()}%3Fafter%3D100"


def test_htmx_never_leads_to_another_site(db: None) -> None:
    headers = {"HX-Request": "true", "HX-Current-URL": "https://evil.example/tasks/"}
    assert Client().get("/", headers=headers)["HX-Redirect"] == "/accounts/login/?next=/"


def test_an_action_of_a_stranger_comes_back_to_the_page_with_the_button(db: None) -> None:
    task = make_task()
    referer = f"http://testserver{task.get_absolute_url()}"
    response = Client().post(f"{task.get_absolute_url()}pause/", headers={"Referer": referer})
    assert response["Location"] == f"/accounts/login/?lost=1&next={task.get_absolute_url()}"


@pytest.mark.parametrize("pattern", PAGES)
def test_a_person_in_no_group_is_told_so(outsider: AbstractBaseUser, pattern: str) -> None:
    response = logged_in(outsider).get(address(pattern))
    assert response.status_code == 403
    assert b"You are in no group yet" in response.content


def test_a_person_without_the_right_is_told_so(manager: AbstractBaseUser) -> None:
    response = logged_in(manager).get("/tasks/new/")
    assert response.status_code == 403
    assert b"Your group may not do this." in response.content


def test_the_login_page_says_that_what_was_sent_is_lost(db: None) -> None:
    response = Client().post(f"{make_task().get_absolute_url()}pause/", follow=True)
    assert "You were logged out, so what you sent was not saved" in response.content.decode()
