"""Messages to the workers: ids only, after commit, and never more than a hint."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from typing import Any

from celery import current_app
from django.db import transaction
from kombu.exceptions import OperationalError

log = logging.getLogger(__name__)
Hint = tuple[str, tuple[Any, ...], str]
_gathered: ContextVar[set[Hint] | None] = ContextVar("gathered", default=None)


def soon(job: str, *args: Any, queue: str = "") -> None:
    """Send a job by name once the transaction is committed. A broker that is down loses the hint, nothing
    else: the sweep finds what no message announced."""
    seen = _gathered.get()
    if seen is not None:
        if (job, args, queue) in seen:
            return
        seen.add((job, args, queue))
    transaction.on_commit(partial(_send, job, args, queue))


def later(seconds: int, job: str, *args: Any, queue: str = "") -> None:
    """The same, but not before this many seconds have passed."""
    transaction.on_commit(partial(_send, job, args, queue, countdown=seconds))


@contextmanager
def gathered() -> Iterator[None]:
    """For many changes in a row: a message is sent with the first of them and after the last, not with each."""
    seen: set[Hint] = set()
    token = _gathered.set(seen)
    try:
        yield
    finally:
        _gathered.reset(token)
        for job, args, queue in seen:
            soon(job, *args, queue=queue)


def _send(job: str, args: tuple[Any, ...], queue: str, **options: Any) -> None:
    try:
        current_app.send_task(job, args=args, queue=queue or None, retry=False, **options)
    except (OperationalError, OSError) as error:
        log.warning(
            "hint lost, the sweep will find it", extra={"job": job, "job_args": args, "error": str(error)}
        )
