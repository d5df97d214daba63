"""Server time and queries of the pages at 1,000, 10,000 and 100,000 items and at 10,000 tasks, on both databases,
beside plain lists of Django's admin and the list of Flower, in the same run.

`make bench-pages` (SIZES="1000 10000 100000" TASKS=10000 ROUNDS=15). The last line is one JSON object.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.postgres import Cluster

ROOT = Path(__file__).resolve().parent.parent
VAR = Path(tempfile.mkdtemp(prefix="taskboard-bench-pages-"))


def main() -> None:
    figures = {"sqlite": measured(f"sqlite:///{VAR / 'bench.sqlite3'}")}
    show("sqlite", figures["sqlite"])
    cluster = Cluster.find()
    if cluster is not None:
        try:
            figures["postgresql"] = measured(cluster.start())
            show("postgresql", figures["postgresql"])
        finally:
            cluster.stop()
    flower = flower_ms()
    print(f"Flower, 10,000 tasks: {f'{flower:.1f} ms' if flower else 'could not be installed or run'}")
    print(json.dumps(summary(figures, flower)))


def measured(database: str) -> dict[str, Any]:
    """One process per database: its settings are read once."""
    run([sys.executable, "manage.py", "migrate", "-v0"], DATABASE_URL=database)
    return run([sys.executable, "-m", "bench.pages_timed"], DATABASE_URL=database)


def summary(figures: dict[str, Any], flower: float | None) -> dict[str, Any]:
    """The worse of the two databases counts."""
    sizes = sorted(map(int, next(iter(figures.values()))["task"]))

    def worst(of: str, at: int | str) -> float:
        return max(float(one[of][str(at)]["ms"]) for one in figures.values())

    ratios = [
        one["task"][str(sizes[-1])]["ms"] / one["task"][str(sizes[0])]["ms"] for one in figures.values()
    ]
    return {
        f"task_page_ms_{sizes[-1]}": worst("task", sizes[-1]),
        "list_page_ms_10000": worst("list", "all"),
        "flat_ratio": round(max(ratios), 2),
        "first_visit_kb": max(one["first_visit_kb"] for one in figures.values()),
        "admin_items_ms": worst("admin", "items"),
        "admin_tasks_ms": worst("admin", "tasks"),
        "flower_tasks_ms": flower,
        "figures": figures,
    }


def show(database: str, figures: dict[str, Any]) -> None:
    for page, sizes in figures.items():
        if isinstance(sizes, dict):
            for size, told in sizes.items():
                print(
                    f"{database:11} {page:18} {size:>8} {told['ms']:8.1f} ms {told['cpu_ms']:8.1f} ms CPU "
                    f"{told['queries']:4} queries",
                    flush=True,
                )


def flower_ms() -> float | None:
    """What Flower works out for one page of its list, in a virtual environment of its own."""
    home = ROOT / "var" / "bench-flower"
    python = home / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", home], check=True)
    known = subprocess.run([python, "-c", "import flower"], check=False, capture_output=True).returncode == 0
    if not known:
        subprocess.run([python, "-m", "pip", "install", "-q", "flower"], check=False)
    made = subprocess.run(
        [python, "bench/flower_run.py"], cwd=ROOT, check=False, stdout=subprocess.PIPE, text=True
    )
    if made.returncode:
        print("Flower could not be installed or run; measured without it.", file=sys.stderr)
        return None
    return float(statistics.median(json.loads(made.stdout)))


def run(command: list[Any], **env: str) -> dict[str, Any]:
    """The JSON object that the command prints last."""
    settings = {"TASKBOARD_VAR": str(VAR), "TASKBOARD_DOTENV": os.devnull, "LOG_LEVEL": "ERROR"}
    environment = {**os.environ, **settings, "PYTHONPATH": str(ROOT), **env}
    process = subprocess.run(
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True, check=False
    )
    if process.returncode:
        sys.exit(f"{' '.join(map(str, command))} failed.")
    lines = process.stdout.splitlines()
    return dict(json.loads(lines[-1])) if lines else {}


if __name__ == "__main__":
    main()
