"""Steps per second of the engine, beside a plain loop of two commits per step and beside DBOS Transact.

`make bench-engine` (SIZES="200 2000" ROUNDS=3). Everything runs in turn in every round, so that the ratios
hold on a noisy machine. The last line is one JSON object.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import Any

from bench import loops
from tests.postgres import Cluster

ROOT = Path(__file__).resolve().parent.parent
VAR = Path(tempfile.mkdtemp(prefix="taskboard-bench-"))
STEPS_PER_ITEM = 3
DBOS_VERSION = "3.4.0"
DBOS_ITEMS = 200
"""It is the same per step at 2,000 items, and takes its time."""


def main() -> None:
    sizes = [int(size) for size in os.environ.get("SIZES", "200 2000").split()]
    rounds = int(os.environ.get("ROUNDS", "3"))
    cluster = Cluster.find()
    if cluster is None:
        sys.exit("PostgreSQL is not installed.")
    url = cluster.start()
    dbos = dbos_python()
    try:
        figures = measured(url, dbos, sizes, rounds)
    finally:
        cluster.stop()
    print(json.dumps(figures))


def measured(url: str, dbos: Path | None, sizes: list[int], rounds: int) -> dict[str, Any]:
    sqlite = f"sqlite:///{VAR / 'bench.sqlite3'}"
    for database in (url, sqlite):
        run([sys.executable, "manage.py", "migrate", "-v0"], DATABASE_URL=database)
    rates: dict[str, list[float]] = defaultdict(list)
    for number in range(rounds):
        rates["raw"].append(loops.postgres(url, 2000))
        rates["raw_sqlite"].append(loops.sqlite(VAR / f"raw-{number}.sqlite3", 2000))
        for size in sizes:
            note(rates, f"ours_{size}", ours(url, size))
            note(rates, f"sqlite_{size}", ours(sqlite, size))
        rates[f"two_workers_{sizes[-1]}"].append(two_workers(url, sizes[-1]))
        if dbos:
            note(rates, "dbos", run_dbos(dbos, url))
        print(
            f"round {number + 1}: " + ", ".join(f"{name} {value[-1]:,.2f}" for name, value in rates.items())
        )
    return summary(rates, sizes)


def summary(rates: dict[str, list[float]], sizes: list[int]) -> dict[str, Any]:
    best = f"ours_{sizes[-1]}"
    figures = {name: round(statistics.median(values), 3) for name, values in rates.items()}
    return {
        "steps_per_s": figures[best],
        "ratio_raw": ratio(rates[best], rates["raw"]),
        "ratio_dbos": ratio(rates[best], rates["dbos"]) if rates["dbos"] else None,
        "ratio_sqlite": ratio(rates[f"sqlite_{sizes[-1]}"], rates["raw_sqlite"]),
        "figures": figures,
    }


def ratio(ours: list[float], theirs: list[float]) -> float:
    """The median of the rounds' own ratios."""
    return round(statistics.median(mine / other for mine, other in zip(ours, theirs, strict=True)), 2)


def note(rates: dict[str, list[float]], name: str, told: dict[str, float]) -> None:
    for key, value in told.items():
        rates[name if key == "rate" else f"{name}_{key}"].append(value)


def ours(database: str, items: int) -> dict[str, float]:
    """One worker process, a task whose items are read."""
    task = run([sys.executable, "-m", "bench.ours", "prepare", str(items)], DATABASE_URL=database)["pk"]
    told = run([sys.executable, "-m", "bench.ours", "work", str(task)], DATABASE_URL=database)
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
    task = run([sys.executable, "-m", "bench.ours", "prepare", str(items)], DATABASE_URL=database)["pk"]
    command = [sys.executable, "-m", "bench.ours", "work", str(task)]
    both = [start(command, DATABASE_URL=database) for _ in range(2)]
    told = [json.loads(process.communicate()[0].splitlines()[-1]) for process in both]
    return items * STEPS_PER_ITEM / max(one["seconds"] for one in told)


def run_dbos(python: Path, url: str) -> dict[str, float]:
    """Its best shape here: all items started at once as workflows of three steps."""
    system = url.rpartition("/")[0] + "/dbos"
    told = run([python, "bench/dbos_run.py", str(DBOS_ITEMS), "start"], DBOS_URL=system)
    steps = DBOS_ITEMS * STEPS_PER_ITEM
    return {"rate": steps / told["seconds"], "cpu_ms": 1000 * told["cpu"] / steps}


def dbos_python() -> Path | None:
    """A virtual environment of its own for DBOS, kept between runs; None if it cannot be installed."""
    home = ROOT / "var" / "bench-dbos"
    python = home / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", home], check=True)
        subprocess.run([python, "-m", "pip", "install", "-q", f"dbos=={DBOS_VERSION}"], check=False)
    installed = (
        subprocess.run([python, "-c", "import dbos"], check=False, capture_output=True).returncode == 0
    )
    if not installed:
        print("DBOS could not be installed; measured without it.", file=sys.stderr)
    return python if installed else None


def run(command: list[Any], **env: str) -> dict[str, Any]:
    """The JSON object that the command prints last."""
    process = start(command, **env)
    out = process.communicate()[0]
    if process.returncode:
        sys.exit(f"{' '.join(map(str, command))} failed.")
    lines = out.splitlines()
    return json.loads(lines[-1]) if lines else {}


def start(command: list[Any], **env: str) -> "subprocess.Popen[str]":
    settings = {"TASKBOARD_VAR": str(VAR), "TASKBOARD_DOTENV": os.devnull, "LOG_LEVEL": "WARNING"}
    environment = {**os.environ, **settings, "PYTHONPATH": str(ROOT), **env}
    return subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True)


if __name__ == "__main__":
    main()
