"""The Celery app, its two queues and the one schedule list."""

import logging.config
import os
from typing import Any

from celery import Celery
from celery.beat import PersistentScheduler
from celery.signals import setup_logging
from django.conf import settings

from config import broker  # noqa: F401 registers the folder transport in web, worker and beat alike

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")


class Beat(PersistentScheduler):
    """Celery's own, when the clock was set back, waits until it is where it was."""

    def tick(self, *arguments: Any, **options: Any) -> Any:
        now = self.app.now()
        for entry in self.schedule.values():
            if entry.last_run_at is not None and entry.last_run_at > now:
                entry.last_run_at, self._heap = now, None
        return super().tick(*arguments, **options)


app = Celery("taskboard", task_cls="taskboard.shell:Job")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(related_name="jobs")

app.conf.task_default_queue = "steps"
# Decisions and reconciles never wait behind a busy worker: all but the work itself has a queue of its own.
app.conf.task_routes = ([("taskboard.run_task", {"queue": "steps"}), ("*", {"queue": "short"})],)
app.conf.beat_scheduler = Beat
app.conf.beat_schedule = {
    # A sweep that nobody fetched is worth nothing once the next one is there.
    "sweep": {"task": "taskboard.sweep", "schedule": 5.0, "options": {"expires": 10}},
    # Every ten minutes: often enough to meet its time also on a day on which clocks change. It runs once per
    # local day; which of these moments that is, the database knows.
    "purge": {
        "task": "taskboard.purge_daily",
        "schedule": 600.0,
        "options": {"queue": "steps", "expires": 600},
    },
}


@setup_logging.connect
def use_the_logging_of_django(**_: Any) -> None:
    """Otherwise Celery would add its own format and send it to standard output."""
    logging.config.dictConfig(settings.LOGGING)
