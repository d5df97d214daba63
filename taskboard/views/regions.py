"""What the watcher of live pages looks at: versions by one query, then the regions of what changed."""

import logging
from collections.abc import Callable, Mapping, Sequence
from zoneinfo import ZoneInfo

from django.contrib.auth.models import User
from django.db import Error, connections
from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils import timezone, translation

from taskboard import attention
from taskboard.live import Channel, Regions, Seen, Whole
from taskboard.models import BulkJob, Checkpoint, Item, Kind, Task
from taskboard.views import attention as attention_page
from taskboard.views import bulk, comments, item_parts, items, journal, listing, parts, steering, task_rows

log = logging.getLogger(__name__)

ASKS = (Kind.ASKED, Kind.DECIDED, Kind.WITHDRAWN, Kind.VOID, Kind.EXPIRED)
"""Journal rows after which somebody's number of open questions may differ."""
TURNS = (Kind.CREATED, Kind.IMPORTED, Kind.STATUS)
"""Journal rows after which a list of tasks may hold others."""
TROUBLE = (Kind.UNKNOWN, Kind.FAILURE, Kind.GO_BACK, Kind.PERSON, Kind.STATUS)
"""Journal rows after which another number of steps may need a person."""
TOLD_BY = {"badge": ASKS, "list": TURNS, "stuck": TROUBLE}
BADGE_AGE = 30
"""Seconds after which badges and lists are counted again even so: a person may have changed groups."""


def look(watched: Mapping[Channel, Seen | None]) -> dict[Channel, Seen]:
    """The channels that differ from what was seen last, rendered; holds no connection between two looks."""
    try:
        now = _versions(watched)
        stale = [c for c, seen in watched.items() if c in now and (seen is None or seen.version != now[c])]
        tasks = Task.objects.in_bulk({channel.task for channel in stale})
        return {channel: Seen(now[channel], _rendered(channel, tasks, watched[channel])) for channel in stale}
    finally:
        connections.close_all()


def _versions(watched: Mapping[Channel, Seen | None]) -> dict[Channel, object]:
    wanted = {channel.task for channel in watched if channel.task}
    tasks = dict(Task.objects.filter(pk__in=wanted).values_list("pk", "version"))
    found: dict[Channel, object] = {c: tasks.get(c.task) for c in watched if c.task}
    if actions := [channel for channel in watched if channel.kind == "bulk"]:
        jobs = BulkJob.objects.in_bulk([channel.rest for channel in actions])
        found |= {c: bulk.version(jobs[c.rest]) for c in actions if c.rest in jobs}
    for kind, rows in TOLD_BY.items():
        channels = [channel for channel in watched if channel.kind == kind]
        if channels:
            version = _told(next((s for c, s in watched.items() if s and c.kind == kind), None), rows)
            found |= dict.fromkeys(channels, version)
    pages = [channel for channel in watched if channel.kind == "attention"]
    return found | (dict.fromkeys(pages, attention.fingerprint(timezone.now())) if pages else {})


def _told(seen: Seen | None, kinds: Sequence[Kind]) -> tuple[int, int]:
    """The last journal row of these kinds, and the half minute; each begins at the newest row of any kind, so
    that no look goes far back."""
    last, then = seen.version if seen and isinstance(seen.version, tuple) else (0, 0)
    now = int(timezone.now().timestamp()) // BADGE_AGE
    newer = Checkpoint.objects.order_by("-pk").values_list("pk", flat=True)
    if then == now:
        newer = newer.filter(pk__gt=last, kind__in=kinds)
    return newer.first() or last, now


def _rendered(channel: Channel, tasks: Mapping[int, Task], before: Seen | None) -> Regions:
    """What cannot be shown, through a fault of ours, stays as it is until it changes again; the others go on."""
    try:
        return _regions(channel, tasks)
    except Error:  # the database: the next look may do better
        raise
    except Exception:
        log.exception("a live page could not be rendered", extra={"kind": channel.kind})
        return before.regions if before else {}


def _regions(channel: Channel, tasks: Mapping[int, Task]) -> Regions:
    with translation.override(channel.language), timezone.override(ZoneInfo(channel.zone)):
        if channel.task and channel.task not in tasks:
            return {"#state": render_to_string("taskboard/_purged.html")}
        return RENDERERS[channel.kind](channel, tasks)


def _task(channel: Channel, tasks: Mapping[int, Task]) -> Regions:
    task = tasks[channel.task]
    found = {f"#{name}": parts.html_of(task, name) for name in parts.PARTS}
    people = steering.live_html(task) | comments.live_html(task)
    return found | people | {"#refresh": parts.refresh_html(task)}


def _items(channel: Channel, tasks: Mapping[int, Task]) -> Regions:
    return items.live_html(tasks[channel.task], channel.text)


def _item(channel: Channel, tasks: Mapping[int, Task]) -> Regions:
    item = Item.objects.filter(task=channel.task, pk=channel.rest).first()
    return item_parts.all_html(tasks[channel.task], item) if item else {}


def _journal(channel: Channel, tasks: Mapping[int, Task]) -> Regions:
    return {"#journal-news": journal.news_html(tasks[channel.task], channel.rest)}


def _bulk(channel: Channel, tasks: Mapping[int, Task]) -> Regions:
    job = BulkJob.objects.select_related("task").filter(pk=channel.rest).first()
    return bulk.live_html(job) if job else {}


def _row(channel: Channel, tasks: Mapping[int, Task]) -> Regions:
    return {f"#task-{channel.task}": Whole(task_rows.row_html(tasks[channel.task]))}


def _list(channel: Channel, tasks: Mapping[int, Task]) -> Regions:
    return listing.news_html(channel.text)


def _badge(channel: Channel, tasks: Mapping[int, Task]) -> Regions:
    """The person's own number, counted by the context processor that every page has. Nothing for one who was
    removed meanwhile: the stream ends by itself, and all the others go on."""
    request, person = HttpRequest(), User.objects.filter(pk=channel.rest).first()
    if person is None:
        return {}
    request.user = person
    return {"#approvals-badge": Whole(render_to_string("_badge.html", {}, request))}


def _stuck(channel: Channel, tasks: Mapping[int, Task]) -> Regions:
    """The number in the navigation, the same for everybody."""
    html = render_to_string("_needs_badge.html", {"stuck_steps": attention.count()})
    return {"#attention-badge": Whole(html)}


def _attention(channel: Channel, tasks: Mapping[int, Task]) -> Regions:
    return {"#attention-news": attention_page.news_html(channel.text, timezone.now())}


RENDERERS: Mapping[str, Callable[[Channel, Mapping[int, Task]], Regions]] = {
    "task": _task, "items": _items, "item": _item, "bulk": _bulk, "journal": _journal, "row": _row,
    "list": _list, "badge": _badge, "stuck": _stuck, "attention": _attention,
}  # fmt: skip
