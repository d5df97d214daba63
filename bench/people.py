"""What people do in the benchmarks: `python -m bench.people start N` or `decide N`; prints one JSON line."""

import json
import os
import sys
import time

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

import django

django.setup()

from django.conf import settings  # noqa: E402

from approvals import decisions  # noqa: E402
from approvals.models import Approval  # noqa: E402
from bench import lines, seen  # noqa: E402, F401 registers the workflows
from bench.noop import new_task, person  # noqa: E402
from tests.processes import until  # noqa: E402


def start(items: int) -> dict[str, object]:
    return {"pk": new_task(items, "seen").pk}


def decide(number: int) -> dict[str, object]:
    """So many questions, answered one after the other once all are asked."""
    task = new_task(number, "asked")
    questions = Approval.objects.filter(task=task, status="open").order_by("pk")
    until(lambda: questions.count() == number, 300, "the questions")
    return {"waits": [_decided(question) for question in list(questions)]}


def _decided(question: Approval) -> float:
    decisions.decide(question.pk, person("Managers"), "approve", digest=question.payload_sha256)
    committed = time.time()
    deadline = time.monotonic() + 60
    while (entered := _entered(question.item_key)) is None:
        if time.monotonic() > deadline:
            raise AssertionError(f"{question.item_key} did not go on within a minute")
        time.sleep(0.005)
    return entered - committed


def _entered(key: str) -> float | None:
    return next((at for at, name in lines.read(settings.TASKBOARD_VAR) if name == key), None)


if __name__ == "__main__":
    print(json.dumps({"start": start, "decide": decide}[sys.argv[1]](int(sys.argv[2]))))
