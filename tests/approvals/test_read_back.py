"""A question that was purged and read back: what was carried out still stands there, and old links lead to it."""

from html import unescape
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.urls import reverse

from approvals.cards import course
from approvals.models import Approval
from taskboard.engine.work import until_idle
from taskboard.gates import gate
from taskboard.lifecycle import changing
from taskboard.models import PurgeRecord, Step, Task
from taskboard.retention import archive, purge, reading
from taskboard.start import start_task
from tests import approval_workflows  # noqa: F401 registers them
from tests.approvals.answers import answer, sweep
from tests.conftest import logged_in
from tests.factories import make_approval, make_task
from tests.retention_rows import LATER

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def done(operator: User, manager: User) -> Approval:
    """A question that was answered with an edit, and carried out."""
    task = start_task("priced", {"items": 1}, user=operator)
    until_idle(task.pk)
    asked = answer(Approval.objects.get(task=task), manager, edited={"pay": 90})
    sweep()
    until_idle(task.pk)
    return asked


def read_back(task: Task, folder: Path) -> Task:
    Task.objects.filter(pk=task.pk).update(expires_at=LATER.replace(year=2020))
    record = purge.purge_task(task.pk, "admin")
    path = folder / "archive.json.gz"
    with archive.open_file(record) as file:
        path.write_bytes(file.read())
    return reading.load(path, "admin")


def page(user: User, url: str) -> str:
    return unescape(logged_in(user).get(url, follow=True).content.decode())  # type: ignore[attr-defined]


def test_its_record_tells_what_was_carried_out(done: Approval, manager: User, tmp_path: Path) -> None:
    task = read_back(done.task, tmp_path)
    asked = Approval.objects.select_related("step").get(task=task)
    shown = page(manager, asked.get_absolute_url())
    for words in ("Edited, then executed as approved", "The step began", f"where it was question {done.pk}"):
        assert words in shown
    assert "Nothing is carried out" not in shown
    assert 'id="comment-' not in shown
    assert course.course_of(asked).sha256 == done.decided_sha256
    (told,) = gate().answered(task)
    assert "begun" in [word for word, _at in told.moments]


@pytest.mark.parametrize("way", ["record", "inbox"])
def test_its_old_address_leads_to_where_it_stands_now(
    done: Approval, manager: User, tmp_path: Path, way: str
) -> None:
    old = done.get_absolute_url() if way == "record" else f"{reverse('approvals:inbox')}?question={done.pk}"
    task = read_back(done.task, tmp_path)
    asked = Approval.objects.get(task=task)
    assert asked.pk != done.pk
    client: Any = logged_in(manager)
    assert client.get(old).url == asked.get_absolute_url()
    assert client.get(f"/approvals/{done.pk + 1000}/").status_code == 404


def test_a_number_of_another_installation_leads_nowhere(
    done: Approval, manager: User, tmp_path: Path
) -> None:
    read_back(done.task, tmp_path)
    PurgeRecord.objects.update(public_id="task_20200101_0001")
    assert logged_in(manager).get(done.get_absolute_url()).status_code == 404


def test_what_came_with_a_document_lets_no_step_through(manager: User) -> None:
    asked = answer(make_approval(), manager)
    sweep()
    (told,) = gate().to_document(asked.task)
    step = Step.objects.get(pk=asked.step_id)
    Approval.objects.all().delete()
    with changing(asked.task_id, "ops") as change:
        gate().from_document(change, [told])
    assert gate().seal(step) is None


def test_without_its_steps_it_says_that_the_document_does_not_tell(manager: User) -> None:
    asked = answer(make_approval(), manager)
    sweep()
    (told,) = gate().to_document(asked.task)
    task = make_task(workflow="asking", held=True)
    with changing(task.pk, "ops") as change:
        gate().from_document(change, [told])
    shown = page(manager, Approval.objects.get(task=task).get_absolute_url())
    assert "does not say what was carried out" in shown
    assert "Nothing is carried out" not in shown


def test_a_raised_budget_is_not_told_as_nothing(manager: User) -> None:
    task = make_task(limit_micro=5_000_000)
    with changing(task.pk, "test") as change:
        gate().ask_for_budget(change, 1_000_000)
    asked = answer(Approval.objects.get(), manager)
    sweep()
    shown = page(manager, asked.get_absolute_url())
    assert "It took effect when it was picked up" in shown
    assert "Nothing is carried out" not in shown
