"""An export of a task that changes meanwhile is of one moment, and holds up nobody."""

from threading import Thread

import pytest
from django.db import connection

from taskboard import document, lifecycle
from taskboard.models import Task
from taskboard.recount import differences
from taskboard.snapshot import snapshot
from tests.documents import example, load


def spend(task: Task) -> None:
    with lifecycle.changing(task.pk, "ops") as change:
        change.spend(1_000_000)
    connection.close()


@pytest.mark.django_db(transaction=True)
def test_it_tells_the_moment_at_which_it_began() -> None:
    task = load(example())
    pieces = document.stream(task)
    text = next(pieces) + next(pieces)
    other = Thread(target=spend, args=[task])
    other.start()
    other.join(10)
    assert not other.is_alive()
    assert '"spent_usd": 7.35' in text + "".join(pieces)
    assert document.of(task)["budget"]["spent_usd"] == 8.35


@pytest.mark.django_db(transaction=True)
def test_an_export_that_is_broken_off_leaves_no_transaction_open() -> None:
    task = load(example())
    pieces = document.stream(task)
    next(pieces)
    pieces.close()  # type: ignore[attr-defined]
    spend(task)
    assert len(list(differences(task))) == 1


@pytest.mark.django_db
def test_inside_a_transaction_it_sees_what_that_wrote() -> None:
    with snapshot():
        assert load(example()).total == 200
