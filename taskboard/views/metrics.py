"""The figures for Prometheus: for whoever has the token, asks from an allowed address, or administers."""

import secrets
from ipaddress import ip_address

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from prometheus_client.exposition import choose_encoder

from taskboard import metrics
from taskboard.rights import RETAIN

REFUSAL = "Not for you: set TASKBOARD_METRICS_TOKEN or TASKBOARD_METRICS_ADDRESSES, or log in as an administrator.\n"


@require_safe
@never_cache
def figures(request: HttpRequest) -> HttpResponse:
    if not (_has_token(request) or _is_near(request) or request.user.has_perm(RETAIN)):
        return HttpResponse(REFUSAL, status=403, content_type="text/plain; charset=utf-8")
    encode, media_type = choose_encoder(request.headers.get("Accept", ""))
    return HttpResponse(encode(metrics.registry()), content_type=media_type)


def _has_token(request: HttpRequest) -> bool:
    wanted: str = settings.TASKBOARD_METRICS_TOKEN
    given = request.headers.get("Authorization", "").removeprefix("Bearer ").strip()
    return bool(wanted) and secrets.compare_digest(given.encode(), wanted.encode())


def _is_near(request: HttpRequest) -> bool:
    """By the address that the server saw, or that a trusted proxy told it."""
    try:
        address = ip_address(request.META.get("REMOTE_ADDR", ""))
    except ValueError:
        return False
    return any(address in network for network in settings.TASKBOARD_METRICS_ADDRESSES)
