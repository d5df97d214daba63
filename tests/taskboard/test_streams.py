"""A stream goes on when the request that began it is over."""

import asyncio
import signal
from collections.abc import Awaitable, Callable, Collection, Iterator
from typing import Any, TypeVar

import pytest
from asgiref.testing import ApplicationCommunicator
from django.db import InterfaceError

from taskboard import streams
from taskboard.live import BEAT, Channel, Seen, Watcher
from taskboard.streams import ADMITTED, BEAT_EVERY, CHECK_EVERY, GONE, Admitted, Streams

T = TypeVar("T")
ONE = Channel("task", 1, 0, "en", "UTC")
SCOPE = {"type": "http", "method": "GET", "path": "/stream/"}


class Pages:
    """Admits whoever comes, with this status."""

    def __init__(self, status: int = 200) -> None:
        self.status, self.ended = status, 0

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        await receive()
        scope[ADMITTED] = Admitted("a session", [ONE])
        headers = [(b"Content-Type", b"text/event-stream"), (b"Content-Length", b"3")]
        await send({"type": "http.response.start", "status": self.status, "headers": headers})
        await send({"type": "http.response.body", "body": b": w"})
        self.ended += 1


class Scene:
    def __init__(self, status: int = 200) -> None:
        self.over: set[str] = set()
        self.error: Exception | None = None
        self.pages = Pages(status)
        self.watcher = Watcher(
            lambda watched: {c: Seen(1, {"#says": "hi"}) for c, s in watched.items() if not s}
        )
        self.streams = Streams(self.pages, self.watcher, self.ended)

    def ended(self, sessions: Collection[str]) -> Collection[str]:
        if self.error:
            raise self.error
        return self.over & set(sessions)

    async def opened(self) -> ApplicationCommunicator:
        """A reader that has heard what there is."""
        reader = ApplicationCommunicator(self.streams, dict(SCOPE))
        await reader.send_input({"type": "http.request", "body": b""})
        start = await reader.receive_output()
        assert [name for name, _value in start["headers"]] == [b"Content-Type"]
        assert (await heard(reader), await heard(reader))[0] == b": w"
        return reader


async def heard(reader: ApplicationCommunicator) -> bytes:
    message = await reader.receive_output(5)
    assert message["more_body"]
    return bytes(message["body"])


@pytest.fixture(autouse=True)
def _signals() -> Iterator[None]:
    """Streams listen for the end of the process."""
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


def run(play: Callable[[Scene], Awaitable[T]], status: int = 200) -> T:
    async def whole() -> T:
        scene = Scene(status)
        try:
            return await asyncio.wait_for(play(scene), 20)
        finally:
            scene.watcher.stop()

    return asyncio.run(whole())


def test_it_outlasts_its_request() -> None:
    async def play(scene: Scene) -> None:
        reader = await scene.opened()
        assert scene.pages.ended == 1
        scene.watcher.stop()
        assert await reader.receive_output() == {"type": "http.response.body", "body": b""}

    run(play)


def test_who_has_heard_nothing_for_long_hears_a_beat() -> None:
    async def play(scene: Scene) -> bytes:
        reader = await scene.opened()
        now = asyncio.get_running_loop().time()
        await scene.streams.round(now)
        assert await reader.receive_nothing()
        await scene.streams.round(now + BEAT_EVERY)
        return await heard(reader)

    assert run(play) == BEAT


def test_it_ends_with_the_session() -> None:
    async def play(scene: Scene) -> bytes:
        reader = await scene.opened()
        scene.over.add("a session")
        await scene.streams.round(asyncio.get_running_loop().time() + CHECK_EVERY)
        message = await reader.receive_output()
        while message.get("more_body"):
            message = await reader.receive_output()
        await reader.wait()
        return bytes(message["body"])

    assert run(play) == GONE


def test_sessions_that_could_not_be_looked_at_are_looked_at_again() -> None:
    async def play(scene: Scene) -> None:
        reader = await scene.opened()
        scene.error = InterfaceError("connection is closed")
        later = asyncio.get_running_loop().time() + CHECK_EVERY
        await scene.streams.round(later)
        assert scene.streams.readers == 1
        scene.error = None
        scene.over.add("a session")
        await scene.streams.round(later + CHECK_EVERY)
        await reader.wait()
        assert scene.streams.readers == 0

    run(play)


def test_nothing_is_kept_of_who_has_left() -> None:
    async def play(scene: Scene) -> None:
        reader = await scene.opened()
        assert scene.streams.readers == 1
        await reader.send_input({"type": "http.disconnect"})
        await reader.wait()
        assert scene.streams.readers == 0

    run(play)


def test_the_end_of_the_process_is_listened_for_once_however_often_readers_come_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(streams, "ROUND", 0.01)

    async def play(scene: Scene) -> int:
        handlers = set()
        for _ in range(3):
            reader = await scene.opened()
            handlers.add(signal.getsignal(signal.SIGINT))
            await reader.send_input({"type": "http.disconnect"})
            await reader.wait()
            await asyncio.sleep(0.05)  # whoever looks after the readers has nobody left
        return len(handlers)

    assert run(play) == 1


def test_an_answer_that_failed_after_all_is_no_stream() -> None:
    async def play(scene: Scene) -> None:
        reader = ApplicationCommunicator(scene.streams, dict(SCOPE))
        await reader.send_input({"type": "http.request", "body": b""})
        start = await reader.receive_output()
        assert (b"Content-Length", b"3") in start["headers"]
        await reader.receive_output()
        await reader.wait()

    run(play, 500)
