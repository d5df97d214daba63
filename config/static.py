"""Static files: hashed names for good caching, and WhiteNoise made fit for ASGI."""

from collections.abc import AsyncIterator, Iterable
from typing import Any

from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest, StreamingHttpResponse
from whitenoise.middleware import WhiteNoiseMiddleware
from whitenoise.storage import CompressedManifestStaticFilesStorage


class Storage(CompressedManifestStaticFilesStorage):  # type: ignore[misc]
    """Plain names until `collectstatic` has run, so that a fresh checkout and the tests work without it."""

    manifest_strict = False

    def stored_name(self, name: str) -> str:
        return str(super().stored_name(name)) if self.hashed_files else name


class Middleware(WhiteNoiseMiddleware):  # type: ignore[misc]
    @staticmethod
    def serve(static_file: Any, request: HttpRequest) -> StreamingHttpResponse:
        """Under ASGI a plain iterator would be read as a whole, with a warning per file."""
        response: StreamingHttpResponse = WhiteNoiseMiddleware.serve(static_file, request)
        if isinstance(request, ASGIRequest):
            response.streaming_content = _later(response.streaming_content)  # type: ignore[arg-type]
        return response


async def _later(chunks: Iterable[bytes]) -> AsyncIterator[bytes]:
    for chunk in chunks:
        yield chunk
