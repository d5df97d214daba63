"""Messages to the workers: ids only, after commit, and never more than a hint."""

import logging
from functools import partial
from typing import Any

from celery import current_app
from django.db import transaction
from kombu.exceptions import OperationalError

log = logging.getLogger(__name__)


def soon(job: str, *args: Any, queue: str = "") -> None:
    """Send a job by name once the transaction is committed. A broker that is down loses the hint, nothing
    else: the sweep finds what no message announced."""
    transaction.on_commit(partial(_send, job, args, queue))


def _send(job: str, args: tuple[Any, ...], queue: str) -> None:
    try:
        current_app.send_task(job, args=args, queue=queue or None, retry=False)
    except (OperationalError, OSError) as error:
        log.warning(
            "hint lost, the sweep will find it", extra={"job": job, "job_args": args, "error": str(error)}
        )
