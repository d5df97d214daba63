"""Real workers on the default transport and on Redis: what is sent is run, each in its queue."""

from typing import Any

import pytest

from config.celery import app
from tests.processes import Processes, until


def test_every_schedule_and_route_names_a_job_that_exists() -> None:
    app.loader.import_default_modules()
    jobs = {entry["task"] for entry in app.conf.beat_schedule.values()}
    assert jobs | {"taskboard.run_task"} <= set(app.tasks)


def test_only_the_work_itself_goes_to_the_queue_of_the_work() -> None:
    def queue(job: str) -> Any:
        return app.amqp.router.route({}, job)["queue"].name

    assert queue("taskboard.run_task") == "steps"
    assert queue("taskboard.sweep") == "short"
    assert queue("approvals.resume") == "short"


@pytest.mark.parametrize("broker", ["folders", "redis"])
def test_a_killed_worker_leaves_the_broker_usable(
    broker: str, processes: Processes, request: pytest.FixtureRequest
) -> None:
    url = request.getfixturevalue("redis_url") if broker == "redis" else "filesystem://localhost/"
    env = {"CELERY_BROKER_URL": url, "LOG_LEVEL": "INFO"}
    first = processes.worker("short", **env)
    until(lambda: "ready." in processes.log("worker-short"), what="the start of the worker")
    processes.kill(first)
    processes.worker("short", **env)
    until(lambda: processes.log("worker-short").count("ready.") == 2, what="the second start")
    processes.celery("call", "taskboard.sweep", "--queue=short", name="call", **env).wait(20)
    assert "Traceback" not in processes.log("worker-short")
