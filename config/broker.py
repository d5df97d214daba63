"""Celery's transport over plain folders, made safe for several processes.

kombu's own writes a message in place, so that a consumer may read half of it and die. Here a message is
written under a hidden name and renamed, and taken by a rename that only one consumer can win.
"""

import fcntl
import os
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from json import JSONDecodeError
from pathlib import Path
from queue import Empty
from typing import Any
from urllib.parse import urlsplit

from kombu.transport import TRANSPORT_ALIASES, filesystem
from kombu.utils.json import dumps, loads

BRIEF = {"max_retries": 1, "interval_start": 0, "interval_step": 0.2, "interval_max": 0.2}
"""A hint that cannot be sent is given up at once; by itself kombu would keep the page waiting for six seconds."""
REDIS = {
    "socket_timeout": 3,
    "socket_connect_timeout": 3,
    "socket_keepalive": True,
    "health_check_interval": 5,
}
"""One that hangs: by itself a page would wait for ever, and a worker for most of a minute."""


class Channel(filesystem.Channel):
    """Puts, gets and binds so that nobody ever sees an unfinished file."""

    def _put(self, queue: str, payload: dict[str, Any], **kwargs: Any) -> None:  # type: ignore[override]
        name = f"{time.time_ns():020}_{uuid.uuid4()}.{queue}.msg"
        _write(Path(self.data_folder_out, name), dumps(payload))

    def _get(self, queue: str, timeout: float | None = None) -> Any:
        for name in sorted(os.listdir(self.data_folder_in)):
            if name.partition(".")[2] != f"{queue}.msg":
                continue
            taken = Path(self.processed_folder, name)
            try:
                Path(self.data_folder_in, name).rename(taken)
                message = loads(taken.read_text(encoding="utf-8"))
            except FileNotFoundError:  # another consumer was faster
                continue
            except JSONDecodeError:  # a machine that lost power: the sweep finds what the message announced
                taken.unlink()
                continue
            taken.unlink()
            return message
        raise Empty

    def _queue_bind(self, exchange: str, routing_key: str | None, pattern: str | None, queue: str) -> None:
        binding = filesystem.exchange_queue_t(routing_key or "", pattern or "", queue or "")
        with self._one_at_a_time():
            table = self.get_table(exchange)
            if binding not in table:
                _write(self.control_folder / f"{exchange}.exchange", dumps([binding, *table]))

    @contextmanager
    def _one_at_a_time(self) -> Iterator[None]:
        with (self.control_folder / "lock").open("a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield


class Transport(filesystem.Transport):
    Channel = Channel


def _write(path: Path, content: str) -> None:
    draft = path.with_name(f".{path.name}.{uuid.uuid4().hex}.draft")
    draft.write_text(content, encoding="utf-8")
    draft.rename(path)


def options(url: str, folder: Path) -> dict[str, Any]:
    """The transport's options for a broker at this address; makes the folders of one that has no server."""
    scheme = urlsplit(url).scheme
    if scheme == "filesystem":
        return _folders(folder)
    return BRIEF | (REDIS if scheme in {"redis", "rediss"} else {})


def _folders(folder: Path) -> dict[str, Any]:
    """Makes them, and says which is for what."""
    folders = {name: folder / name for name in ("messages", "taken", "control")}
    for path in folders.values():
        path.mkdir(parents=True, exist_ok=True)
    return {
        "data_folder_in": str(folders["messages"]),
        "data_folder_out": str(folders["messages"]),
        "processed_folder": str(folders["taken"]),
        "control_folder": str(folders["control"]),
        "polling_interval": 0.05,  # 23 ms from send to run, next to no idle work
    }


TRANSPORT_ALIASES["filesystem"] = "config.broker:Transport"
