"""Steering on the task page: what everybody sees, and the forms of those who may."""

from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from taskboard import instruction_queue
from taskboard.live import Channel
from taskboard.models import Instruction, Item, Risk, Task
from taskboard.steering import instructions
from taskboard.views.regions import look
from tests import steered_workflows  # noqa: F401 registers them
from tests.conftest import logged_in
from tests.factories import NOW, make_item, make_step, make_task

pytestmark = pytest.mark.django_db


@pytest.fixture
def task() -> Task:
    return make_task(workflow="counting")


def post(user: Any, task: Task, place: str, **fields: Any) -> Any:
    return logged_in(user).post(f"{task.get_absolute_url()}{place}/", fields, headers={"HX-Request": "true"})


def page(user: Any, task: Task) -> str:
    return str(logged_in(user).get(task.get_absolute_url()).content.decode())


def texts(task: Task) -> list[str]:
    return list(instruction_queue.queued(task).values_list("text", flat=True))


def test_an_instruction_is_queued_and_shown(operator: Any, task: Task) -> None:
    html = post(operator, task, "instructions/add", text="Leave the blog alone").content.decode()
    for target in ("#steering-lists", "#steering-forms", "#toasts"):
        assert f'hx-target="{target}"' in html
    assert "Leave the blog alone" in page(operator, task)
    assert texts(task) == ["Leave the blog alone"]


def test_the_queue_is_reordered_and_taken_back(operator: Any, task: Task) -> None:
    one, two, three = (instructions.add(task, operator, text) for text in ("one", "two", "three"))
    post(operator, task, "instructions/change", instruction=three.pk, verb="up")
    assert texts(task) == ["one", "three", "two"]
    post(operator, task, "instructions/change", instruction=one.pk, verb="down")
    assert texts(task) == ["three", "one", "two"]
    post(operator, task, "instructions/change", instruction=two.pk, verb="delete")
    assert texts(task) == ["three", "one"]


def test_what_was_taken_up_says_by_which_step(operator: Any, task: Task) -> None:
    taken = instructions.add(task, operator, "Slower")
    Instruction.objects.filter(pk=taken.pk).update(taken_up_at=NOW, taken_up_by="page_001.look")
    assert "handed to page_001.look" in page(operator, task)
    answer = post(operator, task, "instructions/change", instruction=taken.pk, verb="delete")
    assert answer.status_code == 409
    assert "taken up by page_001.look" in answer.content.decode()


@pytest.mark.parametrize(
    ("place", "fields", "status", "sentence"),
    [
        ("instructions/add", {"text": " "}, 422, "Write what the next step should heed"),
        ("instructions/change", {"instruction": "x"}, 422, "Choose one of the list"),
        ("instructions/change", {"instruction": "99999", "verb": "up"}, 404, "no such instruction"),
        ("stop-after", {}, 422, "Choose a step, or say after how many items"),
        ("stop-after", {"step": "look", "items": "3"}, 422, "not both"),
        ("stop-after", {"items": "-1"}, 422, "whole number"),
        ("stop-after", {"step": "nowhere"}, 422, "There is no step"),
        ("items-to-add", {"items": " \n "}, 422, "Name at least one item"),
        ("items-to-add", {"items": "_task"}, 422, "cannot have the key"),
        ("risks/raise", {"text": ""}, 422, "Say what may go wrong"),
        ("risks/raise", {"text": "x", "severity": "huge"}, 422, "low, medium or high"),
        ("risks/close", {"risk": "99999", "reason": "x"}, 404, "no such risk"),
    ],
)
def test_what_cannot_be_done_is_said_at_the_button(
    operator: Any, task: Task, place: str, fields: dict[str, str], status: int, sentence: str
) -> None:
    """UX-03."""
    answer = post(operator, task, place, **fields)
    assert (answer.status_code, answer["HX-Retarget"]) == (status, "#toasts")
    assert sentence in answer.content.decode()


def test_where_to_stop_is_told_and_cleared(operator: Any, task: Task) -> None:
    make_step(make_item(task), "look")
    post(operator, task, "stop-after", step="look")
    assert "Pauses once nothing is left up to the step “look”." in page(operator, task)
    post(operator, task, "stop-after", items="3")
    assert "Pauses once 3 items are through." in page(operator, task)
    post(operator, task, "stop-after", clear="1")
    assert "Pauses once" not in page(operator, task)
    task.refresh_from_db()
    assert task.stop_after == {}


def test_items_are_added_from_lines_and_from_a_sheet(operator: Any, task: Task) -> None:
    sheet = SimpleUploadedFile("new.csv", "key;label\nc;Žofie\na;Again\n".encode("utf-8-sig"))
    html = post(operator, task, "items-to-add", items="a\n\n b \n", sheet=sheet).content.decode()
    assert "3 items were added." in html
    assert set(Item.objects.filter(task=task).values_list("key", "label")) == {
        ("a", ""),
        ("b", ""),
        ("c", "Žofie"),
    }
    html = post(operator, task, "items-to-add", items="b\nd").content.decode()
    assert "1 item was added. 1 was there already." in html


def test_a_fault_in_a_sheet_is_told_with_its_line(operator: Any, task: Task) -> None:
    sheet = SimpleUploadedFile("new.csv", b"key\na\na\n")
    answer = post(operator, task, "items-to-add", sheet=sheet)
    assert answer.status_code == 422
    assert "Line 3" in answer.content.decode()
    assert not Item.objects.exists()


def test_a_risk_is_raised_and_closed_with_a_reason(operator: Any, task: Task) -> None:
    post(operator, task, "risks/raise", text="The sitemap is old", severity="high")
    risk = Risk.objects.get()
    assert (risk.raised_by, risk.severity) == ("ops", "high")
    assert post(operator, task, "risks/close", risk=risk.pk, reason=" ").status_code == 422
    post(operator, task, "risks/close", risk=risk.pk, reason="It was read anew")
    html = page(operator, task)
    assert "closed by ops" in html
    assert "It was read anew" in html
    assert post(operator, task, "risks/close", risk=risk.pk, reason="again").status_code == 409
    assert [row.data["did"] for row in task.journal.filter(kind="risk")] == ["open risk", "close risk"]


def test_without_the_right_there_are_lists_and_no_forms(operator: Any, manager: Any, task: Task) -> None:
    instructions.add(task, operator, "Slower")
    html = page(manager, task)
    assert "Slower" in html
    assert "/instructions/change/" not in html
    assert post(manager, task, "instructions/add", text="Faster").status_code == 403


def test_the_forms_work_without_javascript(operator: Any, task: Task) -> None:
    answer = logged_in(operator).post(f"{task.get_absolute_url()}instructions/add/", {"text": "Slower"})
    assert answer["Location"] == f"{task.get_absolute_url()}#steering"


@pytest.mark.django_db(transaction=True)
def test_the_live_part_holds_the_lists_and_no_form(operator: Any, task: Task) -> None:
    instructions.add(task, operator, "Slower <b>")
    channel = Channel("task", task.pk, 0, "en", "UTC")
    regions = look({channel: None})[channel].regions
    assert "Slower &lt;b&gt;" in regions["#steering-lists"]
    assert "<form" not in regions["#steering-lists"]
    assert "/parts/steering-forms/" in regions["#steering-refresh"]
    html = logged_in(operator).get(f"{task.get_absolute_url()}parts/steering-forms/").content.decode()
    assert "/instructions/change/" in html
