"""Every address there is, taken from the lists of addresses, with a row for each id that one of them holds."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.base_user import AbstractBaseUser
from django.urls import URLPattern, URLResolver, get_resolver, reverse
from django.utils import timezone

from approvals.models import Absence, Approval, BulkDecision
from taskboard.models import (
    ApiToken,
    Artifact,
    BulkJob,
    Comment,
    HoldRule,
    Instruction,
    Item,
    PurgePlan,
    PurgeRecord,
    Risk,
    Step,
    StepStatus,
    Task,
)
from tests.factories import NOW, make_approval, make_item, make_step, make_task
from tests.retention_rows import make_full_task

ELSEWHERE = "admin/"
"""The Django admin has its own lists and tests."""


@dataclass(frozen=True)
class Address:
    """A name with its namespace, and the names of what it holds."""

    name: str
    route: str
    holds: tuple[str, ...]


def addresses() -> list[Address]:
    return list(_walk(get_resolver(), "", ""))


def finished(response: Any) -> Any:
    """Read to its end, as a browser does. (Closing it would close the connection of the test.)"""
    if response.streaming and not response.is_async:
        for _chunk in response.streaming_content:
            pass
    return response


def _walk(resolver: URLResolver, namespace: str, before: str) -> Iterator[Address]:
    for one in resolver.url_patterns:
        route = before + str(one.pattern)
        if route.startswith(ELSEWHERE):
            continue
        if isinstance(one, URLPattern):
            yield Address(f"{namespace}{one.name or route}", route, tuple(one.pattern.converters))
        else:
            yield from _walk(one, f"{namespace}{one.namespace}:" if one.namespace else namespace, route)


@dataclass
class Rows:
    """A task with all that an address may name, and what belongs to no task."""

    task: Task
    item: Item
    step: Step
    numbers: dict[str, int]

    def values(self, address: Address) -> dict[str, Any]:
        """What the address holds, as it is in these rows."""
        known: dict[str, Any] = {
            "public_id": self.task.public_id, "workflow": "seo-audit", "key": self.item.key, "step": self.step.name,
            "name": "summary", "system": "tracker", "number": self.numbers["artifact"], "pk": self._pk(address.name),
        }  # fmt: skip
        if address.name == "taskboard:change_keeping_time":
            known["name"] = "seo-audit"
        missing = set(address.holds) - set(known)
        assert not missing, f"Tell tests/addresses.py an example of {missing} for {address.name}."
        return {name: known[name] for name in address.holds}

    def url(self, address: Address, **other: Any) -> str:
        if not address.holds:
            return "/" + address.route if ":" not in address.name else reverse(address.name)
        return reverse(address.name, kwargs={**self.values(address), **other})

    def _pk(self, name: str) -> int:
        words = (
            ("approvals:bulk", "decision"), ("approvals:sample", "decision"), ("approvals:end_absence", "absence"),
            ("approvals:", "approval"), ("taskboard:bulk", "job"), ("taskboard:revoke_token", "token"),
            ("taskboard:end_hold", "rule"), ("taskboard:archive", "record"), ("taskboard:purge", "plan"),
        )  # fmt: skip
        return next((self.numbers[kind] for begins, kind in words if name.startswith(begins)), 0)


def make_rows(person: AbstractBaseUser) -> Rows:
    """Everything belongs to a task of its own, so that two of them can be mixed."""
    full = make_full_task(items=1, workflow="seo-audit")
    full_approval = Approval.objects.filter(task=full).latest("pk")
    task = make_task(workflow="seo-audit")
    key = f"pages/{task.public_id}.html"
    item = make_item(task, key, status="blocked")
    step = make_step(
        item, "diagnose", status=StepStatus.UNKNOWN, idempotency_key=f"{task.public_id}:{key}:diagnose"
    )
    now = timezone.now()
    rows: dict[str, Any] = {
        "job": BulkJob.objects.create(task=task, action="retry", by=person, by_name="x", created_at=now, total=1),
        "artifact": Artifact.objects.create(
            task=task, item=item, name="report.md", place=f"results/{task.public_id}/r.md", managed=True, created_at=NOW
        ),
        "comment": Comment.objects.create(task=task, item=item, author=person, author_name="x", text="Seen", at=now),
        "instruction": Instruction.objects.create(task=task, position=1, text="Slower", added_by="x", added_at=now),
        "risk": Risk.objects.create(task=task, text="It may rain", raised_by="x", raised_at=now),
        "approval": make_approval(),
        "decision": BulkDecision.objects.latest("pk"),
        "absence": Absence.objects.create(user=person, substitute=person, since=now, until=now, set_by_name="x"),
        "token": ApiToken.objects.create(
            user=person, name=key, beginning="x", digest=key, created_at=now, expires_at=now
        ),
        "rule": HoldRule.objects.create(search="page", time_zone="UTC", reason="x", owner_name="x", created_at=now),
        "plan": PurgePlan.objects.create(by=person, by_name="x", created_at=now),
        "record": PurgeRecord.objects.create(
            public_id=f"{task.public_id}p", workflow="x", created_by_name="x", created_at=now, finished_at=now,
            purged_at=now, purged_by="x", archive="no/such.json.gz",
        ),
    }  # fmt: skip
    assert full_approval.pk
    return Rows(task, item, step, {kind: row.pk for kind, row in rows.items()})
