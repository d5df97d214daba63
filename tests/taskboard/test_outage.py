"""The database is away when a call comes back: its answer is kept and written when the database is there again."""

from typing import Any

import pytest
from django.db import OperationalError, connection, transaction
from django.utils import timezone

from taskboard.engine import outage, work
from taskboard.models import Checkpoint, LedgerEntry, Step, Task
from taskboard.recount import differences
from taskboard.start import start_task
from taskboard.sweep import sweep
from tests import outage_workflows  # noqa: F401 registers them
from tests.background import working_on
from tests.outage_workflows import AT_THE_RESULT
from tests.outages import Outages, end_all_others
from tests.workflows import GATE, World

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def outages(monkeypatch: pytest.MonkeyPatch) -> Outages:
    return Outages(monkeypatch)


def phoning(user: Any, mode: str = "", items: int = 2) -> Task:
    return start_task("phoning", {"items": items, "mode": mode}, user=user)


def came_through(task: Task, items: int = 2) -> None:
    """Each call was made once, and each answer was written once."""
    task.refresh_from_db()
    assert (task.status, list(differences(task))) == ("completed", [])
    assert set(Step.objects.filter(task=task).values_list("status", "attempt")) == {("done", 1)}
    told = Checkpoint.objects.filter(task=task, step="call").exclude(kind__in=("says", "risk"))
    kinds = list(told.values_list("kind", flat=True))
    assert sorted(kinds) == ["intent"] * items + ["result"] * items
    assert len(World().keys()) == items


def test_an_answer_outlives_a_database_that_is_away(operator: Any, outages: Outages) -> None:
    """Nobody could look this call up: without its answer a person would have to."""
    task = phoning(operator)
    with working_on(task, effects=2), outages.away():
        GATE.set()
    came_through(task)


def test_it_is_also_written_when_its_lease_is_over_and_nobody_took_it(
    operator: Any, outages: Outages
) -> None:
    task = phoning(operator)
    with working_on(task, effects=2), outages.away():
        if connection.vendor == "postgresql":  # SQLite's lock keeps the test out, too
            Step.objects.filter(task=task, status="started").update(lease_until=timezone.now())
        GATE.set()
    came_through(task)


def test_connections_that_were_ended_are_made_anew(operator: Any, outages: Outages) -> None:
    """STUCK-11: PostgreSQL was restarted during the call."""
    if connection.vendor != "postgresql":
        pytest.skip("only a server can end connections")
    task = phoning(operator)
    with working_on(task, effects=2):
        end_all_others()
    assert outages.noticed
    came_through(task)


@pytest.mark.parametrize("number", [1, 2])
def test_what_was_committed_without_an_answer_is_not_written_again(
    operator: Any, outages: Outages, number: int
) -> None:
    """Neither the result nor the claims of the same transaction: what they began is called."""
    task = phoning(operator)
    with working_on(task, effects=2):
        outages.unanswered_commit(number)
    assert outages.noticed == 1
    came_through(task)


def test_what_a_step_reports_on_its_way_is_kept_too(operator: Any, outages: Outages) -> None:
    task = phoning(operator, "spend")
    with working_on(task, effects=2), outages.away():
        GATE.set()
    came_through(task)
    assert [entry.amount_micro for entry in LedgerEntry.objects.filter(task=task)] == [10_000] * 2
    assert Checkpoint.objects.filter(task=task, kind="risk").count() == 2
    assert Checkpoint.objects.filter(task=task, kind="says").count() == 2


def test_a_change_of_our_own_that_fails_with_the_database_is_made_later(
    operator: Any, outages: Outages
) -> None:
    """It is not the author's fault, so it leaves no outcome in doubt."""

    def lose_it() -> None:
        AT_THE_RESULT.clear()
        with connection.cursor() as cursor:
            if connection.vendor == "postgresql":
                cursor.execute("SELECT pg_terminate_backend(pg_backend_pid())")
        connection.connection.rollback()
        raise OperationalError("disk I/O error")

    AT_THE_RESULT.append(lose_it)
    task = phoning(operator, items=1)
    with working_on(task):
        pass
    assert outages.noticed == 1
    came_through(task, items=1)


def test_a_change_that_fails_by_itself_is_still_left_to_a_person(operator: Any, outages: Outages) -> None:
    AT_THE_RESULT.append(lambda: connection.cursor().execute("SELECT nothing FROM nowhere"))
    task = phoning(operator, items=1)
    with working_on(task):
        pass
    AT_THE_RESULT.clear()
    step = Step.objects.get(task=task, name="call")
    assert (step.status, outages.noticed) == ("unknown", 0)


def test_within_a_transaction_nothing_is_waited_for() -> None:
    away = outage.Outage()
    with pytest.raises(OperationalError, match="gone"), transaction.atomic():
        away.bear(OperationalError("gone"))


def test_in_the_end_it_is_given_up_and_left_to_a_person(
    operator: Any, outages: Outages, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    monkeypatch.setattr(outage, "PATIENCE_SECONDS", 0.1)
    task = phoning(operator, items=1)
    with pytest.raises(OperationalError), working_on(task), outages.away(tries=2):
        GATE.set()
    Step.objects.filter(task=task).update(lease_until=timezone.now())
    sweep()
    work.until_idle(task.pk)
    assert Step.objects.get(task=task).status == "unknown"
