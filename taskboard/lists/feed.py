"""The feed over all tasks: the journal rows worth telling, newest first, by kind, person and task."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.http import QueryDict
from django.utils.translation import gettext_lazy
from django_stubs_ext import StrOrPromise

from taskboard.cleaning import clean_text
from taskboard.lists.paging import query_of
from taskboard.models import Checkpoint, Kind
from taskboard.models.checkpoint import CheckpointQuerySet
from taskboard.models.task import TaskQuerySet

PER_PAGE = 100
AT_ONCE = 200_000
"""At most this many journal rows are looked through for one page; where few match, a person asks for more."""
LONGEST = 150
GROUPS: Mapping[str, tuple[StrOrPromise, Sequence[Kind]]] = {
    "people": (gettext_lazy("What people did"), (Kind.PERSON, Kind.DECIDED, Kind.RESUME, Kind.COMMENT, Kind.NOTE)),
    "questions": (
        gettext_lazy("Questions"),
        (Kind.ASKED, Kind.DECIDED, Kind.WITHDRAWN, Kind.VOID, Kind.EXPIRED),
    ),
    "trouble": (gettext_lazy("Trouble"), (Kind.FAILURE, Kind.INTERRUPTED, Kind.UNKNOWN, Kind.RISK)),
    "tasks": (gettext_lazy("Turns of tasks"), (Kind.CREATED, Kind.IMPORTED, Kind.STATUS, Kind.BUDGET)),
}  # fmt: skip


@dataclass(frozen=True)
class Wish:
    """What of the feed is asked for."""

    kind: str = ""
    by: str = ""
    task: str = ""

    @classmethod
    def of(cls, query: QueryDict) -> "Wish":
        kind = query.get("kind", "")
        by, task = (clean_text(query.get(name, ""), LONGEST).strip() for name in ("by", "task"))
        return cls(kind if kind in GROUPS else "", by, task)

    @property
    def is_any(self) -> bool:
        return self == Wish()

    def query(self, **other: object) -> str:
        return query_of(kind=self.kind, by=self.by, task=self.task, **other)


@dataclass(frozen=True)
class Feed:
    """A page of the feed. `following` is where it goes on; `cut` says that more may be there, further back."""

    rows: list[Checkpoint]
    following: int | None
    cut: bool


def read(visible: TaskQuerySet, wish: Wish, before: int) -> Feed:
    rows = Checkpoint.objects.milestones().select_related("task").filter(task__in=visible)
    if wish.kind:
        rows = rows.filter(kind__in=GROUPS[wish.kind][1])
    if wish.by:
        rows = rows.filter(actor=wish.by)
    if before:
        rows = rows.filter(pk__lt=before)
    if wish.task:
        return _page(rows.filter(task__public_id=wish.task).order_by("-ordinal"), None)
    floor = (before or _end()) - AT_ONCE if wish.kind or wish.by else 0
    return _page(rows.filter(pk__gte=floor).order_by("-pk"), floor if floor > 1 else None)


def _page(rows: CheckpointQuerySet, floor: int | None) -> Feed:
    shown = list(rows[: PER_PAGE + 1])
    if len(shown) > PER_PAGE:
        return Feed(shown[:PER_PAGE], shown[PER_PAGE - 1].pk, cut=False)
    return Feed(shown, floor, cut=floor is not None)


def _end() -> int:
    newest = Checkpoint.objects.order_by("-pk").values_list("pk", flat=True).first()
    return (newest or 0) + 1
