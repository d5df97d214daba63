"""Server-sent events from a real web process."""

import re
import signal
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from urllib.parse import urlencode

import httpx
from django.conf import settings
from django.contrib.auth.base_user import AbstractBaseUser
from django.db import connection

from taskboard import lifecycle
from taskboard.models import Task
from taskboard.streams import BEAT_EVERY
from tests.conftest import logged_in
from tests.factories import make_approval, make_item, make_step, make_task
from tests.processes import Processes, answers, free_port, until


class Reader:
    """Reads a stream message by message."""

    def __init__(self, response: httpx.Response) -> None:
        self.response = response
        self._chunks = response.iter_text()
        self._buffer = ""

    def until(self, text: str, seconds: float = 15) -> str:
        """Everything up to and including the message that holds this text."""
        deadline = time.monotonic() + seconds
        while text not in self._buffer:
            assert time.monotonic() < deadline, f"{text!r} did not come"
            self._buffer += next(self._chunks)
        read, self._buffer = self._buffer, ""
        return read

    def rest(self) -> str:
        return "".join(self._chunks)


def cookies(person: AbstractBaseUser) -> dict[str, str]:
    return {settings.SESSION_COOKIE_NAME: logged_in(person).cookies[settings.SESSION_COOKIE_NAME].value}


@contextmanager
def opened(site: str, query: str, jar: dict[str, str]) -> Iterator[Reader]:
    with (
        httpx.Client(base_url=site, cookies=jar, timeout=20) as client,
        client.stream("GET", f"/stream/{query}") as response,
    ):
        yield Reader(response)


def say(task: Task, text: str) -> None:
    with lifecycle.changing(task.pk, "test") as change:
        change.set(says=text)


def test_it_begins_with_a_refresh_and_goes_on_with_changes(site: str, operator: AbstractBaseUser) -> None:
    task = make_task(says="counting sheep")
    with opened(site, f"?task={task.pk}&after=0", cookies(operator)) as reader:
        assert reader.response.headers["Content-Type"] == "text/event-stream"
        assert reader.response.headers["Cache-Control"] == "no-store"
        assert reader.response.headers["X-Accel-Buffering"] == "no"
        first = reader.until("counting sheep")
        assert {
            "state", "summary", "budget", "says", "questions", "items", "approvals-badge",
        } <= targets(first)  # fmt: skip
        say(task, "counting goats")
        later = reader.until("counting goats")
        assert '"#summary"' not in later


def test_a_shared_part_holds_no_form(site: str, operator: AbstractBaseUser) -> None:
    task = make_task(says="hello")
    make_step(make_item(task))
    with opened(site, f"?task={task.pk}", cookies(operator)) as reader:
        text = reader.until("hello")
        assert "<form" not in text
        assert "csrf" not in text


def test_only_the_row_that_changed_is_sent(site: str, operator: AbstractBaseUser) -> None:
    task = make_task(says="hello")
    items = [make_item(task) for _ in range(3)]
    steps = [make_step(item) for item in items]
    with opened(site, f"?task={task.pk}", cookies(operator)) as reader:
        reader.until("hello")
        with lifecycle.changing(task.pk, "test") as change:
            lifecycle.move_steps(change, [lifecycle.StepMove(steps[1], lifecycle.S.STARTED, {"attempt": 1})])
        sent = reader.until(f'hx-target="#item-{items[1].pk}"')
        assert f"#item-{items[0].pk}" not in sent


def test_a_page_that_cannot_keep_a_stream_asks_for_the_same(site: str, operator: AbstractBaseUser) -> None:
    task, jar = make_task(says="counting sheep"), cookies(operator)
    with opened(site, f"?task={task.pk}", jar) as reader:
        streamed = reader.until("counting sheep").partition("data: ")[2].strip()
    asked = httpx.get(f"{site}/stream/?task={task.pk}&once=1", cookies=jar, timeout=20)
    assert asked.headers["Content-Type"].startswith("text/html")
    assert asked.headers["Cache-Control"] == "no-store"
    assert targets(asked.text) == targets(streamed)
    assert "counting sheep" in asked.text
    assert httpx.get(f"{site}/stream/?once=1").status_code == 401


def targets(text: str) -> set[str]:
    return set(re.findall(r'hx-partial hx-target="#([\w-]+)"', text))


def test_a_stranger_is_answered_401(site: str, db: None) -> None:
    assert httpx.get(f"{site}/stream/").status_code == 401


def test_a_person_without_a_group_is_answered_401(site: str, outsider: AbstractBaseUser) -> None:
    assert httpx.get(f"{site}/stream/", cookies=cookies(outsider)).status_code == 401


def test_nonsense_in_the_query_watches_nothing(site: str, operator: AbstractBaseUser) -> None:
    with opened(site, "?task=abc&rows=1,x,%00&item=²&new=-1&after=9e9", cookies(operator)) as reader:
        assert reader.response.status_code == 200
        reader.until("welcome")


def test_the_list_learns_of_its_rows_and_of_new_ones(site: str, operator: AbstractBaseUser) -> None:
    task = make_task(goal="First")
    watched = urlencode({"rows": task.pk, "list": f"rows={task.pk}"})
    with opened(site, f"?{watched}", cookies(operator)) as reader:
        reader.until(f"#task-{task.pk}")
        newer = make_task(goal="Second")
        assert "1 new task" in reader.until("1 new task")
        with lifecycle.changing(task.pk, "test") as change:
            lifecycle.move_task(change, lifecycle.T.PAUSED)
        text = reader.until("Paused")
        assert newer.public_id not in text


def test_the_badge_follows_the_journal(site: str, manager: AbstractBaseUser) -> None:
    with opened(site, "", cookies(manager)) as reader:
        assert "waiting for you" not in reader.until("approvals-badge")
        make_approval()
        reader.until('id="approvals-badge">1<')


def test_streams_end_at_once_when_the_process_is_told_to_stop(
    processes: Processes, operator: AbstractBaseUser
) -> None:
    port = free_port()
    web = processes.web(port)
    until(lambda: answers(port))
    with opened(f"http://127.0.0.1:{port}", "", cookies(operator)) as reader:
        reader.until("approvals-badge")
        web.send_signal(signal.SIGTERM)
        reader.rest()
        assert web.wait(10) in (0, -signal.SIGTERM)
    assert "Traceback" not in processes.log("web")


def test_eighty_streams_hold_no_connection(site: str, operator: AbstractBaseUser) -> None:
    task, jar = make_task(says="hello"), cookies(operator)
    with ExitStack() as open_streams:
        readers = [open_streams.enter_context(opened(site, f"?task={task.pk}", jar)) for _ in range(80)]
        for reader in readers:
            reader.until("hello")
        if connection.vendor == "postgresql":
            assert connections_of_the_site() <= 10
        page = httpx.get(f"{site}{task.get_absolute_url()}", cookies=jar, timeout=10)
        assert page.status_code == 200
        say(task, "goodbye")
        for reader in readers:
            reader.until("goodbye")


def test_streams_that_are_left_abruptly_end(
    processes: Processes, site: str, operator: AbstractBaseUser
) -> None:
    """PERF-04: neither sockets nor readers stay behind."""
    task, jar = make_task(says="hello"), cookies(operator)
    files = Path(f"/proc/{processes.running[-1].pid}/fd")
    with opened(site, f"?task={task.pk}", jar) as reader:
        reader.until("hello")
    before = len(list(files.iterdir()))
    with ExitStack() as open_streams:
        readers = [open_streams.enter_context(opened(site, f"?task={task.pk}", jar)) for _ in range(20)]
        for reader in readers:
            reader.until("hello")
        assert len(list(files.iterdir())) >= before + 15
    until(lambda: len(list(files.iterdir())) <= before + 3, 30, "the end of the streams")


def test_nothing_on_the_way_may_hold_an_event_back(site: str, operator: AbstractBaseUser) -> None:
    """PERF-06: the first bytes come before anything has happened, and are not packed."""
    with opened(site, "", cookies(operator)) as reader:
        assert "Content-Encoding" not in reader.response.headers
        assert next(reader._chunks).startswith(": welcome")
    assert BEAT_EVERY <= 15


def connections_of_the_site() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()")
        ours = connection.pool.get_stats()["pool_size"]  # earlier tests of this process left some idle
        return int(cursor.fetchone()[0]) - int(ours)
