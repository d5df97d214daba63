"""Steps per second of the engine, beside a plain loop of two commits per step and beside DBOS Transact.

`make bench-engine` (SIZES="200 2000" ROUNDS=3). Everything runs in turn in every round, so that the ratios
hold on a noisy machine. The last line is one JSON object.
"""

import json
import os
import statistics
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

from bench import commands, loops
from bench.commands import ROOT, VAR

STEPS_PER_ITEM = 3
DBOS_VERSION = "3.4.0"
DBOS_ITEMS = 200
"""It is the same per step at 2,000 items, and takes its time."""
RAW_STEPS = 2000

Rates = dict[str, list[float]]


def main() -> None:
    sizes = [int(size) for size in os.environ.get("SIZES", "200 2000").split()]
    rounds = int(os.environ.get("ROUNDS", "3"))
    dbos = dbos_python()
    with commands.postgres() as url:
        rates = measured(url, dbos, sizes, rounds)
    print(json.dumps(summary(rates, sizes)))


def measured(url: str, dbos: Path | None, sizes: list[int], rounds: int) -> Rates:
    sqlite = f"sqlite:///{VAR / 'bench.sqlite3'}"
    for database in (url, sqlite):
        commands.migrate(database)
    rates: Rates = defaultdict(list)
    for number in range(rounds):
        for size in sizes:
            rates["raw"].append(loops.postgres(url, RAW_STEPS))
            note(rates, f"ours_{size}", ours(url, size))
            rates["raw_sqlite"].append(loops.sqlite(VAR / f"raw-{number}-{size}.sqlite3", RAW_STEPS))
            note(rates, f"sqlite_{size}", ours(sqlite, size))
        rates[f"two_workers_{sizes[-1]}"].append(two_workers(url, sizes[-1]))
        if dbos:
            note(rates, "dbos", run_dbos(dbos, url))
        last = ", ".join(f"{name} {values[-1]:,.2f}" for name, values in rates.items())
        print(f"round {number + 1}: {last}", flush=True)
    return rates


def summary(rates: Rates, sizes: list[int]) -> dict[str, Any]:
    """The ratios are of the largest size, against what ran just before it in the same round."""
    best, turns = f"ours_{sizes[-1]}", slice(len(sizes) - 1, None, len(sizes))
    figures = {name: round(statistics.median(values), 3) for name, values in rates.items()}
    return {
        "steps_per_s": figures[best],
        "ratio_raw": ratio(rates[best], rates["raw"][turns]),
        "ratio_dbos": ratio(rates[best], rates["dbos"]) if rates["dbos"] else None,
        "sqlite_ratio_raw": ratio(rates[f"sqlite_{sizes[-1]}"], rates["raw_sqlite"][turns]),
        "figures": figures,
    }


def ratio(ours: list[float], theirs: list[float]) -> float:
    """The median of the rounds' own ratios."""
    rounds: list[float] = [mine / other for mine, other in zip(ours, theirs, strict=True)]
    return round(statistics.median(rounds), 2)


def note(rates: Rates, name: str, told: dict[str, float]) -> None:
    for key, value in told.items():
        rates[name if key == "rate" else f"{name}_{key}"].append(value)


def ours(database: str, items: int) -> dict[str, float]:
    """One worker process, a task whose items are read."""
    task = commands.ours("prepare", items, DATABASE_URL=database)["pk"]
    told = commands.ours("work", task, DATABASE_URL=database)
    if told["status"] != "completed":
        sys.exit(f"The bench task ended as {told['status']}: {told['counts']}")
    steps = items * STEPS_PER_ITEM
    return {
        "rate": steps / told["seconds"],
        "cpu_ms": 1000 * told["cpu"] / steps,
        "commits_per_step": told["commits"] / steps,
    }


def two_workers(database: str, items: int) -> float:
    """Two worker processes on one task."""
    task = commands.ours("prepare", items, DATABASE_URL=database)["pk"]
    command = [sys.executable, "-m", "bench.ours", "work", str(task)]
    both = [commands.start(command, DATABASE_URL=database) for _ in range(2)]
    told = [json.loads(process.communicate()[0].splitlines()[-1]) for process in both]
    return float(items * STEPS_PER_ITEM / max(one["seconds"] for one in told))


def run_dbos(python: Path, url: str) -> dict[str, float]:
    """Its best shape here: all items started at once as workflows of three steps."""
    system = url.rpartition("/")[0] + "/dbos"
    told = commands.run([python, "bench/dbos_run.py", str(DBOS_ITEMS), "start"], DBOS_URL=system)
    steps = DBOS_ITEMS * STEPS_PER_ITEM
    return {"rate": steps / told["seconds"], "cpu_ms": 1000 * told["cpu"] / steps}


def dbos_python() -> Path | None:
    """A virtual environment of its own for DBOS, kept between runs; None if it cannot be installed."""
    home = ROOT / "var" / "bench-dbos"
    python = home / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", home], check=True)
        subprocess.run([python, "-m", "pip", "install", "-q", f"dbos=={DBOS_VERSION}"], check=False)
    there = subprocess.run([python, "-c", "import dbos"], check=False, capture_output=True).returncode == 0
    if not there:
        print("DBOS could not be installed; measured without it.", file=sys.stderr)
    return python if there else None


if __name__ == "__main__":
    main()
