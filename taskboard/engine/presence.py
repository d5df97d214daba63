"""Processes say that they are alive, so that a page can say when none is."""

import logging
import threading
from datetime import datetime, timedelta

from django.db import DatabaseError, connections
from django.utils import timezone

from taskboard.engine import owner
from taskboard.models import Heartbeat

log = logging.getLogger(__name__)

EVERY_SECONDS = 5.0
ALIVE = timedelta(seconds=4 * EVERY_SECONDS)
"""Who was seen within this time runs."""
BEGAN = timezone.now()
"""When this process loaded its code; forked children share it."""


def seen(role: str) -> None:
    """This process is alive now."""
    now = timezone.now()
    Heartbeat.objects.update_or_create(
        owner=f"{role}:{owner.me()}", defaults={"role": role, "seen_at": now}, create_defaults={
            "role": role, "seen_at": now, "started_at": BEGAN,
        },
    )  # fmt: skip


def serves(streams: int) -> None:
    """This web process has so many live pages open; said from a thread that holds no connection afterwards."""
    fields = {"role": Heartbeat.Role.WEB, "seen_at": timezone.now(), "streams": streams}
    try:
        Heartbeat.objects.update_or_create(
            owner=f"web:{owner.me()}", defaults=fields, create_defaults={**fields, "started_at": BEGAN}
        )
    finally:
        connections.close_all()


def younger_workers(now: datetime) -> bool:
    """Whether workers run that loaded their code later than this process."""
    workers = Heartbeat.objects.filter(role=Heartbeat.Role.WORKER, seen_at__gt=now - ALIVE)
    return workers.filter(started_at__gt=BEGAN).exists()


def keep_saying(role: str, stop: threading.Event) -> threading.Thread:
    """Say it every few seconds from a thread of its own, until `stop` is set."""

    def say() -> None:
        while not stop.is_set():
            try:
                seen(role)
            except DatabaseError as error:  # it comes back; whoever stops saying it counts as gone
                log.warning("not seen", extra={"role": role, "error": str(error)})
            finally:
                connections.close_all()
            stop.wait(EVERY_SECONDS)

    thread = threading.Thread(target=say, name="presence", daemon=True)
    thread.start()
    return thread
