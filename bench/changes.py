"""A task that changes: `python -m bench.changes prepare`, `python -m bench.changes run PK SECONDS`.

`run` commits four changes a second and prints each with the moment after its commit, on a clock that all
processes of this machine share.
"""

import json
import os
import sys
import time

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

import django

django.setup()

from django.conf import settings  # noqa: E402
from django.contrib.auth import get_user_model  # noqa: E402
from django.contrib.auth.models import Group  # noqa: E402
from django.test import Client  # noqa: E402

from taskboard import lifecycle  # noqa: E402
from taskboard.models import ItemStatus, Step, StepStatus  # noqa: E402
from tests.factories import make_item, make_step, make_task  # noqa: E402

ITEMS = 200
PER_SECOND = 4


def prepare() -> dict[str, object]:
    """A running task of two hundred items, and a person who is logged in."""
    person, _created = get_user_model().objects.get_or_create(username="bench")
    person.groups.add(Group.objects.get(name="Operators"))
    client = Client()
    client.force_login(person, backend="django.contrib.auth.backends.ModelBackend")
    task = make_task(says="tick 0", limit_micro=20_000_000)
    for _ in range(ITEMS):
        make_step(make_item(task))
    cookie = f"{settings.SESSION_COOKIE_NAME}={client.cookies[settings.SESSION_COOKIE_NAME].value}"
    return {"pk": task.pk, "page": task.get_absolute_url(), "cookie": cookie}


def run(pk: int, seconds: float) -> dict[str, float]:
    """When each change was committed: a new sentence, and a step that is begun and put back."""
    step = Step.objects.filter(task=pk).select_related("item").order_by("position")[0]
    committed: dict[str, float] = {}
    began = time.monotonic()
    for number in range(1, int(seconds * PER_SECOND) + 1):
        time.sleep(max(0.0, began + number / PER_SECOND - time.monotonic()))
        step = _change(pk, step, number)
        committed[str(number)] = time.monotonic()
    return committed


def _change(pk: int, step: Step, number: int) -> Step:
    starts = step.status == StepStatus.PENDING
    to = StepStatus.STARTED if starts else StepStatus.PENDING
    with lifecycle.changing(pk, "bench") as change:
        lifecycle.move_steps(change, [lifecycle.StepMove(step, to, {"attempt": step.attempt + starts})])
        if step.item.status == ItemStatus.PENDING:
            lifecycle.move_items(change, [(step.item, ItemStatus.RUNNING, step.name)])
        change.set(says=f"tick {number}")
    return Step.objects.select_related("item").get(pk=step.pk)


if __name__ == "__main__":
    verb, *numbers = sys.argv[1:]
    print(json.dumps(prepare() if verb == "prepare" else run(int(numbers[0]), float(numbers[1]))))
