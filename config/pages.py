"""Pages under ASGI, for an application whose views and middleware are all synchronous."""

from asgiref.sync import sync_to_async
from django.core.handlers.asgi import ASGIHandler
from django.http import FileResponse, HttpRequest
from django.http.response import HttpResponseBase


class Handler(ASGIHandler):
    """Middleware and view in one go in one thread. Django's own handler goes back to the event loop between the
    two, and a page that waits for the loop several times is slow as soon as the loop has a thousand streams."""

    def load_middleware(self, is_async: bool = False) -> None:
        super().load_middleware(is_async=False)

    async def run_get_response(self, request: HttpRequest) -> HttpResponseBase:
        response = await sync_to_async(self.get_response)(request)
        response._handler_class = self.__class__  # type: ignore[attr-defined]
        if isinstance(response, FileResponse):
            response.block_size = self.chunk_size
        return response
