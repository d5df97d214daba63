"""A person's tokens for scripts; administrators see and revoke those of others too."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from taskboard import tokens
from taskboard.errors import BadInput
from taskboard.forms import TokenForm, add_fault
from taskboard.guards import may, person
from taskboard.models import ApiToken
from taskboard.responses import done

NEWEST = 100


@require_http_methods(["GET", "POST"])
@may()
def page(request: HttpRequest) -> HttpResponse:
    """The list and the form; a token that was just made is in this one answer and never again."""
    form = TokenForm(request.POST or None)
    if not form.is_valid():
        return _page(request, form, status=422 if form.is_bound else 200)
    try:
        new, text = tokens.make(person(request), form.cleaned_data["name"], form.cleaned_data["last_day"])
    except BadInput as fault:
        add_fault(form, fault)
        return _page(request, form, status=422)
    return _page(request, TokenForm(), new=new, text=text)


@require_POST
@may()
def revoke(request: HttpRequest, pk: int) -> HttpResponse:
    ended = tokens.revoke(pk, person(request))
    message = _("Revoked. A script that still sends “%(name)s” is refused from now on.") % {
        "name": ended.name
    }
    return done(request, message, reverse("taskboard:tokens"))


def _page(request: HttpRequest, form: TokenForm, status: int = 200, **made: Any) -> HttpResponse:
    user, now = person(request), timezone.now()
    seen = tokens.visible_to(user).select_related("user")
    others = seen.exclude(user=user).filter(revoked_at=None, expires_at__gt=now)[:NEWEST]
    example = request.build_absolute_uri(reverse("taskboard:tasks_json"))
    own = [_row(token, now) for token in seen.filter(user=user)[:NEWEST]]
    context = {"form": form, "own": own, "others": others, "example": example, **made}
    return render(request, "taskboard/tokens.html", context, status=status)


def _row(token: ApiToken, now: Any) -> dict[str, Any]:
    return {"token": token, "live": token.is_live(now)}
