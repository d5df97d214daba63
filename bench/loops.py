"""The yardsticks: a plain loop of two commits per step, one before and one after."""

import sqlite3
import time
from pathlib import Path

import psycopg

TABLE = "CREATE TABLE IF NOT EXISTS raw_step (id integer PRIMARY KEY, status text, at text)"
INTENT = "INSERT INTO raw_step (id, status) VALUES ({0}, 'started')"
RESULT = "UPDATE raw_step SET status = 'done', at = 'now' WHERE id = {0}"


def postgres(url: str, steps: int) -> float:
    """Steps per second of psycopg on one connection."""
    with psycopg.connect(url) as connection:
        connection.execute("DROP TABLE IF EXISTS raw_step")
        connection.execute(TABLE)
        connection.commit()
        began = time.perf_counter()
        for number in range(steps):
            for statement in (INTENT, RESULT):
                connection.execute(statement.format("%s"), (number,))
                connection.commit()
        return steps / (time.perf_counter() - began)


def sqlite(path: Path, steps: int) -> float:
    """Steps per second of sqlite3 with WAL and synchronous=FULL."""
    connection = sqlite3.connect(path)
    for pragma in ("journal_mode=WAL", "synchronous=FULL"):
        connection.execute(f"PRAGMA {pragma}")
    connection.execute(TABLE)
    connection.commit()
    began = time.perf_counter()
    for number in range(steps):
        for statement in (INTENT, RESULT):
            connection.execute(statement.format("?"), (number,))
            connection.commit()
    rate = steps / (time.perf_counter() - began)
    connection.close()
    return rate
