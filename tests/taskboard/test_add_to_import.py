"""Items that people add to an imported task before it goes on."""

from typing import Any

import pytest

from taskboard.engine import work
from taskboard.errors import WrongState
from taskboard.models import Task
from taskboard.outcomes import NewItem
from taskboard.recount import differences
from taskboard.steering import steer
from taskboard.steering.items import add_items
from tests.documents import example, load

pytestmark = pytest.mark.django_db(transaction=True)


def imported(**over: Any) -> Task:
    """86 done and 2 failed items, and 3 to be done, of which the document lists none."""
    progress = {"total": 91, "done": 86, "failed": 2, "waiting_approval": 0, "pending": 3}
    return load(example(progress=progress, items={}, approvals=[], workflow="counting", **over))


def fresh(task: Task) -> Task:
    assert list(differences(task)) == []
    return Task.objects.get(pk=task.pk)


def test_those_that_the_document_only_counts_are_listed_by_it(operator: Any) -> None:
    task = imported()
    with pytest.raises(WrongState, match=r"3 unfinished items .* are counted but not listed; add them first"):
        steer.resume(task, operator)
    add_items(task, [NewItem(f"page_{number}") for number in range(4)], operator)
    added = fresh(task)
    assert (added.total, added.held) == (92, True)
    assert added.unlisted == {"done": 86, "failed": 2}


def test_then_a_resume_lets_it_go_and_what_was_done_stays_done(operator: Any) -> None:
    task = imported()
    add_items(task, [NewItem(f"page_{number}") for number in range(3)], operator)
    steer.resume(task, operator)
    work.until_idle(task.pk)
    done = fresh(task)
    assert (done.status, done.item_counts) == ("completed", {"done": 89, "failed": 2})


def test_a_document_without_a_workflow_gets_one_first(operator: Any) -> None:
    task = imported()
    Task.objects.filter(pk=task.pk).update(workflow="")
    task.refresh_from_db()
    with pytest.raises(WrongState, match="--workflow NAME"):
        add_items(task, [NewItem("page_1")], operator)
    add_items(task, [NewItem("page_1")], operator, workflow_name="counting")
    assert fresh(task).workflow == "counting"
