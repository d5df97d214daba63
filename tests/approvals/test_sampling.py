"""Sample, then batch: the unusual ones first, the rest under bounds, and what falls outside stays open."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.urls import reverse

from approvals import bulk, decisions, sampling
from approvals.models import Approval, BulkDecision
from taskboard.errors import BadInput, NotFound, WrongState
from taskboard.models import Task
from tests.conftest import logged_in, make_person
from tests.factories import make_approval, make_asking_step

pytestmark = pytest.mark.django_db(transaction=True)
OLD = "Old title"


def ask(task: Task | None, title: str, impact: int | None = 1, **over: Any) -> Approval:
    payload = {"title": title}
    told = {"payload": payload, "before": OLD, "after": title, "impact": impact, "editable": ("title",)}
    return make_approval(make_asking_step(task), **{**told, **over})


@pytest.fixture
def task() -> Task:
    """Twenty alike questions; some are long, some weigh much."""
    first = ask(None, "New title")
    for number in range(19):
        ask(first.task, "New title" + "!" * number, impact=number)
    return first.task


def answer(draft: BulkDecision, who: User, no: int = 0) -> None:
    for row in draft.rows.filter(result="sampled").select_related("approval"):
        outcome, no = ("reject" if no > 0 else "approve"), no - 1
        decisions.decide(row.approval_id, who, outcome, "odd" if outcome == "reject" else "", row.digest)


def test_the_most_unusual_and_some_at_random_are_drawn(task: Task, manager: User) -> None:
    draft = sampling.start(manager, task, "pay")
    told = list(draft.rows.filter(result="sampled").values_list("told", flat=True))
    assert sum(words.startswith("Large edit") for words in told) == 3
    assert sum(words.startswith("High impact") for words in told) == 3
    assert told.count("At random") == 3
    assert draft.rows.filter(result="pending").count() == 11


@pytest.mark.parametrize(
    ("before", "after", "size"),
    [("", "", 0), ("abc", "abc", 0), ("abc", "axc", 2), ("aa", "aaa", 1), ("", "xyz", 3)],
)
def test_the_size_of_an_edit_is_what_lies_between_the_differences(before: str, after: str, size: int) -> None:
    assert sampling.edit_size(Approval(before=before, after=after)) == size


def test_the_rest_is_approved_only_after_the_sample_and_under_the_bounds(task: Task, manager: User) -> None:
    draft = sampling.start(manager, task, "pay")
    with pytest.raises(BadInput, match="Answer the questions of the sample first: 9"):
        sampling.begin(draft.pk, manager, {"impact": "10"})
    with pytest.raises(WrongState):
        bulk.begin(draft.pk, manager)
    answer(draft, manager)
    with pytest.raises(BadInput, match="at least one limit"):
        sampling.begin(draft.pk, manager, {})
    with pytest.raises(BadInput, match="whole number"):
        sampling.begin(draft.pk, manager, {"impact": "few"})
    begun = sampling.begin(draft.pk, manager, {"text.title": "16", "impact": "10"})
    bulk.carry_on(begun.pk, seconds=60)
    still = Approval.objects.filter(task=task, status="open")
    assert still.exists()
    for approval in still:
        assert len(approval.payload["title"]) >= 16 or (approval.impact or 0) >= 10
    done = begun.rows.filter(result="done").select_related("approval")
    assert done
    for row in done:
        assert len(row.approval.payload["title"]) < 16
        assert (row.approval.impact or 0) < 10
    left = begun.rows.filter(result="excluded").values_list("told", flat=True)
    assert left
    assert all("not under" in words for words in left)
    assert still.count() == len(left)


def test_a_no_in_the_sample_has_to_be_passed_over_on_purpose(task: Task, manager: User) -> None:
    draft = sampling.start(manager, task, "pay")
    answer(draft, manager, no=1)
    with pytest.raises(BadInput, match="not approved"):
        sampling.begin(draft.pk, manager, {"impact": "100"})
    assert sampling.begin(draft.pk, manager, {"impact": "100"}, despite=True).begun_at


def test_what_cannot_be_measured_is_outside() -> None:
    limits = sampling.read_bounds({"impact": "10", "csrfmiddlewaretoken": "x", "edit": " "})
    assert list(limits) == ["impact"]
    assert "cannot be measured" in sampling.outside(Approval(impact=None), limits)
    assert "not under" in sampling.outside(Approval(impact=10), limits)
    assert sampling.outside(Approval(impact=9), limits) == ""
    money = sampling.read_bounds({"amount": "5.50"})
    assert "$6.00" in sampling.outside(Approval(amount_micro=6_000_000), money)


def test_a_few_are_answered_one_by_one(manager: User) -> None:
    first = ask(None, "New")
    with pytest.raises(BadInput, match="at least 10"):
        sampling.start(manager, first.task, "pay")


def test_a_sample_is_its_makers_own(task: Task, manager: User) -> None:
    draft = sampling.start(manager, task, "pay")
    with pytest.raises(NotFound):
        sampling.begin(draft.pk, make_person("other", "Managers"), {"impact": "1"})


def test_the_pages_lead_through_it(task: Task, manager: User) -> None:
    client = logged_in(manager)
    offer = client.get(reverse("approvals:sample"), {"task": task.public_id, "step": "pay"}).content.decode()
    assert "20 questions wait for you" in offer
    assert "Draw a sample" in offer
    drawn: Any = client.post(reverse("approvals:sample_start"), {"task": task.public_id, "step": "pay"})
    draft = BulkDecision.objects.get()
    page = client.get(drawn.url).content.decode()
    assert "9 open" in page
    assert 'name="text.title"' in page
    begin = reverse("approvals:sample_begin", args=[draft.pk])
    assert client.post(begin, {"impact": "10"}).status_code == 422
    assert client.post(reverse("approvals:bulk_begin", args=[draft.pk]), {}).status_code == 409
    answer(draft, manager)
    assert client.post(begin, {"impact": "10"}).status_code == 302
    bulk.carry_on(draft.pk, seconds=60)
    assert "after a sample" in client.get(drawn.url).content.decode()
