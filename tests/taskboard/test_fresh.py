"""A write whose facts have gone stale reads them again first, whatever it waited for."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from approvals import decisions
from approvals.models import Approval
from taskboard import lifecycle, workflow
from taskboard.engine import fresh, work
from taskboard.models import Checkpoint, Item, Step, Task
from taskboard.recount import differences
from taskboard.start import start_task
from taskboard.steering import steer
from taskboard.steering.stop import stop_after
from taskboard.sweep import sweep
from tests import doubt_workflows, long_workflows  # noqa: F401 registers them
from tests.doubt_workflows import PRICES
from tests.workflows import World

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _market() -> None:
    PRICES[:] = ["5"]


def hours_later(task: Task) -> None:
    """For the facts; nothing else was looked at meanwhile."""
    past = timezone.now() - timedelta(hours=5)
    Step.objects.filter(task=task, checked_at__isnull=False).update(checked_at=past)


def goes_on(task: Task) -> Task:
    """The facts first; a moment later whatever waits for them."""
    work.until_idle(task.pk)
    Step.objects.filter(task=task, status="pending").update(due_at=None)
    work.until_idle(task.pk)
    assert list(differences(task)) == []
    return Task.objects.get(pk=task.pk)


def approved_late(user: Any, manager: Any) -> Task:
    task = start_task("aging", {"items": 1}, user=user)
    work.until_idle(task.pk)
    asked = Approval.objects.get(task=task)
    decisions.decide(asked.pk, manager, "approve", "fine", asked.payload_sha256)
    sweep()
    hours_later(task)
    return task


def revisions(task: Task) -> dict[str, int]:
    return dict(Step.objects.current().filter(task=task).values_list("name", "revision"))


def test_a_yes_holds_if_the_facts_read_the_same(operator: Any, manager: Any) -> None:
    task = goes_on(approved_late(operator, manager))
    assert (task.status, World().texts()) == ("completed", ["{'sum': '2 x 5'}"])
    assert revisions(task) == {"price": 2, "sum": 2, "pay": 1}
    assert Approval.objects.filter(task=task).count() == 1
    reasons = Checkpoint.objects.filter(task=task, kind="superseded").values_list("data__reason", flat=True)
    assert list(reasons) == ["older than 4:00:00"] * 2


def test_it_is_asked_again_if_they_read_differently(operator: Any, manager: Any) -> None:
    task = approved_late(operator, manager)
    PRICES.append("6")
    task = goes_on(task)
    assert (task.status, World().keys()) == ("waiting", [])
    former, again = Approval.objects.filter(task=task).order_by("pk")
    assert (former.status, again.status, again.payload) == ("void", "open", {"sum": "2 x 6"})


def test_what_can_no_longer_be_read_is_not_written(operator: Any, manager: Any) -> None:
    task = approved_late(operator, manager)
    PRICES.clear()
    task = goes_on(task)
    assert (Item.objects.get(task=task).status, World().keys()) == ("failed", [])
    assert revisions(task) == {"price": 2}
    PRICES.append("5")
    steer.retry_step(Step.objects.get(task=task, name="price", revision=2), operator)
    task = goes_on(task)
    assert (task.status, Approval.objects.filter(task=task, status="open").count()) == ("waiting", 1)


def test_a_write_looks_again_when_its_facts_may_be_read(operator: Any, manager: Any) -> None:
    task, spec = approved_late(operator, manager), workflow.get("aging")
    pay = Step.objects.get(task=task, name="pay")
    with lifecycle.changing(task.pk, "test") as change:
        assert fresh.hold_back(change, spec, [pay]) == {"item_001.pay": ["item_001.price"]}
    later = timezone.now() + timedelta(hours=1)
    Step.objects.filter(task=task, name="price", revision=2).update(due_at=later)
    with lifecycle.changing(task.pk, "test") as change:
        assert fresh.hold_back(change, spec, [pay]) == {"item_001.pay": []}
    assert Step.objects.get(pk=pay.pk).due_at == later


def test_two_writes_that_rest_on_one_fact_read_it_once(operator: Any) -> None:
    task = start_task("fan", {"items": 2}, user=operator)
    stop_after(task, operator, step="read")
    work.until_idle(task.pk)
    hours_later(task)
    steer.resume(task, operator)
    found = Checkpoint.objects.get(task=task, kind="resume", data__step="refresh_facts").data["found"]
    assert found["read_again"] == ["item_001.read", "item_002.read"]
    task = goes_on(task)
    assert (task.status, len(World().keys())) == ("completed", 4)
    assert revisions(task) == {"read": 2, "left": 1, "right": 1}


def test_what_is_fresh_is_not_read_again(operator: Any) -> None:
    task = start_task("fan", {"items": 2}, user=operator)
    work.until_idle(task.pk)
    assert (Task.objects.get(pk=task.pk).status, revisions(task)["read"]) == ("completed", 1)


def test_only_writes_rest_on_facts() -> None:
    assert {name: [fact.name for fact in facts] for name, facts in workflow.get("aging").facts.items()} == {
        "pay": ["price"]
    }
