"""`python -m tests.crash.chaos --seed 1 --rounds 3`: everything that can go wrong, mixed at random, round after
round; after each of them every task must come to rest and be right. Ends with 1 on a violation."""

from tests.environment import CLUSTERS, VAR  # first: it sets what Django reads

# isort: split
import argparse
import json
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from django.conf import settings
from django.core.management import call_command
from django.db import connection

from approvals import decisions
from approvals.models import Approval
from taskboard.errors import TaskboardError
from taskboard.models import Checkpoint, Step, Task
from taskboard.start import start_task
from taskboard.steering import steer
from tests.conftest import database_url, make_person
from tests.crash.harness import faults
from tests.crash.havoc import Havoc
from tests.crash.servers import Peer, Redis
from tests.processes import Processes, until

REST = 180
"""So many seconds after all is well again, everything must have come to its end."""
SHORT_OF_MONEY = "0.15"


def main() -> int:
    told = arguments()
    call_command("migrate", verbosity=0)
    if Task.objects.exists():
        sys.exit("This database has tasks already; chaos leaves its own behind and needs an empty one.")
    logs = Path(tempfile.mkdtemp(prefix="taskboard-chaos-"))
    env = {"DATABASE_URL": database_url(), "TASKBOARD_VAR": str(VAR), "SECRET_KEY": settings.SECRET_KEY,
           "DATABASE_POOL_SIZE": "10", "TASKBOARD_MAX_RUNNING": "50"}  # fmt: skip
    processes = Processes(env, logs)
    try:
        havoc = Havoc(processes, Peer(processes, VAR), Redis(processes, logs), next(iter(CLUSTERS), None))
        violations = play(havoc, told, logs)
    finally:
        processes.stop()
    if violations:
        say(f"{violations} violations; the logs are in {logs}")
        return 1
    shutil.rmtree(logs)
    return 0


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make chaos", description=__doc__)
    parser.add_argument("--seed", default="1", help="the same seed throws the same dice")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--minutes", type=float, default=0, help="begin no round after so many; 0: no limit")
    return parser.parse_args()


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def play(havoc: Havoc, told: argparse.Namespace, logs: Path) -> int:
    began, violations, number = time.monotonic(), 0, 0
    people = (("operator", "Operators"), ("manager", "Managers"))
    havoc.people = {name: make_person(name, group) for name, group in people}
    for number in range(1, told.rounds + 1):
        found = list(one_round(havoc, told.seed, number))
        violations += len(found)
        for violation in found:
            say(f"  VIOLATION {violation}")
        if found:
            keep(havoc, logs)
        if told.minutes and time.monotonic() - began > 60 * told.minutes:
            break
    say(
        f"seed {told.seed}, {number} rounds in {time.monotonic() - began:.0f} s on {connection.vendor}:"
        f" {Task.objects.count()} tasks, {Step.objects.count()} steps,"
        f" {len(havoc.peer.store.calls())} calls of the peer, {violations} violations"
    )
    return violations


def keep(havoc: Havoc, logs: Path) -> None:
    """What explains a violation: the journals of this round's tasks, and every call that the peer received."""
    for task in havoc.tasks:
        rows = Checkpoint.objects.filter(task=task).order_by("ordinal").values()
        lines = [json.dumps(row, default=str) for row in rows]
        (logs / f"{task.public_id}.jsonl").write_text("\n".join(lines))
    calls = [json.dumps(asdict(call)) for call in havoc.peer.store.calls()]
    (logs / "calls.jsonl").write_text("\n".join(calls))


def one_round(havoc: Havoc, seed: str, number: int) -> Iterator[str]:
    """Start some tasks, strike again and again, let it come to rest; what is wrong then."""
    havoc.dice.seed(f"{seed}-{number}")
    broker = ("folders", "redis")[(number - 1) // 2 % 2]
    if number % 2:
        havoc.use(broker)
    havoc.peer.store.tell("slow")  # so that there is always something in the air
    before = len(havoc.peer.store.calls())
    havoc.tasks = start_some(havoc)
    until(lambda: len(havoc.peer.store.calls()) > before, REST, "the first call")
    done: Counter[str] = Counter()
    for _ in range(havoc.dice.randint(10, 16)):
        time.sleep(havoc.dice.uniform(0, 1.2))
        done[havoc.one_thing()] += 1
    began = time.monotonic()
    yield from come_to_rest(havoc)
    rest = time.monotonic() - began
    for task in Task.objects.filter(pk__in=[task.pk for task in havoc.tasks]):
        effects = havoc.peer.store.effects(havoc.woken)
        yield from (f"{task.public_id} {task.workflow}: {fault}" for fault in faults(task, effects))
    what = ", ".join(f"{name} {times}" for name, times in sorted(done.items()))
    say(f"seed {seed} round {number} ({broker}): {what}; at rest after {rest:.0f} s")


def start_some(havoc: Havoc) -> list[Task]:
    def start(workflow: str, items: int, **options: str) -> Task:
        params = {"items": items, "peer": havoc.peer.address}
        return start_task(workflow, params, user=havoc.people["operator"], **options)

    dice = havoc.dice
    return [
        start("calling", dice.randint(40, 80)),
        start("calling", dice.randint(5, 10), limit_usd=SHORT_OF_MONEY),
        start("shouting", dice.randint(3, 10)),
        start("paying", dice.randint(2, 6)),
    ]


def come_to_rest(havoc: Havoc) -> Iterator[str]:
    """People do what is theirs to do until nothing is left; a sentence for each task that never ends."""
    deadline = time.monotonic() + REST
    moving = {task.pk for task in havoc.tasks}
    overspent: set[str] = set()
    while moving and time.monotonic() < deadline:
        havoc.mend()
        for task in Task.objects.filter(pk__in=moving):
            if task.limit_micro is not None and task.spent_micro > task.limit_micro:
                overspent.add(f"{task.public_id} spent more than its limit")
            if help_along(havoc, task):
                moving.discard(task.pk)
        time.sleep(0.3)
    yield from overspent
    for task in Task.objects.filter(pk__in=moving):
        yield f"{task.public_id} {task.workflow} is {task.status} ({task.reason}), its steps {task.step_counts}"


def help_along(havoc: Havoc, task: Task) -> bool:
    """Whether the task is at rest; if not, what its people would do."""
    if task.is_finished:
        return True
    try:
        if task.status == "paused":
            steer.resume(task, havoc.people["operator"])
        elif task.out_of_budget:
            steer.change_budget(task, havoc.people["manager"], None)
        for one in Approval.objects.filter(task=task, status="open", kind="step"):
            decisions.decide(one.pk, havoc.people["manager"], "approve", "fine", one.payload_sha256)
    except TaskboardError:  # others are at it just now
        return False
    open_ends = task.steps_in("pending", "started", "waiting_approval")
    return task.status == "blocked" and not open_ends


if __name__ == "__main__":
    sys.exit(main())
