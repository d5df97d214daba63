"""The two trackers: one ticket per key, and an honest word on what was not sent."""

import socket
import threading
from collections.abc import Iterator
from datetime import timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import httpx
import pytest
from django.core.management import CommandError, call_command

from taskboard.outcomes import NotSent
from taskboard.workflows.seo_audit.http_tracker import HttpTracker
from taskboard.workflows.seo_audit.ticket import Refused
from taskboard.workflows.seo_audit.ticket_book import TicketBook
from taskboard.workflows.seo_audit.tracker import book_path
from tests.seo_audit.peer import TrackerPeer, serving

KEY = "task_1:seiten/bücher.html:create_ticket"


@pytest.fixture
def peer() -> TrackerPeer:
    return TrackerPeer()


@pytest.fixture
def tracker(peer: TrackerPeer) -> Iterator[HttpTracker]:
    with serving(peer) as url:
        yield HttpTracker(url, "secret", timeout=5)


def test_the_book_keeps_one_ticket_per_key(tmp_path: Path) -> None:
    book = TicketBook(tmp_path / "new" / "tickets.sqlite3")
    first, again, other = book.create("a", "A", ""), book.create("a", "Other", ""), book.create("b", "B", "")
    assert (first.id, again, other.id) == ("T-1", first, "T-2")
    assert (book.find("a"), book.find("c")) == (first, None)
    assert [ticket.key for ticket in book.all()] == ["a", "b"]
    assert first.created_at.tzinfo is not None


def test_many_threads_with_one_key_get_one_ticket(tmp_path: Path) -> None:
    ids: list[str] = []
    book = TicketBook(tmp_path / "tickets.sqlite3")
    threads = [threading.Thread(target=lambda: ids.append(book.create("a", "A", "").id)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert ids == ["T-1"] * 8


def test_a_book_that_cannot_be_opened_has_taken_nothing(tmp_path: Path) -> None:
    (tmp_path / "tickets.sqlite3").mkdir()
    with pytest.raises(NotSent, match="cannot be opened"):
        TicketBook(tmp_path / "tickets.sqlite3").create("a", "A", "")


def test_the_http_tracker_creates_and_finds_by_key(tracker: HttpTracker, peer: TrackerPeer) -> None:
    key = "task_1:a.html:create_ticket"
    assert tracker.find(key) is None
    ticket = tracker.create(key, "Title", "Body")
    assert (ticket.id, ticket.title, tracker.find(key)) == ("H-1", "Title", ticket)
    assert {token for _method, token in peer.calls} == {"Bearer secret"}


def test_a_key_may_hold_any_letters(tracker: HttpTracker) -> None:
    assert tracker.create(KEY, "Title", "") == tracker.find(KEY)


def test_a_busy_tracker_took_nothing_and_says_when_to_come_back(
    tracker: HttpTracker, peer: TrackerPeer
) -> None:
    peer.mode = "busy"
    with pytest.raises(NotSent) as raised:
        tracker.create("k", "Title", "")
    assert raised.value.retry_after == timedelta(seconds=7)
    assert not peer.tickets


def test_a_refusal_is_final_and_keeps_the_trackers_own_words(tracker: HttpTracker, peer: TrackerPeer) -> None:
    peer.mode = "refuse"
    with pytest.raises(Refused, match="The project is closed"):
        tracker.create("k", "Title", "")


def test_a_lost_answer_is_not_taken_for_not_sent(tracker: HttpTracker, peer: TrackerPeer) -> None:
    peer.mode = "drop"
    with pytest.raises(httpx.RemoteProtocolError):
        tracker.create("k", "Title", "")
    assert tracker.find("k") is not None


def test_a_slow_answer_is_a_lost_answer() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        tracker = HttpTracker(f"http://127.0.0.1:{silent.getsockname()[1]}", timeout=0.2)
        with pytest.raises(httpx.ReadTimeout):
            tracker.create("k", "Title", "")


def test_a_refused_connection_sent_nothing() -> None:
    with socket.create_server(("127.0.0.1", 0)) as gone:
        port = gone.getsockname()[1]
    with pytest.raises(NotSent, match="cannot be reached"):
        HttpTracker(f"http://127.0.0.1:{port}").create("k", "Title", "")


def test_people_see_a_ticket_at_the_trackers_address_and_no_password_of_ours() -> None:
    link = HttpTracker("https://bot:secret@tracker.example.org/api/").link
    assert link == "https://tracker.example.org/api/tickets/{external_id}"
    assert TicketBook(Path("book.sqlite3")).link == ""


def test_the_book_shows_one_ticket_with_its_text(settings: Any) -> None:
    TicketBook(book_path()).create("k", "Title of it", "All that is wrong.")
    TicketBook(book_path()).create("l", "Another", "")
    out = StringIO()
    call_command("tickets", "T-1", stdout=out)
    assert "Title of it\n\nAll that is wrong.\n" in out.getvalue()
    assert "Another" not in out.getvalue()
    by_key = StringIO()
    call_command("tickets", "k", stdout=by_key)
    assert by_key.getvalue() == out.getvalue()
    with pytest.raises(CommandError, match="There is no ticket T-7 in the ticket book"):
        call_command("tickets", "T-7")
