"""showtask: where a task stands, for scripts and for people."""

import json
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from taskboard.models import Task, TaskStatus
from tests.documents import example, load

pytestmark = pytest.mark.django_db


def shown(*args: str) -> str:
    out = StringIO()
    call_command("showtask", *args, stdout=out)
    return out.getvalue()


@pytest.fixture
def values() -> Any:
    return json.loads(shown(load(example()).public_id, "--json"))


def test_every_count_is_there_as_a_number(values: Any) -> None:
    assert values["progress"] == {
        "total": 200, "done": 86, "failed": 2, "rejected": 0, "skipped": 0, "cancelled": 0,
        "waiting_approval": 3, "blocked": 0, "running": 1, "pending": 108,
    }  # fmt: skip


def test_amounts_are_exact_text(values: Any) -> None:
    assert values["budget"] == {
        "limit_usd": "20.00",
        "spent_usd": "7.35",
        "estimated_usd": "0.00",
        "reserved_usd": "0.00",
    }


def test_open_questions_steps_and_place_are_told(values: Any) -> None:
    assert [question["item"] for question in values["approvals"]] == ["page_033"]
    assert values["steps"]["notify"] == {"started": 1}
    assert values["last_checkpoint"] == "page_087.notify.started"
    assert values["restart_count"] == 0


def test_no_limit_is_null() -> None:
    load(example(budget__limit_usd=None))
    assert json.loads(shown("task_20260917_0042", "--json"))["budget"]["limit_usd"] is None


def test_people_get_a_summary() -> None:
    text = shown(load(example(reason="held up")).public_id)
    assert "running (held up)" in text
    assert "86 of 200 items done, 2 failed, 3 waiting approval" in text
    assert "198 items not listed" in text
    assert "7.35 of 20.00 USD" in text


def test_a_task_that_stands_still_says_why() -> None:
    task = load(example())
    Task.objects.filter(pk=task.pk).update(status=TaskStatus.BLOCKED, held=False)
    assert "blocked\n            0 items need a person." in shown(task.public_id)


def test_an_unknown_id_is_one_sentence() -> None:
    with pytest.raises(CommandError, match=r"^There is no task 'nope'\.$"):
        shown("nope")
