"""A task's rows as its document, streamed."""

import json
from collections.abc import Iterator, Sequence
from itertools import chain, groupby
from typing import Any

from django.db.models import Prefetch, QuerySet, Sum

from taskboard.document import form
from taskboard.document.form import Column, told
from taskboard.document.writing import Elements, Members, pieces
from taskboard.gates import gate
from taskboard.models import Artifact, Comment, Item, LedgerEntry, Risk, Step, Task
from taskboard.snapshot import snapshot

AT_ONCE = 500
_BARE = {"name", "version", "place", "created_at"}


def stream(task: Task) -> Iterator[str]:
    """The document in pieces of JSON text, all of one moment, in constant memory."""
    with snapshot():
        yield from pieces(members(Task.objects.select_related("continues").get(pk=task.pk)))


def of(task: Task) -> dict[str, Any]:
    """The whole document at once; for tasks that are not large."""
    document: dict[str, Any] = json.loads("".join(stream(task)))
    return document


def progress(task: Task) -> dict[str, int]:
    """The counters as the document has them: what is begun and not finished counts as pending."""
    counts: dict[str, int] = {}
    for status, number in task.item_counts.items():
        name = form.counted_as(status)
        counts[name] = counts.get(name, 0) + number
    always = {name: counts.get(name, 0) for name in form.COUNTED}
    return (
        {"total": task.total}
        | always
        | {name: counts[name] for name in form.COUNTED_IF_ANY if counts.get(name)}
    )


def members(task: Task) -> Iterator[tuple[str, Any]]:
    """The document member by member; long ones give their entries one by one."""
    yield "document", form.VERSION
    yield from told(task, form.HEAD).items()
    if task.continues:
        yield "continues", task.continues.public_id
    yield "progress", progress(task)
    yield "items", Members(_items(task))
    yield "approvals", gate().to_document(task)
    yield "artifacts", Members(_places(task))
    yield from _if_any("artifact_details", _artifacts(task))
    yield "budget", told(task, form.BUDGET)
    yield from _if_any("ledger", _ledger(task))
    yield from _if_any("risks", _notes(Risk.objects.filter(task=task).select_related("item"), form.RISK))
    yield from _if_any("instructions", (told(row, form.INSTRUCTION) for row in _all(task.instructions.all())))
    yield from _if_any("comments", _comments(task))
    if retention := told(task, form.RETENTION):
        yield "retention", retention
    yield from told(task, form.TAIL).items()


def _if_any(key: str, values: Iterator[Any]) -> Iterator[tuple[str, Elements]]:
    """A list that is left out when it is empty."""
    for first in values:
        yield key, Elements(chain([first], values))


def _all(rows: "QuerySet[Any]") -> Iterator[Any]:
    return rows.iterator(chunk_size=AT_ONCE)


def _items(task: Task) -> Iterator[tuple[str, dict[str, Any]]]:
    steps = Prefetch("steps", Step.objects.select_related("effect").order_by("id"))
    for item in _all(Item.objects.filter(task=task).order_by("position").prefetch_related(steps)):
        entry = told(item, form.ITEM)
        if item.updated_at != task.updated_at:
            entry["updated_at"] = form.instant(item.updated_at)
        yield item.key, entry | {"steps": _steps(list(item.steps.all()))}


def _steps(steps: Sequence[Step]) -> dict[str, Any]:
    by_name: dict[str, list[Step]] = {}
    for step in steps:
        by_name.setdefault(step.name, []).append(step)
    return {name: _revisions(sorted(rows, key=lambda step: step.revision)) for name, rows in by_name.items()}


def _revisions(rows: Sequence[Step]) -> dict[str, Any]:
    """The newest revision; those that it replaced stand inside it."""
    *earlier, newest = [_step(row) for row in rows]
    return newest | {"earlier": earlier} if earlier else newest


def _step(step: Step) -> dict[str, Any]:
    effect = getattr(step, "effect", None)
    return told(step, form.STEP) | ({"effect_key": effect.key} if effect else {})


def _places(task: Task) -> Iterator[tuple[str, str]]:
    rows = _all(Artifact.objects.filter(task=task).order_by("name", "version"))
    for name, versions in groupby(rows, key=lambda artifact: artifact.name):
        *_earlier, newest = versions
        yield name, newest.place


def _artifacts(task: Task) -> Iterator[dict[str, Any]]:
    """All versions with what is to be said of them, unless names and places say it all."""
    rows = Artifact.objects.filter(task=task).select_related("item").order_by("id")
    if any(_says_more(entry, task) for entry in _notes(rows, form.ARTIFACT)):
        yield from _notes(rows, form.ARTIFACT)


def _says_more(entry: dict[str, Any], task: Task) -> bool:
    return bool(
        set(entry) - _BARE or entry["version"] > 1 or entry["created_at"] != form.instant(task.updated_at)
    )


def _notes(rows: "QuerySet[Any]", columns: Sequence[Column]) -> Iterator[dict[str, Any]]:
    """Rows that may belong to an item."""
    for row in _all(rows):
        yield told(row, columns) | ({"item": row.item.key} if row.item else {})


def _comments(task: Task) -> Iterator[dict[str, Any]]:
    """Of one that was taken back only that it was there, without its words."""
    rows = Comment.objects.filter(task=task).select_related("item").order_by("id")
    for entry in _notes(rows, form.COMMENT):
        yield {key: value for key, value in entry.items() if key != "text" or "withdrawn_at" not in entry}


def _ledger(task: Task) -> Iterator[dict[str, Any]]:
    """Sums per step and model; left out where the amount spent says it all."""
    names = ("step", "model", "estimated")
    sums = {name: Sum(name) for name in ("amount_micro", "calls", "tokens_in", "tokens_out", "seconds")}
    groups = list(LedgerEntry.objects.filter(task=task).order_by(*names).values(*names).annotate(**sums))
    entries = [_sum(group) for group in groups if any(group[name] for name in sums)]
    return iter(entries if any(set(entry) - {"usd"} for entry in entries) else [])


def _sum(group: dict[str, Any]) -> dict[str, Any]:
    return {c.key: c.write(group[c.name]) for c in form.LEDGER if group[c.name] != c.default}
