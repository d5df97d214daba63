"""The data of a page for scripts: at its own address with `.json` at the end, or with `Accept: application/json`.
The fields are listed in docs/json.md; they come from functions of their own, never from what a template needs."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from functools import partial, wraps
from typing import Any

from django.core.serializers.json import DjangoJSONEncoder
from django.http import Http404, HttpRequest, JsonResponse
from django.http.response import HttpResponseBase
from django.urls import URLPattern, path
from django.utils import timezone
from django.utils.cache import patch_vary_headers
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from taskboard.errors import BadInput, Gone, NotAllowed, NotFound, TaskboardError
from taskboard.guards import for_scripts
from taskboard.rights import SEE

Data = Callable[..., Mapping[str, Any]]
View = Callable[..., HttpResponseBase]
STATUSES: Mapping[type[TaskboardError], int] = {NotAllowed: 403, NotFound: 404, Gone: 410, BadInput: 422}
READS = ("GET", "HEAD")


class Encoder(DjangoJSONEncoder):
    """Times with the offset of the reader's zone, amounts as text."""

    def default(self, value: Any) -> Any:
        if isinstance(value, datetime):
            return timezone.localtime(value).isoformat(timespec="seconds")
        return str(value) if isinstance(value, Decimal) else super().default(value)


def page(route: str, view: View, data: Data, name: str, *, sent: bool = False) -> list[URLPattern]:
    """The addresses of a page that scripts can read too. `sent`: it is a form that comes back to its address."""
    alone = f"{route.removesuffix('/') or 'tasks'}.json"
    both = either(view, data, (*READS, "POST") if sent else READS)
    return [*scripts(alone, data, f"{name}_json"), path(route, both, name=name)]


def scripts(route: str, data: Data, name: str) -> list[URLPattern]:
    """The address of data that no page of its own shows."""
    return [path(route, require_safe(for_scripts(partial(_answer, data))), name=name)]


def wants_json(request: HttpRequest) -> bool:
    if request.path.endswith(".json") or getattr(request, "by_token", False):
        return True
    preferred = request.get_preferred_type(["text/html", "application/json"])
    return preferred == "application/json" and not request.headers.get("HX-Request")


def either(view: View, data: Data, methods: Sequence[str] = READS) -> View:
    """One view for people and for scripts."""
    return _chosen(view, partial(_answer, data), methods)


def or_file(view: View, file: View) -> View:
    """A page whose data is a file that exists: people see the page, scripts get the file."""

    def sent(request: HttpRequest, **kwargs: Any) -> HttpResponseBase:
        return _refusal(request) or file(request, **kwargs)

    return _chosen(view, sent, READS)


def _chosen(view: View, for_script: View, methods: Sequence[str]) -> View:
    @require_http_methods(list(methods))
    @for_scripts
    @wraps(view)
    def answered(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        by_script = request.method in READS and wants_json(request)
        response = for_script(request, **kwargs) if by_script else view(request, *args, **kwargs)
        patch_vary_headers(response, ["Accept"])
        return response

    return answered


def _refusal(request: HttpRequest) -> JsonResponse | None:
    if not request.user.is_authenticated:
        return _told(401, _("Log in first, or send a token: Authorization: Bearer tb_…"))
    if not request.user.has_perm(SEE):
        return _told(403, _("You are in no group yet. Ask an administrator to add you to one."))
    return None


def _answer(data: Data, request: HttpRequest, **kwargs: Any) -> JsonResponse:
    if refused := _refusal(request):
        return refused
    try:
        found = data(request, **kwargs)
    except Http404:
        return _told(404, _("There is no such object, or you may not see it."))
    except tuple(STATUSES) as error:
        return _told(STATUSES[type(error)], error.message, **getattr(error, "facts", {}))
    return JsonResponse(found, encoder=Encoder, json_dumps_params={"ensure_ascii": False})


def _told(status: int, message: str, **facts: Any) -> JsonResponse:
    return JsonResponse({"error": message, **facts}, status=status, encoder=Encoder)
