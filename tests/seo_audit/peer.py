"""Small real HTTP servers for tests: a site, and a tracker with bad habits."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

Answer = tuple[int, dict[str, str], bytes]


@contextmanager
def serving(answer: Callable[[Any], Answer | None]) -> Iterator[str]:
    """The address of a server that answers every request by that function; None drops the connection."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            told = answer(self)
            if told is None:
                self.close_connection = True
                return
            status, headers, body = told
            self.send_response(status)
            for name, value in {"Content-Length": str(len(body)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        do_POST = do_GET

        def log_message(self, format: str, *args: Any) -> None:
            """Quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class TrackerPeer:
    """A tracker that keeps one ticket per key, and can be made to fail in several ways."""

    def __init__(self) -> None:
        self.tickets: dict[str, dict[str, str]] = {}
        self.calls: list[tuple[str, str]] = []
        self.mode = "ok"

    def __call__(self, request: Any) -> Answer | None:
        self.calls.append((request.command, request.headers.get("Authorization", "")))
        if request.command == "GET":
            key = parse_qs(urlsplit(request.path).query)["key"][0]
            return _json(200, [self.tickets[key]] if key in self.tickets else [])
        told = json.loads(request.rfile.read(int(request.headers["Content-Length"])))
        if self.mode == "busy":
            return 429, {"Retry-After": "7"}, b""
        if self.mode == "refuse":
            return _json(422, {"detail": "The project is closed."})
        ticket = self._make(request.headers["Idempotency-Key"], told["title"])
        return None if self.mode == "drop" else _json(201, ticket)

    def _make(self, key: str, title: str) -> dict[str, str]:
        number = len(self.tickets) + 1
        new = {"id": f"H-{number}", "key": key, "title": title, "created_at": "2026-09-17T09:00:00Z"}
        return self.tickets.setdefault(key, new)


def _json(status: int, value: Any) -> Answer:
    return status, {"Content-Type": "application/json"}, json.dumps(value).encode()
