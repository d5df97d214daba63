"""Items that people add while a task runs, or after it has ended."""

from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from taskboard.engine import work
from taskboard.errors import BadInput, NotAllowed, WrongState
from taskboard.models import Checkpoint, Item, Step, Task
from taskboard.outcomes import NewItem
from taskboard.recount import differences
from taskboard.start import start_task
from taskboard.steering import items, steer
from taskboard.steering.items import add_items
from tests import steered_workflows  # noqa: F401 registers them
from tests.background import working_on
from tests.factories import make_item, make_step, make_task
from tests.workflows import World

pytestmark = pytest.mark.django_db(transaction=True)


def fresh(task: Task) -> Task:
    assert list(differences(task)) == []
    return Task.objects.get(pk=task.pk)


@pytest.fixture
def ended(operator: Any) -> Task:
    task = start_task("counting", {"items": 2}, user=operator)
    work.until_idle(task.pk)
    assert fresh(task).status == "completed"
    return task


def test_a_completed_task_runs_again_and_reports_anew(operator: Any, ended: Task) -> None:
    added = add_items(ended, [NewItem("extra", "One more", {"number": 9})], operator)
    assert (added.number, added.known) == (1, [])
    assert (fresh(ended).status, fresh(ended).finished_at) == ("running", None)
    work.until_idle(ended.pk)
    task = fresh(ended)
    assert (task.status, task.item_counts) == ("completed", {"done": 3})
    reports = Step.objects.filter(task=ended, name="report").order_by("revision")
    assert [(r.revision, r.status, r.summary) for r in reports] == [
        (1, "superseded", "2 items"),
        (2, "done", "3 items"),
    ]
    assert len(World().keys()) == len(set(World().keys())) == 5


def test_only_so_many_are_added_at_once(operator: Any, ended: Task, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(items, "MOST", 2)
    with pytest.raises(BadInput, match="At most 2 items"):
        add_items(ended, map(NewItem, "abc"), operator)
    assert add_items(ended, map(NewItem, "ab"), operator).number == 2


def test_it_is_journaled_with_the_person(operator: Any, ended: Task) -> None:
    add_items(ended, [NewItem("a"), NewItem("item_001")], operator)
    row = Checkpoint.objects.get(task=ended, kind="person")
    assert (row.actor, row.data) == ("ops", {"did": "add items", "added": 1, "doubles": 1})


def test_keys_that_look_the_same_are_the_same(operator: Any, ended: Task) -> None:
    added = add_items(ended, [NewItem(" item_001\u200b"), NewItem("x"), NewItem("x ")], operator)
    assert (added.number, added.known) == (1, ["item_001"])
    assert fresh(ended).item_counts == {"done": 2, "pending": 1}


def test_nothing_new_changes_nothing(operator: Any, ended: Task) -> None:
    assert add_items(ended, [NewItem("item_001")], operator).number == 0
    assert fresh(ended).status == "completed"
    assert not Step.objects.filter(task=ended, status="superseded").exists()


def test_items_are_added_while_a_step_runs(operator: Any) -> None:
    task = start_task("slow", {"items": 1}, user=operator)
    with working_on(task):
        add_items(task, [NewItem("late")], operator)
    work.until_idle(task.pk)
    assert fresh(task).item_counts == {"done": 2}


def test_a_paused_task_takes_them_and_stays_paused(operator: Any) -> None:
    task = start_task("counting", {"items": 1}, user=operator)
    work.read.read_items(task.pk, work.stopping)
    steer.pause(task, operator)
    add_items(task, [NewItem("late")], operator)
    assert (fresh(task).status, fresh(task).total) == ("paused", 2)


def test_while_the_report_is_being_written_none_is_taken(operator: Any) -> None:
    task = make_task(workflow="counting")
    make_step(make_item(task, "_task", position=0), "report", status="started")
    with pytest.raises(WrongState, match="The step report of the whole task has begun"):
        add_items(task, [NewItem("late")], operator)


@pytest.mark.parametrize(
    ("over", "sentence"),
    [
        ({"items_read": False, "status": "pending"}, "still being read"),
        ({"held": True, "workflow": ""}, "names no workflow"),
        ({"status": "cancelled"}, "cancelled, for good"),
    ],
)
def test_it_says_why_none_can_be_added(operator: Any, over: dict[str, Any], sentence: str) -> None:
    with pytest.raises(WrongState, match=sentence):
        add_items(make_task(**{"workflow": "counting", **over}), [NewItem("late")], operator)


def test_what_is_there_already_leaves_no_row(operator: Any, ended: Task) -> None:
    before = Checkpoint.objects.filter(task=ended, kind="person").count()
    assert add_items(ended, [NewItem("item_001")], operator).number == 0
    assert Checkpoint.objects.filter(task=ended, kind="person").count() == before


def test_what_is_no_key_is_refused(operator: Any, manager: Any, ended: Task) -> None:
    for bad in ("", " ", "_task"):
        with pytest.raises(BadInput, match="cannot have the key"):
            add_items(ended, [NewItem("good"), NewItem(bad)], operator)
    with pytest.raises(BadInput, match="at least one"):
        add_items(ended, [], operator)
    with pytest.raises(NotAllowed):
        add_items(ended, [NewItem("a")], manager)
    assert Item.objects.filter(task=ended, key="good").count() == 0


def test_the_command_adds_keys_and_a_sheet(operator: Any, ended: Task, tmp_path: Path) -> None:
    sheet, out = tmp_path / "more.csv", StringIO()
    sheet.write_bytes("\ufeffKey;Label;number\r\n7;Žofie;4\r\n".encode())
    call_command("additems", ended.public_id, "a", "item_001", f"--csv={sheet}", "--as=ops", stdout=out)
    assert out.getvalue() == "2 items added; 1 were there already.\n"
    item = Item.objects.get(task=ended, key="7")
    assert (item.label, item.params) == ("Žofie", {"number": "4"})
    with pytest.raises(CommandError, match="cannot be read: No such file"):
        call_command("additems", ended.public_id, "--csv=/nowhere.csv", "--as=ops")
