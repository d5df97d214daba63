"""What the watcher of live pages looks at: versions by one query, then the regions of what changed."""

from collections.abc import Callable, Mapping
from zoneinfo import ZoneInfo

from django.contrib.auth.models import User
from django.db import connections
from django.db.models import Max, QuerySet
from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils import timezone, translation

from taskboard.live import Channel, Regions, Seen, Whole
from taskboard.models import Checkpoint, Item, Kind, Task
from taskboard.views import item_parts, items, listing, parts

ASKS = (Kind.ASKED, Kind.DECIDED, Kind.WITHDRAWN, Kind.VOID, Kind.EXPIRED)
"""Journal rows after which somebody's number of open questions may differ."""
BADGE_AGE = 30
"""Seconds after which a badge is counted again even so: a person may have changed groups."""


def look(watched: Mapping[Channel, Seen | None]) -> dict[Channel, Seen]:
    """The channels that differ from what was seen last, rendered; holds no connection between two looks."""
    try:
        now = _versions(watched)
        stale = [c for c, seen in watched.items() if c in now and (seen is None or seen.version != now[c])]
        tasks = Task.objects.in_bulk({channel.task for channel in stale})
        return {channel: Seen(now[channel], _regions(channel, tasks)) for channel in stale}
    finally:
        connections.close_all()


def _versions(watched: Mapping[Channel, Seen | None]) -> dict[Channel, object]:
    wanted = {channel.task for channel in watched if channel.task}
    tasks = dict(Task.objects.filter(pk__in=wanted).values_list("pk", "version"))
    found: dict[Channel, object] = {c: tasks.get(c.task) for c in watched if c.task}
    if any(channel.kind == "new" for channel in watched):
        newest = Task.objects.aggregate(newest=Max("pk"))["newest"]
        found |= {c: newest for c in watched if c.kind == "new"}
    if any(channel.kind == "badge" for channel in watched):
        version = _badges(next((s for c, s in watched.items() if s and c.kind == "badge"), None))
        found |= {c: version for c in watched if c.kind == "badge"}
    return found


def _badges(seen: Seen | None) -> tuple[int, int]:
    """The last journal row that asked or answered something, and the half minute."""
    last = seen.version[0] if seen and isinstance(seen.version, tuple) else 0
    newer = Checkpoint.objects.filter(pk__gt=last, kind__in=ASKS).order_by("-pk") if last else _newest()
    return newer.values_list("pk", flat=True).first() or last, int(timezone.now().timestamp()) // BADGE_AGE


def _newest() -> QuerySet[Checkpoint]:
    return Checkpoint.objects.order_by("-pk")


def _regions(channel: Channel, tasks: Mapping[int, Task]) -> Regions:
    with translation.override(channel.language), timezone.override(ZoneInfo(channel.zone)):
        if channel.task and channel.task not in tasks:
            return {"#state": render_to_string("taskboard/_purged.html")}
        return RENDERERS[channel.kind](channel, tasks)


def _task(channel: Channel, tasks: Mapping[int, Task]) -> Regions:
    task = tasks[channel.task]
    found = {f"#{name}": parts.html_of(task, name) for name in parts.PARTS}
    return found | {"#refresh": parts.refresh_html(task)}


def _items(channel: Channel, tasks: Mapping[int, Task]) -> Regions:
    seen = items.window(tasks[channel.task], after=channel.rest)
    return {"#items": items.rows_html(seen), "#items-pager": items.pager_html(seen)}


def _item(channel: Channel, tasks: Mapping[int, Task]) -> Regions:
    item = Item.objects.filter(task=channel.task, pk=channel.rest).first()
    return item_parts.all_html(tasks[channel.task], item) if item else {}


def _row(channel: Channel, tasks: Mapping[int, Task]) -> Regions:
    return {f"#task-{channel.task}": Whole(listing.row_html(tasks[channel.task]))}


def _new(channel: Channel, tasks: Mapping[int, Task]) -> Regions:
    return {"#announce": listing.announcement(after=channel.rest)}


def _badge(channel: Channel, tasks: Mapping[int, Task]) -> Regions:
    """The person's own number, counted by the context processor that every page has."""
    request = HttpRequest()
    request.user = User.objects.get(pk=channel.rest)
    return {"#approvals-badge": Whole(render_to_string("_badge.html", {}, request))}


RENDERERS: Mapping[str, Callable[[Channel, Mapping[int, Task]], Regions]] = {
    "task": _task, "items": _items, "item": _item, "row": _row, "new": _new, "badge": _badge,
}  # fmt: skip
