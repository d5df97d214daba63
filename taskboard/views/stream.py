"""The one async view: server-sent events of what a page shows."""

import asyncio
import random
import signal
from collections.abc import AsyncIterator
from types import FrameType
from typing import Any

from asgiref.sync import sync_to_async
from django.contrib.auth import get_user
from django.db import connections
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.utils import timezone, translation
from django.views.decorators.http import require_GET

from taskboard import sessions
from taskboard.engine import presence
from taskboard.guards import SEE
from taskboard.live import Channel, Mailbox, Watcher
from taskboard.models import BulkJob, Item, Task
from taskboard.views.regions import look

HEARTBEAT = 10.0
CHECK_EVERY = 3
"""Heartbeats after which the session and the rights are looked at again."""
MOST_ROWS = 200
LONGEST = 4000
"""Characters of what a page says of its list."""

_watchers: dict[int, Watcher] = {}


@require_GET
async def stream(request: HttpRequest) -> HttpResponseBase:
    channels = await sync_to_async(_admitted)(request)
    if channels is None:
        return HttpResponse(status=401)
    watcher = _watcher()
    events = _events(watcher, watcher.join(channels), request)
    response = StreamingHttpResponse(events, content_type="text/event-stream")
    response["Cache-Control"] = "no-store"
    response["X-Accel-Buffering"] = "no"
    return response


async def _events(watcher: Watcher, box: Mailbox, request: HttpRequest) -> AsyncIterator[bytes]:
    """Until the reader leaves, the session ends or the process stops."""
    between = HEARTBEAT * CHECK_EVERY
    # After a restart all come at once; their checks should not.
    checked = asyncio.get_running_loop().time() - between * random.random()  # noqa: S311
    try:
        yield b": welcome\n\n"
        while not watcher.stopping:
            yield await box.take(HEARTBEAT) or b": still here\n\n"
            now = asyncio.get_running_loop().time()
            if now - checked >= between:
                checked = now
                if not await sync_to_async(_still_admitted)(request):
                    yield b"event: gone\ndata: session\n\n"
                    return
    finally:
        watcher.leave(box)


def _admitted(request: HttpRequest) -> list[Channel] | None:
    """What this person may watch of what the page asks for; a stream keeps no connection."""
    try:
        return _channels(request) if request.user.has_perm(SEE) else None
    finally:
        connections.close_all()


def _still_admitted(request: HttpRequest) -> bool:
    """Read anew: logged out, deactivated, password changed, or rights that fell."""
    try:
        asked = HttpRequest()
        asked.session = type(request.session)(request.session.session_key)
        user = get_user(asked)
        return user.has_perm(SEE) and not sessions.is_over(asked.session, sessions.turn_of(user.pk))
    finally:
        connections.close_all()


def _channels(request: HttpRequest) -> list[Channel]:
    audience = (translation.get_language() or "en", timezone.get_current_timezone_name())
    found = [Channel("badge", 0, request.user.pk or 0, *audience)]
    found.append(Channel("stuck", 0, 0, *audience))
    if "attention" in request.GET:
        found.append(Channel("attention", 0, 0, *audience, request.GET["attention"][:LONGEST]))
    visible = Task.objects.visible_to(request.user)
    if task := visible.filter(pk=_number(request, "task")).only("pk").first():
        found.append(Channel("task", task.pk, 0, *audience))
        found.append(Channel("items", task.pk, 0, *audience, request.GET.get("items", "")[:LONGEST]))
    if item := Item.objects.filter(pk=_number(request, "item"), task__in=visible).first():
        found.append(Channel("item", item.task_id, item.pk, *audience))
    if task := visible.filter(pk=_number(request, "journal")).only("pk").first():
        found.append(Channel("journal", task.pk, _number(request, "from"), *audience))
    if job := BulkJob.objects.filter(pk=_number(request, "bulk"), task__in=visible).first():
        found.append(Channel("bulk", job.task_id, job.pk, *audience))
    rows = [int(part) for part in request.GET.get("rows", "").split(",")[:MOST_ROWS] if _is_number(part)]
    shown = visible.filter(pk__in=rows).values_list("pk", flat=True)
    found += [Channel("row", pk, 0, *audience) for pk in shown]
    if "list" in request.GET:
        found.append(Channel("list", 0, 0, *audience, request.GET["list"][:LONGEST]))
    return found


def _number(request: HttpRequest, name: str) -> int:
    text = request.GET.get(name, "")
    return int(text) if _is_number(text) else 0


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 18


def _watcher() -> Watcher:
    """The one of this event loop; it ends all streams when the process is told to stop."""
    loop = asyncio.get_running_loop()
    if id(loop) not in _watchers:
        _watchers.clear()
        _watchers[id(loop)] = Watcher(look, presence.serves)
        _stop_with_the_process(_watchers[id(loop)], loop)
    return _watchers[id(loop)]


def _stop_with_the_process(watcher: Watcher, loop: asyncio.AbstractEventLoop) -> None:
    """A web server waits for open streams before it ends; so they hear of it at the same moment."""
    for number in (signal.SIGTERM, signal.SIGINT):
        before: Any = signal.getsignal(number)
        if not callable(before):
            continue

        def told(signum: int, frame: FrameType | None, before: Any = before) -> None:
            loop.call_soon_threadsafe(watcher.stop)
            before(signum, frame)

        try:
            signal.signal(number, told)
        except ValueError:  # not in the main thread: a test, or a server that has its own way
            return
