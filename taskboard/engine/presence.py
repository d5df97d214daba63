"""Processes say that they are alive, so that a page can say when none is."""

import logging
import threading

from django.db import DatabaseError, connections
from django.utils import timezone

from taskboard.engine import owner
from taskboard.models import Heartbeat

log = logging.getLogger(__name__)

EVERY_SECONDS = 5.0


def seen(role: str) -> None:
    """This process is alive now."""
    now = timezone.now()
    Heartbeat.objects.update_or_create(
        owner=f"{role}:{owner.me()}", defaults={"role": role, "seen_at": now}, create_defaults={
            "role": role, "seen_at": now, "started_at": now,
        },
    )  # fmt: skip


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
