"""Pages of the site itself: health, and the two refusals that come before any view."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.cache import never_cache

HEADERS = ("Origin", "Host", "Referer", "X-Forwarded-Proto", "X-Forwarded-Host")
ADVICE = {
    "CSRF_TRUSTED_ORIGINS": _(
        "The address that your browser sent is not one that this server trusts. Ask whoever runs it to add"
        " that address to the setting CSRF_TRUSTED_ORIGINS, for example https://tasks.example.org, or to let"
        " the proxy hand on the header Host as it came."
    ),
    "SECURE_PROXY_SSL_HEADER": _(
        "The proxy in front of this server speaks https, but the server does not know. Ask whoever runs it"
        " to set SECURE_PROXY_SSL_HEADER to the header by which the proxy says so, often X-Forwarded-Proto."
    ),
    "Referrer-Policy": _(
        "Your browser sent the origin “null”. A proxy in front of this server probably adds the header"
        " Referrer-Policy: no-referrer; it must be same-origin."
    ),
    "": _(
        "The form was opened before you logged in or out, or cookies are switched off. Go back, load the page"
        " again and send it once more."
    ),
}


@never_cache
def healthz(request: HttpRequest) -> HttpResponse:
    """This process answers; it says nothing about the database or the workers."""
    return HttpResponse("ok\n", content_type="text/plain")


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Behind a proxy most refusals are a missing setting: say what arrived and which setting to change."""
    received = {name: request.headers.get(name, "–") for name in HEADERS} | {"scheme": request.scheme}
    settings = _settings(request, reason)
    advice = " ".join(str(ADVICE[setting]) for setting in settings or ("",))
    if not request.headers.get("HX-Request"):
        context = {"setting": ", ".join(settings), "advice": advice, "received": received, "reason": reason}
        return render(request, "403_csrf.html", context, status=403)
    facts = ", ".join(f"{name} {value}" for name, value in received.items() if value != "–")
    message = gettext("%(advice)s (Received: %(facts)s)") % {"advice": advice, "facts": facts}
    response = render(request, "_toast.html", {"message": message, "level": "error"}, status=403)
    response["HX-Retarget"], response["HX-Reswap"] = "#toasts", "beforeend"
    return response


def _settings(request: HttpRequest, reason: str) -> list[str]:
    """The settings that most likely cure it; none where none is to blame."""
    origin = request.headers.get("Origin", "")
    if origin == "null":
        return ["Referrer-Policy"]
    if not reason.startswith(("Origin checking", "Referer checking")):
        return []
    unknown = origin.startswith("https:") and not request.is_secure()
    if not (unknown and "X-Forwarded-Proto" in request.headers):
        return ["CSRF_TRUSTED_ORIGINS"]
    same_host = origin.partition("://")[2] == request.headers.get("Host", "")
    return ["SECURE_PROXY_SSL_HEADER"] if same_host else ["SECURE_PROXY_SSL_HEADER", "CSRF_TRUSTED_ORIGINS"]
