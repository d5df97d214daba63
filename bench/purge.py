"""The purge of 100 tasks of 1,000 items: memory, the longest lock, rows per second, and what a person waits beside it.

`make bench-purge` (TASKS=100 ITEMS=1000), on SQLite and on a throw-away PostgreSQL. One task runs through the engine,
the others are copies of its rows. Meanwhile another process writes to a task of its own every 20 ms. The last line is
one JSON object.
"""

import json
import os
import sys
from typing import Any

from bench import commands

TASKS, ITEMS = (int(os.environ.get(name, usual)) for name, usual in (("TASKS", "100"), ("ITEMS", "1000")))


def main() -> None:
    sqlite = f"sqlite:///{commands.VAR / 'purge.sqlite3'}"
    commands.migrate(sqlite)
    figures = {"sqlite": measured("sqlite", sqlite)}
    with commands.postgres() as url:
        figures["postgresql"] = measured("postgresql", commands.new_database(url, "purged"))
    locks = max(figure["longest_lock_ms"] for figure in figures.values())
    print(json.dumps({"tasks": TASKS, "items": ITEMS, "longest_lock_ms": locks, "figures": figures}))


def measured(name: str, database: str) -> dict[str, Any]:
    where = {"DATABASE_URL": database}
    rows = call("prepare", TASKS, ITEMS, **where)["rows"]
    probe = commands.start([sys.executable, "-m", "bench.purged", "probe", "0", "0"], **where)
    told = call("purge", TASKS, ITEMS, **where)
    (commands.VAR / "stop").touch()
    waits = json.loads(probe.communicate()[0].splitlines()[-1])
    (commands.VAR / "stop").unlink()
    figures = {**told, "rows": rows, "rows_per_s": round(rows / told["seconds"]), **waits}
    print(f"{name}: {figures}", flush=True)
    return figures


def call(verb: str, *numbers: int, **env: str) -> dict[str, Any]:
    return commands.run([sys.executable, "-m", "bench.purged", verb, *map(str, numbers)], **env)


if __name__ == "__main__":
    main()
