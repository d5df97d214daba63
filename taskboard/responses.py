"""Answers to a browser: a page or one part of it, a toast, a changed region, a download."""

from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from typing import Any

from asgiref.sync import sync_to_async
from django.contrib import messages
from django.core.handlers.asgi import ASGIRequest
from django.http import FileResponse, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.utils.http import content_disposition_header

LEVELS = {
    "success": messages.SUCCESS,
    "info": messages.INFO,
    "warning": messages.WARNING,
    "error": messages.ERROR,
}


def wants_part(request: HttpRequest) -> bool:
    """Whether htmx asks for a fragment; going back in the history asks for the whole page."""
    htmx = request.htmx  # type: ignore[attr-defined]
    return bool(htmx) and not htmx.history_restore_request


def page_or_part(
    request: HttpRequest, template: str, part: str, context: Mapping[str, Any], status: int = 200
) -> HttpResponse:
    """The whole page, or only its partial `part` where htmx asked on the same address."""
    name = f"{template}#{part}" if wants_part(request) else template
    return render(request, name, dict(context), status=status)


def region(target: str, html: str, swap: str = "innerMorph") -> str:
    """A piece of an answer that lands at `target`, wherever the answer itself goes."""
    return f'<hx-partial hx-target="{target}" hx-swap="{swap}">{html}</hx-partial>'


def toast(message: Any, level: str = "success") -> str:
    """A short sentence in the corner, as a region."""
    html = render_to_string("_toast.html", {"message": message, "level": level})
    return region("#toasts", html, "beforeend")


def done(
    request: HttpRequest, message: Any, back: str, *regions: str, level: str = "success"
) -> HttpResponse:
    """What an action answers: the changed regions and a toast, or without JavaScript the page `back`."""
    if request.htmx:  # type: ignore[attr-defined]
        return HttpResponse("".join([*regions, toast(message, level)]))
    messages.add_message(request, LEVELS[level], message)
    return redirect(back)


def download(
    request: HttpRequest, chunks: Iterable[Any], name: str, media_type: str
) -> StreamingHttpResponse:
    """A file that is made while it is sent."""
    response = StreamingHttpResponse(_fit(request, chunks), content_type=media_type)
    disposition = content_disposition_header(as_attachment=True, filename=name)
    response["Content-Disposition"] = disposition or "attachment"
    return response


def stored_file(request: HttpRequest, file: Any, name: str) -> StreamingHttpResponse:
    """A file of a storage. Always a download of no particular type: a stored page must not run as ours."""
    response = FileResponse(file, as_attachment=True, filename=name, content_type="application/octet-stream")
    if isinstance(request, ASGIRequest):
        response.streaming_content = _in_a_thread(iter(response.streaming_content))  # type: ignore[arg-type]
    return response


def _fit(request: HttpRequest, chunks: Iterable[Any]) -> Any:
    """Under ASGI a plain iterator would be read as a whole before the first byte is sent."""
    return _in_a_thread(iter(chunks)) if isinstance(request, ASGIRequest) else chunks


async def _in_a_thread(chunks: Iterator[Any]) -> AsyncIterator[Any]:
    while (chunk := await sync_to_async(_following)(chunks)) is not None:
        yield chunk


def _following(chunks: Iterator[Any]) -> Any:
    """None at the end: StopIteration cannot cross from a thread into a coroutine."""
    return next(chunks, None)
