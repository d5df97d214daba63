"""What a workflow makes of the keys that people name: items with their parameters and rows of their own."""

import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from taskboard import workflow
from taskboard.engine.read import ReadingSource
from taskboard.models import Item, Task
from taskboard.outcomes import NewItem

AT_ONCE = 500


def made(task: Task, by_key: Mapping[str, NewItem]) -> Iterator[NewItem]:
    """The items as the workflow's method `named` completes them, where it has one; what is known already is
    not asked for. Raises BadInput if the workflow knows no such item."""
    spec = workflow.find(task.workflow)
    named = getattr(spec.owner, "named", None) if spec else None
    if named is None:
        yield from by_key.values()
        return
    there = known(task, list(by_key))
    asked = [item for key, item in by_key.items() if key not in there]
    answers = named(ReadingSource(task, threading.Event()), [item.key for item in asked])
    for item, answer in zip(asked, answers, strict=True):
        yield _both(item, answer)
    yield from (by_key[key] for key in there)


def known(task: Task, keys: Sequence[str]) -> set[str]:
    """Those of the keys that the task has already."""
    found: set[str] = set()
    for start in range(0, len(keys), AT_ONCE):
        there = Item.objects.filter(task=task, key__in=keys[start : start + AT_ONCE])
        found.update(there.values_list("key", flat=True))
    return found


def _both(given: NewItem, answer: NewItem) -> NewItem:
    """What a person wrote beside the key stays, unless the workflow says it itself."""
    return replace(
        answer, label=given.label or answer.label, params={**given.params, **answer.params},
    )  # fmt: skip


def rows_of(items: Iterable[NewItem]) -> list[object]:
    return [row for item in items for row in item.rows]
