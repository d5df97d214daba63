"""What a task of 1,000, 10,000 and 100,000 items costs: start, steps, memory, size, and a check of its counters.

`make bench-scale` (SIZES="1000 10000 100000"), on PostgreSQL, each size in a database of its own. The last line is
one JSON object; `cost_ratio` is the time per step at the largest size to that at the smallest.
"""

import json
import os
import sys
import time
from typing import Any

import psycopg

from bench import commands
from bench.engine import STEPS_PER_ITEM


def main() -> None:
    sizes = [int(size) for size in os.environ.get("SIZES", "1000 10000 100000").split()]
    with commands.postgres() as url:
        figures = {size: measured(commands.new_database(url, f"items_{size}"), size) for size in sizes}
    first, last = figures[sizes[0]], figures[sizes[-1]]
    told = {
        "cost_ratio": round(last["ms_per_step"] / first["ms_per_step"], 2),
        "cpu_ratio": round(last["cpu_ms_per_step"] / first["cpu_ms_per_step"], 2),
        "memory_ratio": round(last["worker_mb"] / first["worker_mb"], 2),
        "figures": figures,
    }
    print(json.dumps(told))


def measured(database: str, items: int) -> dict[str, float]:
    steps = items * STEPS_PER_ITEM
    before = size_of(database)
    start = prepared(database, items)
    work = commands.ours("work", start["pk"], DATABASE_URL=database)
    if work["status"] != "completed":
        sys.exit(f"The task ended as {work['status']}: {work['counts']}")
    figures = {
        "start_s": round(start["seconds"], 2),
        "steps_per_s": round(steps / work["seconds"]),
        "ms_per_step": round(1000 * work["seconds"] / steps, 3),
        "cpu_ms_per_step": round(1000 * work["cpu"] / steps, 3),
        "reader_mb": round(start["mb"]),
        "worker_mb": round(work["mb"]),
        "bytes_per_step": round((size_of(database) - before) / steps),
        "checktasks_s": checked(database),
    }
    print(f"{items:,} items: {figures}", flush=True)
    return figures


def prepared(database: str, items: int) -> dict[str, Any]:
    return commands.ours("prepare", items, DATABASE_URL=database)


def size_of(database: str) -> int:
    with psycopg.connect(database) as connection:
        row = connection.execute("SELECT pg_database_size(current_database())").fetchone()
    return int(row[0]) if row else 0


def checked(database: str) -> float:
    """Seconds of `checktasks`, which counts all rows again and folds the journal; it fails on any difference."""
    began = time.perf_counter()
    commands.run([sys.executable, "manage.py", "checktasks"], DATABASE_URL=database)
    return round(time.perf_counter() - began, 2)


if __name__ == "__main__":
    main()
