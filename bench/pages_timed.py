"""The pages of one database, timed inside one process: `python -m bench.pages_timed`; one JSON line."""

import json
import os
import re
import statistics
import time
from collections.abc import Callable
from typing import Any

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

import django

django.setup()

import brotli  # noqa: E402
from django.conf import settings  # noqa: E402
from django.contrib import admin  # noqa: E402
from django.contrib.auth.models import Group, User  # noqa: E402
from django.contrib.staticfiles import finders  # noqa: E402
from django.db import connection  # noqa: E402
from django.http import HttpResponse  # noqa: E402
from django.test import Client, RequestFactory  # noqa: E402
from django.test.utils import CaptureQueriesContext  # noqa: E402

from bench.page_rows import make_task, make_tasks  # noqa: E402
from taskboard.models import Item, Task  # noqa: E402

SIZES = [int(size) for size in os.environ.get("SIZES", "1000 10000 100000").split()]
TASKS = int(os.environ.get("TASKS", "10000"))
ROUNDS = int(os.environ.get("ROUNDS", "15"))
VIEWS = {
    "task": "",
    "failed items": "?status=failed",
    "funnel link": "?step=create_ticket&at=failed",
    "last page": "?after={last}",
    "by cost": "?sort=-cost",
    "by change": "?sort=-updated",
    "text": "?text=page_0000",
    "text without match": "?text=nowhere",
    "journal": "journal/",
}
"""Addresses behind that of the task."""


def main() -> None:
    settings.ALLOWED_HOSTS = ["*"]
    client = logged_in()
    figures: dict[str, Any] = {name: {} for name in VIEWS}
    for size in SIZES:
        task = make_task(size)
        last = Item.objects.filter(task=task, position=max(size - 100, 1)).get()
        for name, query in VIEWS.items():
            address = task.get_absolute_url() + query.format(last=f"{last.position}~{last.pk}")
            figures[name][size] = timed(lambda address=address: client.get(address))
    make_tasks(TASKS)
    figures["list"] = {"all": timed(lambda: client.get("/"))}
    figures["admin"] = {"items": timed(plain(Item)), "tasks": timed(plain(Task))}
    figures["first_visit_kb"] = first_visit_kb(client, f"/tasks/task_bench_{SIZES[0]}/")
    print(json.dumps(figures))


def logged_in() -> Client:
    user = User.objects.create_user("ops")
    user.groups.add(Group.objects.get(name="Operators"))
    client = Client()
    client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
    return client


def timed(request: Callable[[], HttpResponse]) -> dict[str, float | int]:
    """The median of some rounds after a first one, the CPU time of this process, and the number of queries."""
    with CaptureQueriesContext(connection) as captured:
        response = request()
    queries = len(captured)  # now: the next request clears the log
    if response.status_code != 200:
        raise SystemExit(f"The page answered {response.status_code}.")
    spent, cpu = [], time.process_time()
    for _ in range(ROUNDS):
        began = time.perf_counter()
        request()
        spent.append(1000 * (time.perf_counter() - began))
    cpu_ms = 1000 * (time.process_time() - cpu) / ROUNDS
    return {"ms": round(statistics.median(spent), 1), "cpu_ms": round(cpu_ms, 1), "queries": queries}


def plain(model: Any) -> Callable[[], HttpResponse]:
    """Django's own list of all rows of a model, as it is without any care."""
    shown = ["key", "label", "status", "updated_at"] if model is Item else ["public_id", "goal", "status"]
    view = type("Plain", (admin.ModelAdmin,), {"list_display": shown})(model, admin.AdminSite())
    user = User.objects.filter(username="root").first() or User.objects.create_superuser("root")

    def request() -> HttpResponse:
        asked = RequestFactory().get("/admin/")
        asked.user = user
        answer: Any = view.changelist_view(asked)
        return answer.render()

    return request


def first_visit_kb(client: Client, address: str) -> float:
    """The page and all that it loads, as a browser with an empty cache gets it: compressed where it is served so."""
    response = client.get(address, headers={"Accept-Encoding": "br, gzip"})
    html = response.content.decode(errors="ignore") if "Content-Encoding" not in response else ""
    html = html or client.get(address).content.decode()
    paths = set(re.findall(rf'(?:src|href)="{re.escape(settings.STATIC_URL)}([^"#]+)', html))
    size = len(response.content)
    for path in paths:
        name = re.sub(r"\.[0-9a-f]{12}(?=\.)", "", path)
        found = finders.find(name)
        if isinstance(found, str):
            with open(found, "rb") as file:  # noqa: PTH123
                size += len(brotli.compress(file.read()))
    return round(size / 1024, 1)


if __name__ == "__main__":
    main()
