"""Looks what changed, renders it once, and hands the same bytes to everyone who watches it.

A channel is what is watched, in one language and time zone. While anyone watches, one loop per process
calls `look` in a thread, four times a second, with what it saw last; `look` answers with what differs now.
A slow reader gets the newest state of each region, never a backlog.
"""

import asyncio
import logging
import re
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from django.db import Error

from taskboard.responses import region

log = logging.getLogger(__name__)

BREAKS = re.compile(r"[\r\n]\s*")
TICK = 0.25
"""Seconds from one look to the next: a task is rendered at most four times a second."""
LEAST_PAUSE = 0.05
"""Seconds, however long looking took, for the readers and the pages."""
AT_ONCE = 50
"""Readers that are woken before the loop may do something else: a page waits for the loop several times."""
TELL = 10
"""Seconds between two notes of how many readers there are, for monitoring."""
BEAT = b"event: beat\ndata\n\n"


class Rows(tuple[tuple[str, str], ...]):
    """A region made of rows (element id, HTML): only those that changed are sent."""

    __slots__ = ()


class Whole(str):
    """A region that brings its own element along, instead of what is inside it."""

    __slots__ = ()


Regions = Mapping[str, str | Rows]
"""What a channel shows: the HTML of each region by its selector."""


@dataclass(frozen=True)
class Channel:
    """What is watched: `kind` names how it is rendered, `task` its row, `rest` and `text` what else it needs."""

    kind: str
    task: int
    rest: int
    language: str
    zone: str
    text: str = ""


@dataclass(frozen=True)
class Seen:
    """A channel as last rendered, and the version that it was rendered from."""

    version: object
    regions: Regions

    @cached_property
    def whole(self) -> Mapping[str, bytes]:
        """What someone gets who has seen nothing: made once, however many come at the same time."""
        return pieces(None, self)


Look = Callable[[Mapping[Channel, Seen | None]], Mapping[Channel, Seen]]
Tell = Callable[[int], None]


@dataclass(eq=False)
class Mailbox:
    """What one reader has not read yet: per element the newest piece."""

    channels: frozenset[Channel]
    waiting: dict[str, bytes] = field(default_factory=dict)
    last_words: bytes = b""
    ended: bool = False
    filled: asyncio.Event = field(default_factory=asyncio.Event)

    def put(self, pieces: Mapping[str, bytes]) -> None:
        for target, piece in pieces.items():
            self.waiting.pop(target, None)  # the newest goes last: a row must not precede its table
            self.waiting[target] = piece
        if self.waiting:
            self.filled.set()

    def beat(self) -> None:
        """Let the reader know that it is still connected."""
        self.filled.set()

    def end(self, last_words: bytes = b"") -> None:
        self.ended, self.last_words = True, last_words
        self.filled.set()

    async def take(self) -> bytes:
        """Everything unread as one event, or a beat; empty at the end."""
        await self.filled.wait()
        self.filled.clear()
        if self.ended:
            return b""
        pieces, self.waiting = self.waiting, {}
        return b"data: " + b"".join(pieces.values()) + b"\n\n" if pieces else BEAT


class Watcher:
    """The readers of one event loop, and the loop that looks for them."""

    def __init__(self, look: Look, tell: Tell | None = None) -> None:
        self._look, self._tell = look, tell
        self._tell_at = 0.0
        self._boxes: set[Mailbox] = set()
        self._watching: dict[Channel, set[Mailbox]] = {}
        self._seen: dict[Channel, Seen] = {}
        self._running: asyncio.Task[None] | None = None
        self.stopping = False

    def join(self, channels: Iterable[Channel]) -> Mailbox:
        """A mailbox that begins with everything these channels show now."""
        box = Mailbox(frozenset(channels))
        if self.stopping:
            box.end()
        self._boxes.add(box)
        for channel in box.channels:
            self._watching.setdefault(channel, set()).add(box)
            if channel in self._seen:
                box.put(self._seen[channel].whole)
        if self._running is None or self._running.done():
            self._running = asyncio.get_running_loop().create_task(self._run())
        return box

    def leave(self, box: Mailbox) -> None:
        self._boxes.discard(box)
        for channel in box.channels:
            self._watching[channel].discard(box)
            if not self._watching[channel]:
                del self._watching[channel]

    def stop(self) -> None:
        """Let every reader end by itself."""
        self.stopping = True
        for box in self._boxes:
            box.end()

    async def _run(self) -> None:
        loop = asyncio.get_running_loop()
        while self._boxes and not self.stopping:
            next_at = loop.time() + TICK
            try:
                await self._tick()
                await self._count()
            except Error:
                log.warning("live updates: the database did not answer, trying again", exc_info=True)
            await asyncio.sleep(max(LEAST_PAUSE, next_at - loop.time()))
        self._seen.clear()

    async def _count(self) -> None:
        """Say how many readers there are."""
        if self._tell and time.monotonic() >= self._tell_at:
            self._tell_at = time.monotonic() + TELL
            await asyncio.to_thread(self._tell, len(self._boxes))

    async def _tick(self) -> None:
        before = {channel: self._seen.get(channel) for channel in self._watching}
        now = await asyncio.to_thread(self._look, before)
        self._seen = {c: s for c, s in (self._seen | dict(now)).items() if c in self._watching}
        for channel, seen in now.items():
            if sent := pieces(before[channel], seen):
                await self._hand_out(sent, self._watching.get(channel, ()))

    async def _hand_out(self, sent: Mapping[str, bytes], boxes: Iterable[Mailbox]) -> None:
        for number, box in enumerate(list(boxes), 1):
            box.put(sent)
            if not number % AT_ONCE:
                await asyncio.sleep(0)


def pieces(before: Seen | None, now: Seen) -> dict[str, bytes]:
    """What has to be sent, by target, to someone who has seen `before`."""
    sent: dict[str, bytes] = {}
    for target, content in now.regions.items():
        old = before.regions.get(target) if before else None
        if content == old:
            continue
        if isinstance(content, Rows) and isinstance(old, Rows) and _same_rows(old, content):
            changed = set(content) - set(old)
            sent |= {f"#{name}": _piece(f"#{name}", html, "outerMorph") for name, html in sorted(changed)}
        else:
            html = content if isinstance(content, str) else "".join(html for _name, html in content)
            sent[target] = _piece(target, html, "outerMorph" if isinstance(content, Whole) else "innerMorph")
    return sent


def _same_rows(old: Rows, new: Rows) -> bool:
    return [name for name, _html in old] == [name for name, _html in new]


def _piece(target: str, html: str, swap: str) -> bytes:
    """One line, since a line break would end the datum; in HTML it is worth no more than a space."""
    return BREAKS.sub(" ", region(target, html, swap)).encode()
