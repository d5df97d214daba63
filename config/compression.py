"""Pages packed for the wire: brotli where the browser takes it (it does over HTTPS), gzip elsewhere.

Streams are left alone: a packed event is one that waits. The CSRF token is another one in every answer, so the
length of a packed page tells nothing about it.
"""

from collections.abc import Callable

import brotli
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import patch_vary_headers
from django.utils.text import compress_string

Handler = Callable[[HttpRequest], HttpResponseBase]
SMALLEST = 1000
QUALITY = 4
"""Two milliseconds for a page of 100 KB; more makes it slower than the wire."""
KINDS = ("text/html", "application/json")
RANDOM_BYTES = 100


class Compressed:
    """Packs what a view has made as a whole."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        if isinstance(response, HttpResponse) and _is_page(response):
            patch_vary_headers(response, ["Accept-Encoding"])
            _pack(response, request.headers.get("Accept-Encoding", ""))
        return response


def _is_page(response: HttpResponse) -> bool:
    kind = response.get("Content-Type", "").partition(";")[0]
    return kind in KINDS and "Content-Encoding" not in response and len(response.content) >= SMALLEST


def _pack(response: HttpResponse, accepted: str) -> None:
    codings = {part.partition(";")[0].strip() for part in accepted.split(",")}
    if "br" in codings:
        response.content = brotli.compress(response.content, quality=QUALITY)
        response["Content-Encoding"] = "br"
    elif "gzip" in codings:
        response.content = compress_string(response.content, max_random_bytes=RANDOM_BYTES)
        response["Content-Encoding"] = "gzip"
    if "Content-Encoding" in response:
        response["Content-Length"] = str(len(response.content))
