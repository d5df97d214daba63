"""What a purge takes is ticked by a person: nothing before, all of it with one click, also without JavaScript."""

import re
from typing import Any

import pytest
from django.test import Client

from taskboard.models import PurgePlan
from taskboard.retention import plans
from taskboard.views import retention
from tests.conftest import logged_in
from tests.factories import make_finished_task

pytestmark = pytest.mark.django_db


@pytest.fixture
def at_admin(admin: Any) -> Client:
    return logged_in(admin)


def text(client: Client, **query: str) -> str:
    return str(client.get("/retention/", query).content.decode())


def boxes(page: str, word: str) -> list[bool]:
    return [word in box for box in re.findall(r'<input type="checkbox" name="task"[^>]*>', page)]


def test_nothing_is_ticked_before_somebody_does(at_admin: Client) -> None:
    for _ in range(2):
        make_finished_task()
    page = text(at_admin)
    assert boxes(page, " checked") == [False, False]
    assert 'name="all"' not in page


def test_all_are_chosen_with_one_link_and_single_ones_left_out_again(at_admin: Client) -> None:
    tasks = [make_finished_task() for _ in range(2)]
    assert 'href="?all=1"' in text(at_admin)
    assert "Choose all 2" in text(at_admin)
    page = text(at_admin, all="1")
    assert boxes(page, " checked") == [True, True]
    assert boxes(page, " disabled") == [False, False]
    assert 'name="all"' not in page
    assert "Choose none" in page
    at_admin.post("/retention/purges/make/", {"task": [tasks[0].public_id]})
    assert PurgePlan.objects.get().size == 1


def test_all_means_those_of_the_other_pages_too(at_admin: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retention, "PER_PAGE", 2)
    for _ in range(3):
        make_finished_task()
    page = text(at_admin, all="1")
    assert boxes(page, " checked") == boxes(page, " disabled") == [True, True]
    assert "3 are chosen, on all pages." in page
    hidden = re.search(r'<input type="hidden" name="(all)" value="(1)">', page)
    following = re.search(r'href="(\?all=1&amp;after=[^"]+)"', page)
    assert hidden
    assert following
    last = at_admin.get("/retention/" + following[1].replace("&amp;", "&")).content.decode()
    assert boxes(last, " checked") == [True]
    assert "3 are chosen, on all pages." in last
    at_admin.post("/retention/purges/make/", {hidden[1]: hidden[2]})
    assert PurgePlan.objects.get().size == 3


def test_it_says_where_one_purge_cannot_take_all(at_admin: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plans, "MOST", 2)
    for _ in range(3):
        make_finished_task()
    assert "Choose the first 2" in text(at_admin)


def test_planning_with_nothing_ticked_is_refused_in_a_sentence(at_admin: Client) -> None:
    make_finished_task()
    answer = at_admin.post("/retention/purges/make/", {})
    assert answer.status_code == 422
    assert "No task is ticked. Tick those that the purge is to take." in answer.content.decode()
    assert not PurgePlan.objects.exists()
