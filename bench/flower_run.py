"""Runs in an environment of its own: the work of Flower for one page of 10,000 tasks, in milliseconds."""

import json
import time
import uuid

from celery import Celery
from flower.events import EventsState
from flower.utils.tasks import as_dict, iter_tasks

TASKS, PER_PAGE, ROUNDS = 10_000, 100, 9


class Events:
    """As much of Flower's collector as its list reads."""

    state = EventsState()


def fill(events: Events) -> None:
    names = ("task-received", "task-started", "task-succeeded")
    for number in range(TASKS):
        told = {"uuid": str(uuid.uuid4()), "hostname": "bench", "name": "bench.job", "args": f"({number},)"}
        for clock, name in enumerate(names):
            moment = {"timestamp": 1e9 + number, "local_received": 1e9 + number, "clock": 3 * number + clock}
            event = {
                "type": name,
                "kwargs": "{}",
                "result": "None",
                "runtime": 0.1,
                "pid": 1,
                **told,
                **moment,
            }
            events.state.event({**event, "utcoffset": 0})


def page(events: Events) -> str:
    tasks = sorted(iter_tasks(events, search=None), key=lambda pair: pair[1].received or 0, reverse=True)
    return json.dumps([as_dict(task) for _uuid, task in tasks[:PER_PAGE]], default=str)


def main() -> None:
    Celery("bench")
    events = Events()
    fill(events)
    spent = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        page(events)
        spent.append(1000 * (time.perf_counter() - began))
    print(json.dumps(spent))


if __name__ == "__main__":
    main()
