"""What a step is told of its own item, behind the brief of the task."""

from collections.abc import Iterator

from taskboard.brevity import GAP, cut, section
from taskboard.models import Checkpoint

MOST_BYTES = 1024
MOST_ROWS = 10
TOLD = ("reason", "summary", "external_id", "text", "did")


def with_own_rows(brief: str, task_pk: int, item_key: str) -> str:
    """The brief and the newest journal rows of the item; the brief has left room for them."""
    rows = Checkpoint.objects.filter(task=task_pk, item_key=item_key).order_by("-ordinal")[:MOST_ROWS]
    own = section(f"This item ({item_key}), newest first", _lines(list(rows)))
    return f"{brief}{GAP}{cut(own, MOST_BYTES - len(GAP))}" if own else brief


def _lines(rows: list[Checkpoint]) -> Iterator[str]:
    for row in rows:
        told = [str(row.data[name]) for name in TOLD if row.data.get(name)]
        yield f"{row.ordinal} {row.step} {row.kind} {row.data.get('to', '')}: {', '.join(told)}".rstrip(": ")
