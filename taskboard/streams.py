"""Open streams of server-sent events, as an ASGI application around the one that makes pages.

A view admits a reader (`admit`); when its request is over, the stream goes on here without it: no thread, no
connection to the database and no request are held for someone who only listens.
"""

import asyncio
import logging
import random
import signal
from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from types import FrameType
from typing import Any

from django.db import Error
from django.http import HttpRequest, HttpResponse

from taskboard.live import Channel, Mailbox, Watcher

log = logging.getLogger(__name__)

Message = Mapping[str, Any]
Scope = dict[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]
Ended = Callable[[Collection[str]], Collection[str]]
"""Which of these sessions may listen no longer; called in a thread."""

ADMITTED = "taskboard.admitted"
BODY = "http.response.body"
WELCOME = b": welcome\n\n"
GONE = b"event: gone\ndata: session\n\n"
BEAT_EVERY = 10.0
CHECK_EVERY = 30.0
"""Seconds until the session and the rights of a reader are looked at again."""
ROUND = 1.0
"""Seconds between two looks at who is due."""


@dataclass(frozen=True)
class Admitted:
    """Somebody who may listen, until the session ends."""

    session: str
    channels: Collection[Channel]


def admit(request: HttpRequest, admitted: Admitted) -> HttpResponse:
    """The beginning of a stream. Under WSGI it ends there, and the page asks again."""
    if scope := getattr(request, "scope", None):
        scope[ADMITTED] = admitted
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    return HttpResponse(WELCOME, content_type="text/event-stream", headers=headers)


class Streams:
    """Serves what `pages` answers, and keeps the streams that it has admitted."""

    def __init__(self, pages: Application, watcher: Watcher, ended: Ended) -> None:
        self._pages, self._watcher, self._ended = pages, watcher, ended
        self._readers: dict[Mailbox, _Reader] = {}
        self._keeping: asyncio.Task[None] | None = None
        self._listens = False

    @property
    def readers(self) -> int:
        """How many listen now."""
        return len(self._readers)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        opened = False

        async def send_on(message: Message) -> None:
            nonlocal opened
            if message["type"] == "http.response.start":
                opened = ADMITTED in scope and message["status"] == HTTPStatus.OK
            await send(_open_ended(message) if opened else message)

        await self._pages(scope, receive, send_on)
        if opened:
            await self._stream(scope[ADMITTED], receive, send)

    async def _stream(self, admitted: Admitted, receive: Receive, send: Send) -> None:
        """Until the reader leaves, the session ends or the process stops."""
        box = self._watcher.join(admitted.channels)
        self._readers[box] = _Reader(admitted.session, asyncio.get_running_loop().time())
        self._keep()
        leaving = asyncio.create_task(_left(receive, box))
        try:
            while event := await box.take():
                await send({"type": BODY, "body": event, "more_body": True})
            await send({"type": BODY, "body": box.last_words})
        finally:
            leaving.cancel()
            del self._readers[box]
            self._watcher.leave(box)

    def _keep(self) -> None:
        loop = asyncio.get_running_loop()
        if self._keeping is None or self._keeping.done():
            self._keeping = loop.create_task(self._rounds())
        if not self._listens:
            self._listens = True
            _with_the_process(loop, self._watcher.stop)

    async def _rounds(self) -> None:
        while self._readers:
            await asyncio.sleep(ROUND)
            await self.round(asyncio.get_running_loop().time())

    async def round(self, now: float) -> None:
        """A beat for everyone who has waited for one, and an end for those whose session is over."""
        for box, reader in self._readers.items():
            if now >= reader.beat_at:
                reader.beat_at = now + BEAT_EVERY
                box.beat()
        due = {box: reader for box, reader in self._readers.items() if now >= reader.check_at}
        if not due:
            return
        for reader in due.values():
            reader.check_at = now + CHECK_EVERY
        try:
            over = await asyncio.to_thread(self._ended, {reader.session for reader in due.values()})
        except Error:
            log.warning("live updates: sessions could not be looked at, trying again", exc_info=True)
            return
        for box, reader in due.items():
            if reader.session in over:
                box.end(GONE)


@dataclass(eq=False)
class _Reader:
    """When to do what for one that listens."""

    session: str
    began: float
    beat_at: float = field(init=False)
    check_at: float = field(init=False)

    def __post_init__(self) -> None:
        self.beat_at = self.began + BEAT_EVERY
        # After a restart all come at once; their checks should not.
        self.check_at = self.began + CHECK_EVERY * random.random()  # noqa: S311


def _open_ended(message: Message) -> Message:
    """The same message of an answer whose end is not known yet."""
    if message["type"] == BODY:
        return {**message, "more_body": True}
    headers = [(name, value) for name, value in message["headers"] if name.lower() != b"content-length"]
    return {**message, "headers": headers}


async def _left(receive: Receive, box: Mailbox) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    box.end()


def _with_the_process(loop: asyncio.AbstractEventLoop, stop: Callable[[], None]) -> None:
    """A web server waits for open streams before it ends; so they hear of it at the same moment."""
    for number in (signal.SIGTERM, signal.SIGINT):
        before: Any = signal.getsignal(number)
        if not callable(before):
            continue

        def told(signum: int, frame: FrameType | None, before: Any = before) -> None:
            loop.call_soon_threadsafe(stop)
            before(signum, frame)

        try:
            signal.signal(number, told)
        except ValueError:  # not in the main thread: a test, or a server that has its own way
            return
