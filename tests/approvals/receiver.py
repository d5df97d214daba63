"""A real server for webhooks in tests, and short words around it."""

import threading
from collections.abc import Iterator
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest
from django.utils import timezone

from approvals.models import Webhook
from approvals.telling import webhooks

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"


class Receiver:
    """A real server that keeps what it is sent and answers as it is told."""

    def __init__(self) -> None:
        self.got: list[tuple[dict[str, str], str]] = []
        self.answer = 204
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"])).decode()
                receiver.got.append(({name.lower(): value for name, value in self.headers.items()}, body))
                self.send_response(receiver.answer)
                self.send_header("Location", "http://127.0.0.1:1/")
                self.end_headers()

            def log_message(self, *arguments: Any) -> None:
                pass

        self.server = HTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/hook"
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()


@pytest.fixture
def receiver(settings: Any) -> Iterator[Receiver]:
    settings.TASKBOARD_ALLOW_PRIVATE_WEBHOOKS = True
    started = Receiver()
    yield started
    started.server.shutdown()
    started.server.server_close()


def make_webhook(url: str, **over: Any) -> Webhook:
    made = Webhook.objects.create(**{"name": "ops", "url": url, "secret": SECRET, **over})
    Webhook.objects.update(created_at=timezone.now() - timedelta(days=1))
    made.refresh_from_db()
    return made


def look() -> int:
    return webhooks.collect(timezone.now())
