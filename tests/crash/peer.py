"""`python -m tests.crash.peer FOLDER PORT`: the outside world as a process of its own, that can be told to
misbehave. It does a thing once per key and keeps every call that it has seen, beyond its own death."""

import json
import sqlite3
import sys
import time
from collections.abc import Collection
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote

MOMENT = 0.3
"""How long a slow answer takes before its effect, and once more behind it."""
GIVEN_UP = 3
"""After so long nobody waits for an answer any more."""
STALE = 3
"""A call that was sent so many seconds ago is thrown away: callers rely on it when they do not find an effect."""
TABLES = """
CREATE TABLE IF NOT EXISTS calls (id INTEGER PRIMARY KEY, key TEXT, mode TEXT, process INTEGER, effect INTEGER);
CREATE TABLE IF NOT EXISTS modes (key TEXT PRIMARY KEY, mode TEXT, times INTEGER);
"""


@dataclass(frozen=True)
class Call:
    """One that was received; `effect` if it did something, or would have done it a second time."""

    key: str
    mode: str
    process: int
    effect: bool


class Store:
    """What the peer keeps; tests read it and say through it how the peer answers."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.path = folder / "peer.sqlite3"

    def tell(self, mode: str, key: str = "*", times: int = 1_000_000) -> None:
        """Answer calls for this key (or all) in this way, so many times."""
        with self._open() as db:
            db.execute("REPLACE INTO modes VALUES (?, ?, ?)", (key, mode, times))

    def mode(self, key: str) -> str:
        """How to answer now; one time less is left for it."""
        with self._open() as db:
            asked = "SELECT key, mode FROM modes WHERE key IN (?, '*') AND times > 0 ORDER BY key = '*'"
            row = db.execute(asked, (key,)).fetchone() or ("", "well")
            db.execute("UPDATE modes SET times = times - 1 WHERE key = ?", (row[0],))
            return str(row[1])

    def receive(self, key: str, mode: str, process: int) -> int:
        with self._open() as db:
            values = (key, mode, process)
            return db.execute("INSERT INTO calls VALUES (NULL, ?, ?, ?, 0)", values).lastrowid or 0

    def affect(self, call: int, sent: float) -> bool:
        """Do it, unless it was sent too long ago (on the clock that all processes here share)."""
        with self._open() as db:
            db.execute("BEGIN IMMEDIATE")  # whoever had to wait for others asks for the time afterwards
            fresh = time.monotonic() - sent < STALE
            db.execute("UPDATE calls SET effect = ? WHERE id = ?", (fresh, call))
        return fresh

    def find(self, key: str) -> str:
        """The external id: the number of the first call that had an effect."""
        with self._open() as db:
            row = db.execute("SELECT MIN(id) FROM calls WHERE key = ? AND effect", (key,)).fetchone()
        return f"C-{row[0]}" if row[0] else ""

    def calls(self) -> list[Call]:
        with self._open() as db:
            rows = db.execute("SELECT key, mode, process, effect FROM calls ORDER BY id").fetchall()
        return [Call(key, mode, process, bool(effect)) for key, mode, process, effect in rows]

    def effects(self, woken: Collection[int] = ()) -> list[str]:
        """A key for each effect; one that stands there twice was doubled. What a process that slept for longer
        than its lease repeats is not counted: against that only the peer helps, by its keys."""
        had = [call for call in self.calls() if call.effect]
        keys = [call.key for call in had if call.process not in woken]
        return keys + sorted({call.key for call in had} - set(keys))

    def _open(self) -> sqlite3.Connection:
        db = sqlite3.connect(self.path, timeout=30)
        db.executescript(f"PRAGMA synchronous=OFF; {TABLES}")
        return db


class Stale(Exception):
    """A call is thrown away, unanswered."""


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    store: Store

    def do_POST(self) -> None:
        key = unquote(self.headers["Idempotency-Key"])
        self.rfile.read(int(self.headers["Content-Length"]))
        mode = self.store.mode(key)
        call = self.store.receive(key, mode, int(self.headers["X-Process"]))
        try:
            getattr(self, f"answer_{mode}")(key, call)
        except Stale:
            self.close_connection = True

    def do_GET(self) -> None:
        if self.store.mode("GET") == "busy":
            self.reply(503, {})
        else:
            found = self.store.find(unquote(self.path.rpartition("/")[2]))
            self.reply(200 if found else 404, {"id": found})

    def answer_well(self, key: str, call: int) -> None:
        self.affect(call)
        self.reply(201, {"id": self.store.find(key)})

    def answer_slow(self, key: str, call: int) -> None:
        time.sleep(MOMENT)
        self.affect(call)
        time.sleep(MOMENT)
        self.reply(201, {"id": self.store.find(key)})

    def answer_silent(self, key: str, call: int) -> None:
        """Accepted, done, and never answered."""
        self.affect(call)
        time.sleep(GIVEN_UP)
        self.close_connection = True

    def answer_deaf(self, key: str, call: int) -> None:
        """The connection breaks before anything is done."""
        self.close_connection = True

    def answer_broken(self, key: str, call: int) -> None:
        """Done, and told otherwise."""
        self.affect(call)
        self.reply(500, {})

    def answer_busy(self, key: str, call: int) -> None:
        self.reply(503, {}, {"Retry-After": "1"})

    def answer_twice(self, key: str, call: int) -> None:
        self.answer_well(key, call)
        self.reply(201, {"id": self.store.find(key)})

    def affect(self, call: int) -> None:
        if not self.store.affect(call, float(self.headers["X-Sent"])):
            raise Stale

    def reply(self, status: int, told: dict[str, Any], headers: dict[str, str] | None = None) -> None:
        body = json.dumps(told).encode()
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """What was received stands in the store."""


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Callers die here all the time."""


if __name__ == "__main__":
    Handler.store = Store(Path(sys.argv[1]))
    Server(("127.0.0.1", int(sys.argv[2])), Handler).serve_forever()
