"""Two decisions at the same moment: one counts, the other is told."""

import threading

import pytest
from django.contrib.auth.models import User
from django.db import connection

from approvals import decisions
from approvals.errors import AlreadyDecided
from approvals.models import Approval, Vote
from taskboard.models import Checkpoint, Kind
from tests.approvals.answers import ROUNDS
from tests.conftest import make_person
from tests.factories import make_approval


def answer(barrier: threading.Barrier, asked: Approval, user: User, outcome: str, said: list[str]) -> None:
    try:
        barrier.wait(10)
        decisions.decide(asked.pk, user, outcome, "because", asked.payload_sha256)
        said.append(outcome)
    except AlreadyDecided as error:
        said.append(error.message)
    finally:
        connection.close()


@pytest.mark.django_db(transaction=True)
def test_of_two_at_the_same_moment_exactly_one_decides(manager: User) -> None:
    other = make_person("other", "Managers")
    for number in range(ROUNDS):
        second = manager if number % 2 else other  # one person in two tabs, or two people
        asked = make_approval()
        barrier, said = threading.Barrier(2), list[str]()
        pairs = ((manager, "approve"), (second, "reject"))
        threads = [
            threading.Thread(target=answer, args=(barrier, asked, who, what, said)) for who, what in pairs
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(20)
        asked.refresh_from_db()
        won = [word for word in said if word in ("approve", "reject")]
        assert len(said) == 2
        assert won == [asked.verdict]
        assert f"{asked.decided_by_name} {asked.status} this on" in next(
            word for word in said if word not in won
        )
        assert Vote.objects.filter(approval=asked).count() == 1
        assert Checkpoint.objects.filter(task=asked.task, kind=Kind.DECIDED).count() == 1
