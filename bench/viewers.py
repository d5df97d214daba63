"""Many viewers of one task on one web process: from the commit of a change to the browser that receives it.

`make bench-viewers` (VIEWERS="1 100 1000" SECONDS=15), on a throw-away PostgreSQL. One task changes four times a
second, and a page is loaded every 100 ms (PAGE_EVERY=0.1). The last line is one JSON object.
"""

import asyncio
import json
import os
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import psycopg

from tests.postgres import Cluster
from tests.processes import ROOT, Process, Processes, answers, free_port, until

VIEWERS = [int(number) for number in os.environ.get("VIEWERS", "1 100 1000").split()]
SECONDS = float(os.environ.get("SECONDS", "15"))
PAGE_EVERY = float(os.environ.get("PAGE_EVERY", "0.1"))
PAGE = os.environ.get("PAGE", "/")
"""The list of tasks; "task" is the page that is watched, which costs three times as much."""
AT_ONCE = 20
TICK = re.compile(rb"tick (\d+)")
STREAM = re.compile(r'hx-sse:connect="([^"]+)"')


@dataclass
class Viewer:
    """One open stream: what it received, and when."""

    seen: list[tuple[float, int]] = field(default_factory=list)

    async def watch(self, port: int, request: bytes) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        try:
            writer.write(request)
            rest = b""
            while chunk := await reader.read(1 << 18):
                rest = (rest + chunk)[-(1 << 18) :]
                if found := TICK.findall(rest):
                    self.seen.append((time.monotonic(), int(found[-1])))
                    rest = rest[-16:]
        finally:
            writer.close()

    def latencies(self, committed: dict[int, float]) -> Iterable[float]:
        """For each change when this viewer saw it, or a later one in its place."""
        shown = 0
        for moment, number in self.seen:
            yield from (moment - committed[n] for n in range(shown + 1, number + 1) if n in committed)
            shown = max(shown, number)


class Bench:
    """A web process of its own on a database of its own."""

    def __init__(self, folder: Path, database: str) -> None:
        self.database, self.port = database, free_port()
        own = {"DATABASE_URL": database, "TASKBOARD_VAR": str(folder), "TASKBOARD_DOTENV": os.devnull}
        self.processes = Processes({**own, "DATABASE_POOL_SIZE": "10", "LOG_LEVEL": "WARNING"}, folder)
        self.json("manage.py", "migrate", "-v0")
        self.task = self.json("-m", "bench.changes", "prepare")
        self.web = self.processes.web(self.port)
        until(lambda: answers(self.port), 60, "the start of the web process")

    def json(self, *arguments: str) -> Any:
        process = self.begin(*arguments)
        return self.end(process)

    def begin(self, *arguments: str) -> "Process[str]":
        command = [sys.executable, *arguments]
        return subprocess.Popen(command, cwd=ROOT, env=self.processes.env, stdout=subprocess.PIPE, text=True)

    def end(self, process: "Process[str]") -> Any:
        lines = process.communicate()[0].splitlines()
        if process.returncode:
            sys.exit(self.processes.log("web") if self.processes.running else "It could not be prepared.")
        return json.loads(lines[-1]) if lines else None

    def memory_kb(self) -> int:
        status = Path(f"/proc/{self.web.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", status)[1])  # type: ignore[index]

    def cpu(self) -> float:
        """Seconds of CPU that the web process has used so far."""
        used = Path(f"/proc/{self.web.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(used[11]) + int(used[12])) / os.sysconf("SC_CLK_TCK")

    def connections(self) -> int:
        with psycopg.connect(self.database) as db:
            row = db.execute(
                "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
            ).fetchone()
        return int(row[0]) - 1 if row else 0

    async def level(self, viewers: int) -> dict[str, float]:
        """So many streams while the task changes and its page is loaded."""
        before = self.memory_kb()
        watching, readers = await self._open(viewers)
        began, cpu = time.monotonic(), self.cpu()
        changing = (
            self.begin("-m", "bench.changes", "run", str(self.task["pk"]), str(SECONDS)) if viewers else None
        )
        loading = self._loads(SECONDS)
        # In a thread: a loop that waits for the process to end would receive its last changes late.
        pages = await asyncio.to_thread(self.end, loading)
        told = await asyncio.to_thread(self.end, changing) if changing else {}
        committed = {int(n): at for n, at in told.items()}
        cores = (self.cpu() - cpu) / (time.monotonic() - began)
        held, used = self.connections(), self.memory_kb()
        await asyncio.sleep(1)
        for reader in readers:
            reader.cancel()
        await asyncio.gather(*readers, return_exceptions=True)
        found = [seconds for viewer in watching for seconds in viewer.latencies(committed)]
        return {
            "seen": len(found) / (len(committed) * viewers) if viewers else 1.0,
            "p50_ms": 1000 * statistics.median(found) if found else 0.0,
            "p95_ms": 1000 * _p95(found) if found else 0.0,
            "page_p95_ms": 1000 * _p95(pages),
            "kb_per_stream": (used - before) / viewers if viewers else 0.0,
            "connections": held,
            "cores": cores,
        }

    def warm_up(self) -> None:
        """The first pages of a process compile templates and open connections."""
        self.end(self._loads(20 * PAGE_EVERY))

    def _loads(self, seconds: float) -> "Process[str]":
        page = self.task["page"] if PAGE == "task" else PAGE
        address = f"http://127.0.0.1:{self.port}{page}"
        return self.begin("-m", "bench.loads", address, self.task["cookie"], str(seconds), str(PAGE_EVERY))

    async def _open(self, viewers: int) -> tuple[list[Viewer], list["asyncio.Task[None]"]]:
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{self.port}") as client:
            page = await client.get(self.task["page"], headers={"Cookie": self.task["cookie"]}, timeout=30)
        address = STREAM.search(page.text)
        if address is None:
            sys.exit("The task page names no stream.")
        path = address[1].replace("&amp;", "&")
        request = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: {self.task['cookie']}\r\n\r\n".encode()
        watching = [Viewer() for _ in range(viewers)]
        readers = []
        for start in range(0, viewers, AT_ONCE):
            group = watching[start : start + AT_ONCE]
            readers += [asyncio.create_task(viewer.watch(self.port, request)) for viewer in group]
            await _until(lambda group=group: all(viewer.seen for viewer in group))
        for viewer in watching:
            viewer.seen.clear()
        return watching, readers


async def _until(look: Any) -> None:
    deadline = time.monotonic() + 60
    while not look():
        if time.monotonic() > deadline:
            sys.exit("A stream did not begin within a minute.")
        await asyncio.sleep(0.02)


def _p95(values: list[float]) -> float:
    return statistics.quantiles(values, n=20, method="inclusive")[-1]


def main() -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    cluster = Cluster.find()
    if cluster is None:
        sys.exit("PostgreSQL is not installed.")
    with tempfile.TemporaryDirectory(prefix="taskboard-viewers-") as folder:
        try:
            bench = Bench(Path(folder), cluster.start())
            print(json.dumps(measured(bench)))
        finally:
            if "bench" in locals():
                bench.processes.stop()
            cluster.stop()


def measured(bench: Bench) -> dict[str, float]:
    figures: dict[str, float] = {}
    bench.warm_up()
    for viewers in (0, *VIEWERS):
        level = asyncio.run(bench.level(viewers))
        print(f"{viewers} viewers: " + ", ".join(f"{name} {value:,.2f}" for name, value in level.items()))
        figures |= {f"{name}_{viewers}": round(value, 2) for name, value in level.items()}
    most = VIEWERS[-1]
    ratio = figures[f"page_p95_ms_{most}"] / figures["page_p95_ms_0"]
    return {"p95_ms_1000": figures.get("p95_ms_1000", 0.0), "page_ratio": round(ratio, 2), **figures}


if __name__ == "__main__":
    main()
