"""The transport over folders: whole messages, each taken once."""

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import Empty

import pytest
from kombu import Connection

from config import broker


@pytest.fixture
def connection(tmp_path: Path) -> Connection:
    return Connection("filesystem://", transport_options=broker.options("filesystem://", tmp_path))


def taken(connection: Connection, queue: str) -> list[str]:
    channel, found = connection.channel(), []
    while True:
        try:
            found.append(channel._get(queue)["body"])
        except Empty:
            return found


def test_messages_come_out_in_their_order(connection: Connection) -> None:
    channel = connection.channel()
    for number in range(20):
        channel._put("steps", {"body": number})
    assert taken(connection, "steps") == list(range(20))


def test_queues_are_kept_apart(connection: Connection) -> None:
    channel = connection.channel()
    channel._put("short", {"body": "decision"})
    assert taken(connection, "steps") == []
    assert taken(connection, "short") == ["decision"]


def test_each_message_is_taken_by_one_of_many_consumers(connection: Connection) -> None:
    channel = connection.channel()
    for number in range(300):
        channel._put("steps", {"body": number})
    with ThreadPoolExecutor(6) as pool:
        found = list(pool.map(lambda _: taken(connection, "steps"), range(6)))
    assert sorted(body for bodies in found for body in bodies) == list(range(300))


def test_a_damaged_message_is_passed_over(connection: Connection, tmp_path: Path) -> None:
    (tmp_path / "messages" / "0_damaged.steps.msg").write_text("")
    connection.channel()._put("steps", {"body": "whole"})
    assert taken(connection, "steps") == ["whole"]
    assert os.listdir(tmp_path / "taken") == []


def test_bindings_made_at_the_same_time_are_all_kept(connection: Connection) -> None:
    def bind(number: int) -> None:
        connection.channel()._queue_bind("exchange", "", "", f"queue{number}")

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(bind, range(40)))
    bound = {entry.queue for entry in connection.channel().get_table("exchange")}
    assert bound == {f"queue{number}" for number in range(40)}
