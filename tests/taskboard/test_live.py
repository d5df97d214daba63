"""Rendered once, sent to all, never a backlog."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import TypeVar

from django.db import OperationalError

from taskboard.live import Channel, Mailbox, Rows, Seen, Watcher, Whole, pieces

T = TypeVar("T")
ONE = Channel("task", 1, 0, "en", "UTC")
OTHER = Channel("task", 2, 0, "en", "UTC")


class Page:
    """Stands for the database: `regions` is what is shown now, `rendered` how often it was."""

    def __init__(self) -> None:
        self.version = 1
        self.regions: dict[str, str | Rows] = {"#summary": "one"}
        self.rendered = 0
        self.broken = False

    def show(self, **regions: str) -> None:
        self.version += 1
        self.regions = {f"#{name}": html for name, html in regions.items()}

    def look(self, watched: Mapping[Channel, Seen | None]) -> dict[Channel, Seen]:
        if self.broken:
            raise OperationalError("gone")
        stale = [c for c, seen in watched.items() if seen is None or seen.version != self.version]
        self.rendered += len(stale)
        return {channel: Seen(self.version, dict(self.regions)) for channel in stale}


def run(scene: Callable[[Page, Watcher], Awaitable[T]]) -> T:
    async def play() -> T:
        page = Page()
        watcher = Watcher(page.look)
        try:
            return await asyncio.wait_for(scene(page, watcher), 20)
        finally:
            watcher.stop()

    return asyncio.run(play())


async def message(box: Mailbox) -> str:
    return (await asyncio.wait_for(box.take(), 5)).decode()


def test_a_reader_begins_with_everything() -> None:
    async def scene(page: Page, watcher: Watcher) -> str:
        return await message(watcher.join([ONE]))

    expected = 'data: <hx-partial hx-target="#summary" hx-swap="innerMorph">one</hx-partial>\n\n'
    assert run(scene) == expected


def test_a_change_is_rendered_once_for_all_readers() -> None:
    async def scene(page: Page, watcher: Watcher) -> tuple[int, set[str]]:
        boxes = [watcher.join([ONE]) for _ in range(50)]
        for box in boxes:
            await message(box)
        page.show(summary="two")
        return page.rendered, {await message(box) for box in boxes}

    rendered, messages = run(scene)
    assert rendered == 1
    assert len(messages) == 1
    assert "two" in messages.pop()


def test_a_late_reader_gets_what_is_known_without_another_look() -> None:
    async def scene(page: Page, watcher: Watcher) -> tuple[str, int]:
        await message(watcher.join([ONE]))
        return await message(watcher.join([ONE])), page.rendered

    text, rendered = run(scene)
    assert "one" in text
    assert rendered == 1


def test_only_regions_that_changed_are_sent() -> None:
    before = Seen(1, {"#summary": "same", "#budget": "old"})
    assert list(pieces(before, Seen(2, {"#summary": "same", "#budget": "new"}))) == ["#budget"]


def test_only_rows_that_changed_are_sent() -> None:
    before = Seen(1, {"#items": Rows([("item-1", "<tr>a"), ("item-2", "<tr>b")])})
    after = Seen(2, {"#items": Rows([("item-1", "<tr>a"), ("item-2", "<tr>B")])})
    assert pieces(before, after) == {
        "#item-2": b'<hx-partial hx-target="#item-2" hx-swap="outerMorph"><tr>B</hx-partial>'
    }


def test_new_rows_replace_the_whole_region() -> None:
    before = Seen(1, {"#items": Rows([("item-1", "<tr>a")])})
    after = Seen(2, {"#items": Rows([("item-1", "<tr>a"), ("item-2", "<tr>b")])})
    assert list(pieces(before, after)) == ["#items"]


def test_a_whole_region_brings_its_own_element() -> None:
    sent = pieces(None, Seen(1, {"#badge": Whole('<span id="badge">1</span>')}))
    assert b'hx-swap="outerMorph"' in sent["#badge"]


def test_a_line_break_does_not_end_an_event() -> None:
    sent = pieces(None, Seen(1, {"#summary": "one\r\n\n  two\rthree"}))
    assert b"one two three" in sent["#summary"]


def test_a_slow_reader_gets_the_newest_state_not_a_backlog() -> None:
    async def scene(page: Page, watcher: Watcher) -> str:
        slow, quick = watcher.join([ONE]), watcher.join([ONE])
        for text in ("two", "three", "four"):
            await message(quick)
            page.show(summary=text)
        await message(quick)
        return await message(slow)

    text = run(scene)
    assert text.count("<hx-partial") == 1
    assert "four" in text


def test_the_newest_piece_of_an_element_goes_last() -> None:
    box = Mailbox(frozenset())
    box.put({"#item-1": b"old row"})
    box.put({"#items": b"table"})
    box.put({"#item-1": b"new row"})
    assert list(box.waiting.values()) == [b"table", b"new row"]


def test_a_beat_is_what_there_is_to_say_when_there_is_nothing() -> None:
    async def scene(page: Page, watcher: Watcher) -> list[str]:
        box = watcher.join([ONE])
        told = [await message(box)]
        box.beat()
        told.append(await message(box))
        page.show(summary="two")
        box.beat()
        return [*told, await message(box)]

    first, beat, last = run(scene)
    assert "one" in first
    assert beat == "event: beat\ndata\n\n"
    assert "two" in last or last == beat


def test_nobody_is_looked_for_who_left() -> None:
    async def scene(page: Page, watcher: Watcher) -> int:
        box, other = watcher.join([ONE]), watcher.join([OTHER])
        await message(box)
        await message(other)
        watcher.leave(box)
        page.show(summary="two")
        await message(other)
        return page.rendered

    assert run(scene) == 3


def test_a_database_that_is_gone_for_a_while_is_asked_again() -> None:
    async def scene(page: Page, watcher: Watcher) -> str:
        page.broken = True
        box = watcher.join([ONE])
        await asyncio.sleep(0.6)
        assert box.waiting == {}
        page.broken = False
        return await message(box)

    assert "one" in run(scene)


def test_stopping_ends_every_wait_at_once() -> None:
    async def scene(page: Page, watcher: Watcher) -> bytes:
        box = watcher.join([ONE])
        await message(box)
        asyncio.get_running_loop().call_later(0.05, watcher.stop)
        return await box.take()

    assert run(scene) == b""


def test_who_comes_while_it_stops_does_not_stay() -> None:
    async def scene(page: Page, watcher: Watcher) -> bytes:
        watcher.stop()
        return await watcher.join([ONE]).take()

    assert run(scene) == b""
