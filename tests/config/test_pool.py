"""PostgreSQL was restarted: the next request has a connection again, however many the pool held."""

import threading
from typing import Any

import pytest
from django.db import connection

from tests.outages import end_all_others


def hold(barrier: threading.Barrier) -> None:
    connection.ensure_connection()
    barrier.wait(30)
    connection.close()


def test_dead_connections_are_forgotten_all_at_once(transactional_db: Any) -> None:
    """One by one, with the pool's growing pauses, more than four would outlast its time limit."""
    if connection.vendor != "postgresql":
        pytest.skip("only a server can end connections")
    barrier = threading.Barrier(8)
    threads = [threading.Thread(target=hold, args=(barrier,)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(40)
    end_all_others()
    connection.close()
    connection.ensure_connection()
    assert connection.is_usable()
