"""The class of all jobs: while the installation stands by, none of them does anything."""

import logging
from typing import Any

from celery import Task

from taskboard import standby

log = logging.getLogger(__name__)


class Job(Task):  # type: ignore[type-arg]
    """What is left out is not lost: the rows say what is to be done, and the sweep finds it afterwards."""

    abstract = True

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if standby.stands_by():
            log.debug("left out, the installation stands by", extra={"job": self.name})
            return None
        return super().__call__(*args, **kwargs)
