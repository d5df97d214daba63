"""Two at the same moment, whichever way they come: one answer, one resume, and the other is told who was first."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import connection
from django.utils import timezone

from approvals import bulk, decisions, expiry, resumer
from approvals.models import Approval, Outcome, Vote
from taskboard.errors import TaskboardError
from taskboard.gates import gate
from taskboard.models import Checkpoint, Kind
from taskboard.outcomes import Policy
from taskboard.steering import steer
from tests.approvals.answers import ROUNDS
from tests.conftest import logged_in, make_person
from tests.factories import make_approval, make_asking_step

pytestmark = pytest.mark.django_db(transaction=True)
LATE = "late"


class People:
    """Two managers and an operator, with the browsers that they have open."""

    def __init__(self, manager: User, operator: User) -> None:
        self.first, self.second, self.operator = manager, make_person("other", "Managers"), operator
        self.task = make_asking_step().task
        self.browsers = {person: logged_in(person) for person in (self.first, self.second)}

    def page(self, asked: Approval, person: User, outcome: str, digest: str = "") -> str:
        said = {"outcome": outcome, "reason": "because", "digest": digest or asked.payload_sha256}
        answered = self.browsers[person].post(f"/approvals/{asked.pk}/decide", said)
        if answered.status_code == 302:
            return outcome
        assert answered.status_code == 409, answered.content.decode()
        return LATE


@pytest.fixture
def people(manager: User, operator: User, settings: Any) -> People:
    settings.APPROVALS_UNDO_SECONDS = 0
    return People(manager, operator)


def both(*calls: Callable[[], str]) -> list[str]:
    """Released at the same instant; what each came to."""
    barrier, said = threading.Barrier(len(calls)), list[str]()

    def run(call: Callable[[], str]) -> None:
        try:
            barrier.wait(60)
            said.append(call())
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=(call,)) for call in calls]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert len(said) == len(calls)
    return said


@contextmanager
def one_answer_and_one_resume(asked: Approval) -> Iterator[None]:
    yield
    asked.refresh_from_db()
    votes = Vote.objects.filter(approval=asked, counts=True).count()
    told = Checkpoint.objects.filter(task=asked.task, data__approval=asked.pk)
    closed = told.filter(kind__in=(Kind.DECIDED, Kind.EXPIRED, Kind.WITHDRAWN)).count()
    assert (votes, closed) == (1 if asked.decided_at else 0, 1)
    picked = both(*[lambda: str(resumer.pick_up(asked.pk))] * 2)
    assert picked.count("True") == (1 if asked.verdict else 0)
    assert told.filter(kind=Kind.PICKED_UP).count() == picked.count("True")


def ask(people: People, **policy: Any) -> Approval:
    return make_approval(make_asking_step(people.task), policy=Policy(**policy))


def test_page_against_page(people: People) -> None:
    for number in range(ROUNDS):
        asked = ask(people)
        second = people.first if number % 2 else people.second  # one person in two tabs, or two people
        with one_answer_and_one_resume(asked):
            said = both(
                lambda: people.page(asked, people.first, "approve"),  # noqa: B023
                lambda: people.page(asked, second, "reject"),  # noqa: B023
            )
        assert sorted(said) == sorted([LATE, asked.verdict])


def test_page_against_many_at_once(people: People) -> None:
    for _ in range(ROUNDS):
        asked = ask(people)
        draft = bulk.choose(people.second, Outcome.REJECT, Approval.objects.filter(pk=asked.pk))  # type: ignore[arg-type]
        begun = bulk.begin(draft.pk, people.second, "all of them")
        with one_answer_and_one_resume(asked):
            both(
                lambda: people.page(asked, people.first, "approve"),  # noqa: B023
                lambda: str(bulk.carry_on(begun.pk)),  # type: ignore[func-returns-value] # noqa: B023
            )
        row = begun.rows.get()
        assert row.result == ("done" if asked.verdict == "reject" else "refused")
        assert asked.verdict == "reject" or "manager approved this on" in row.told


def test_page_against_the_deadline(people: People) -> None:
    for number in range(ROUNDS):
        asked = ask(people, on_expiry="reject")
        soon = timezone.now() + timedelta(milliseconds=number)
        Approval.objects.filter(pk=asked.pk).update(expires_at=soon)
        with one_answer_and_one_resume(asked):
            said = both(
                lambda: people.page(asked, people.first, "approve"),  # noqa: B023
                lambda: str(_expired(asked)),  # noqa: B023
            )
            asked.refresh_from_db()
            if asked.status == "open":  # nobody was there at the moment itself: refused by its deadline alone
                expiry.expire_overdue(timezone.now())
        assert (asked.status == "approved") == ("approve" in said)


def _expired(asked: Approval) -> int:
    return expiry.expire_overdue(timezone.now(), asked.task)


def test_page_against_cancelling_the_task(people: People) -> None:
    for _ in range(ROUNDS):
        asked = make_approval()
        with one_answer_and_one_resume(asked):
            both(
                lambda: people.page(asked, people.first, "approve"),  # noqa: B023
                lambda: str(steer.cancel(asked.task, people.operator)),  # type: ignore[func-returns-value] # noqa: B023
            )
        assert asked.step
        asked.step.refresh_from_db()
        assert asked.step.status == "cancelled"


def test_command_against_the_page_that_a_mail_links_to(people: People) -> None:
    for _ in range(ROUNDS):
        asked = ask(people)
        linked = people.browsers[people.first].get(asked.get_absolute_url()).content.decode()
        digest = linked.split('name="digest" value="')[1].split('"')[0]
        with one_answer_and_one_resume(asked):
            said = both(
                lambda: people.page(asked, people.first, "approve", digest),  # noqa: B023
                lambda: _commanded(asked),  # noqa: B023
            )
        assert sorted(said) == sorted([LATE, asked.verdict])


def _commanded(asked: Approval) -> str:
    try:
        call_command("decide", str(asked.pk), "reject", "--as", "other", "--reason", "no", "--json")
    except CommandError as error:
        return LATE if "manager approved this on" in str(error) else str(error)
    return "reject"


def test_taking_back_against_handing_over(people: People) -> None:
    for _ in range(ROUNDS):
        asked = ask(people)
        decisions.decide(asked.pk, people.first, "approve", "", asked.payload_sha256, undo_seconds=5)
        Approval.objects.filter(pk=asked.pk).update(hand_over_at=timezone.now())
        said = both(
            lambda: _taken_back(asked, people.first),  # noqa: B023
            lambda: str(gate().collect(timezone.now(), asked.task)),  # noqa: B023
        )
        asked.refresh_from_db()
        assert sorted(said) in ([["0", "taken back"], ["1", LATE]])
        assert (asked.status, asked.picked_up_at is None) == (
            ("open", True) if "taken back" in said else ("approved", False)
        )


def _taken_back(asked: Approval, who: User) -> str:
    try:
        decisions.take_back(asked.pk, who)
    except TaskboardError:
        return LATE
    return "taken back"
