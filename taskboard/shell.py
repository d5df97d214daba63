"""The class of all jobs: while the installation stands by, none of them does anything but say that beat is alive."""

import logging
from typing import Any

from celery import Task

from taskboard import standby
from taskboard.engine import presence
from taskboard.models import Heartbeat

SWEEP = "taskboard.sweep"
"""The job by which beat is seen."""
log = logging.getLogger(__name__)


class Job(Task):  # type: ignore[type-arg]
    """What is left out is not lost: the rows say what is to be done, and the sweep finds it afterwards."""

    abstract = True

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if standby.stands_by():
            if self.name == SWEEP:
                presence.seen(Heartbeat.Role.BEAT)
            log.debug("left out, the installation stands by", extra={"job": self.name})
            return None
        return super().__call__(*args, **kwargs)
