"""What is here already is not imported a second time."""

import pytest

from taskboard.errors import BadInput
from taskboard.models import Task
from tests.documents import example, load

pytestmark = pytest.mark.django_db


def test_it_refuses_a_task_that_is_here() -> None:
    load(example())
    with pytest.raises(BadInput, match=r"^task_id: The task task_20260917_0042 is already here"):
        load(example())
    assert Task.objects.count() == 1


def test_it_refuses_an_idempotency_key_that_is_here() -> None:
    load(example())
    with pytest.raises(
        BadInput, match=r"create_ticket\.idempotency_key: .* belongs to a task that is already here"
    ):
        load(example(task_id="task_20260917_0043"))
    assert Task.objects.count() == 1
