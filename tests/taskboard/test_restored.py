"""Real workers on a restored database: they do nothing, then go on, and what the original did is not done twice."""

from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from taskboard.models import Checkpoint, Heartbeat, Installation, Kind, Task
from taskboard.recount import differences
from taskboard.start import start_task
from tests.crash import harness
from tests.processes import Processes, until
from tests.workflows import World

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]
LEFT_OUT = "left out, the installation stands by"


def test_a_restored_copy_waits_for_a_person_and_doubles_nothing(
    processes: Processes, operator: Any, tmp_path: Path
) -> None:
    task = start_task("linear", {"items": 4}, user=operator)
    call_command("backup", str(tmp_path / "b.tar"), stdout=StringIO())
    done_since = {
        f"{task.public_id}:item_{number:03}:{step}" for number in (1, 2) for step in ("write", "tell")
    }
    for key in sorted(done_since):
        World().do(key)
    call_command("restore", str(tmp_path / "b.tar"), "--replace", stdout=StringIO())
    before = Task.objects.get(pk=task.pk).last_ordinal

    worker = harness.celery(processes, LOG_LEVEL="DEBUG")
    beat = harness.beat(processes)
    until(lambda: processes.log("celery").count(LEFT_OUT) >= 2, 90, "the second round that was left out")
    assert Heartbeat.objects.filter(role="worker").exists()
    assert Task.objects.get(pk=task.pk).last_ordinal == before
    assert set(World().keys()) == done_since
    assert not Checkpoint.objects.filter(kind=Kind.INTENT).exists()

    lifted = processes.manage("standby", "--lift")
    assert lifted.wait(60) == 0, processes.log("standby")
    harness.comes_to(task, "completed")
    keys = World().keys()
    assert len(keys) == len(set(keys)) == 8
    assert list(differences(Task.objects.get(pk=task.pk))) == []
    harness.ends(processes, beat, worker)


def test_a_copy_that_was_put_in_place_by_hand_does_nothing_either(
    processes: Processes, operator: Any
) -> None:
    task = start_task("linear", {"items": 2}, user=operator)
    call_command("sweep", stdout=StringIO())
    Installation.objects.update(place='["another machine", "/srv/db.sqlite3", 1]')
    worker = harness.celery(processes, LOG_LEVEL="DEBUG")
    until(lambda: LEFT_OUT in processes.log("celery"), 90, "a job that was left out")
    assert World().keys() == []
    assert Task.objects.get(pk=task.pk).item_counts.get("done") is None
    harness.ends(processes, worker)
