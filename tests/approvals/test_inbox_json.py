"""The inbox and a question as scripts read them."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.base_user import AbstractBaseUser
from django.utils import timezone

from approvals.models import Approval, ApprovalStatus, Outcome, Vote
from tests.conftest import logged_in
from tests.factories import NOW, make_approval

pytestmark = pytest.mark.django_db


def fetch(person: AbstractBaseUser, where: str) -> Any:
    answer = logged_in(person).get(where)
    assert answer.status_code == 200, answer.content
    return answer.json()


def test_each_list_tells_what_the_page_shows(operator: AbstractBaseUser, manager: AbstractBaseUser) -> None:
    asked = make_approval(action="Change the title")
    told = fetch(manager, "/approvals.json")
    assert told["show"] == "mine"
    assert told["counts"] == {"mine": 1, "requests": 0, "open": 1}
    assert [(one["id"], one["action"], one["status"]) for one in told["questions"]] == [
        (asked.pk, "Change the title", "open")
    ]
    assert fetch(operator, "/approvals.json")["show"] == "open"
    assert fetch(manager, "/approvals.json?show=decided")["questions"] == []


def test_one_address_answers_people_and_scripts(manager: AbstractBaseUser) -> None:
    asked, client = make_approval(), logged_in(manager)
    for page, data in (
        ("/approvals/", "/approvals.json"),
        (f"/approvals/{asked.pk}/", f"/approvals/{asked.pk}.json"),
    ):
        assert client.get(page)["Content-Type"].startswith("text/html")
        assert client.get(page, headers={"Accept": "application/json"}).json() == client.get(data).json()


def test_a_question_has_its_exact_action_and_its_answers(manager: AbstractBaseUser) -> None:
    asked = make_approval(payload={"title": "New"}, amount_usd="1.50")
    Vote.objects.create(
        approval=asked, at=NOW, user_name="manager", outcome=Outcome.REJECT, reason="No", digest="0" * 64
    )
    told = fetch(manager, f"/approvals/{asked.pk}.json")
    assert (told["payload"], told["amount_usd"]) == ({"title": "New"}, "1.50")
    assert [(vote["by"], vote["outcome"], vote["reason"]) for vote in told["votes"]] == [
        ("manager", "reject", "No")
    ]


@pytest.mark.parametrize("show", ["open", "decided"])
def test_pages_follow_each_other_to_the_end(
    manager: AbstractBaseUser, monkeypatch: pytest.MonkeyPatch, show: str
) -> None:
    monkeypatch.setattr("approvals.views.question_data.PER_PAGE", 2)
    now = timezone.now()
    ends = [now + timedelta(days=2), None, now + timedelta(days=1), None, now + timedelta(days=1)]
    for end in ends:
        over = {"status": ApprovalStatus.APPROVED, "closed_at": now} if show == "decided" else {}
        Approval.objects.filter(pk=make_approval().pk).update(expires_at=end, **over)
    where, found = f"/approvals.json?show={show}", []
    while where:
        told = fetch(manager, where)
        found += [one["id"] for one in told["questions"]]
        where = told["next"]
    first = [one.pk for one in Approval.objects.order_by("pk")]
    by_deadline = [first[2], first[4], first[0], first[1], first[3]]
    assert found == (by_deadline if show == "open" else first[::-1])


def test_it_is_narrowed_as_the_page_is(manager: AbstractBaseUser) -> None:
    make_approval(action="Change the title")
    make_approval(action="Delete the page")
    told = fetch(manager, "/approvals.json?show=open&q=delete")
    assert [one["action"] for one in told["questions"]] == ["Delete the page"]


def test_what_is_not_there_is_told_in_a_sentence(manager: AbstractBaseUser) -> None:
    answer = logged_in(manager).get("/approvals/999.json")
    assert answer.status_code == 404
    assert answer.json()["error"]
