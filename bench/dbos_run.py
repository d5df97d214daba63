"""DBOS Transact in its best shape here: runs in a virtual environment of its own, prints one JSON line.

One workflow per item with three no-op steps each, all of them handed to one queue at once.
"""

import json
import os
import resource
import sys
import time

from dbos import DBOS, DBOSConfig

config: DBOSConfig = {"name": "bench", "system_database_url": os.environ["DBOS_URL"], "log_level": "ERROR"}
DBOS(config=config)


@DBOS.step()
def nothing(number: int) -> str:
    return "done"


@DBOS.workflow()
def item(number: int) -> int:
    for _ in range(3):
        nothing(number)
    return number


def timed(run: "object") -> dict[str, float]:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    before, began = usage.ru_utime + usage.ru_stime, time.perf_counter()
    run()  # type: ignore[operator]
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return {"seconds": time.perf_counter() - began, "cpu": usage.ru_utime + usage.ru_stime - before}


def start_all(count: int) -> None:
    handles = [DBOS.start_workflow(item, number) for number in range(count)]
    for handle in handles:
        handle.get_result()


def enqueue_all(count: int) -> None:
    queue = DBOS.retrieve_queue("bench")
    handles = [queue.enqueue(item, number) for number in range(count)]
    for handle in handles:
        handle.get_result()


def one_after_another(count: int) -> None:
    for number in range(count):
        item(number)


if __name__ == "__main__":
    items = int(sys.argv[1])
    DBOS.launch()
    DBOS.register_queue("bench")
    shapes = {"start": start_all, "enqueue": enqueue_all, "sequence": one_after_another}
    name = sys.argv[2]
    item(-1)
    print(json.dumps(timed(lambda: shapes[name](items))))
    DBOS.destroy()
