"""A state of a task, an item or a step is called the same wherever it is shown."""

from pathlib import Path

import pytest
from django.contrib.auth.base_user import AbstractBaseUser

from approvals.models import ApprovalStatus
from taskboard import looks
from taskboard.models import ItemStatus, StepStatus, TaskStatus
from tests.conftest import logged_in
from tests.factories import make_item, make_step, make_task

TEMPLATES = Path(__file__).parents[2] / "templates"
STATES = [state for kind in (TaskStatus, ItemStatus, StepStatus, ApprovalStatus) for state in kind]


def test_every_state_has_its_word_in_one_list_whatever_has_it() -> None:
    assert {state: looks.WORDS[state.value] for state in STATES} == {state: state.label for state in STATES}
    assert looks.WORDS["started"] == looks.WORDS["running"]


def test_templates_show_states_by_that_list() -> None:
    wrong = [path.name for path in TEMPLATES.rglob("*.html") if "get_status_display" in path.read_text()]
    assert wrong == []


@pytest.mark.django_db
def test_what_has_begun_in_a_paused_task_reads_the_same_everywhere(operator: AbstractBaseUser) -> None:
    task = make_task(workflow="linear", status=TaskStatus.PAUSED)
    item = make_item(task, "/pricing", status=ItemStatus.RUNNING)
    make_step(item, "look")
    for address in (task.get_absolute_url(), item.get_absolute_url(), "/items/?q=/pricing"):
        page = logged_in(operator).get(address).content.decode()
        assert "Begun" in page, address
        assert ">Running<" not in page, address
