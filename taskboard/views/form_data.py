"""What scripts read of the pages that are forms: starting a task, one's profile and tokens; docs/json.md."""

from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.translation import gettext as _

from taskboard import registry, tokens
from taskboard.errors import NotFound
from taskboard.guards import person
from taskboard.models import ApiToken
from taskboard.rights import require
from taskboard.workflow import WorkflowSpec, find, registered

NEWEST = 100
Values = dict[str, Any]


def workflows(request: HttpRequest) -> Mapping[str, Any]:
    """What may be started."""
    require(person(request))
    return {"workflows": [_form(spec) for spec in registered()]}


def new_task(request: HttpRequest, workflow: str) -> Mapping[str, Any]:
    """What the form of one asks for."""
    require(person(request))
    if spec := find(workflow):
        return {**_form(spec), "parameters": [vars(one) for one in registry.parameters(spec)]}
    raise NotFound(_("There is no such workflow here. Choose one from the list."))


def profile(request: HttpRequest) -> Mapping[str, Any]:
    """Who reads, with which rights, in which language and zone."""
    user = person(request)
    return {
        "user": user.get_username(),
        "groups": sorted(user.groups.values_list("name", flat=True)),
        "language": translation.get_language(),
        "time_zone": timezone.get_current_timezone_name(),
    }


def of_tokens(request: HttpRequest) -> Mapping[str, Any]:
    """One's own, and for those who may end them, those of others; never what opens anything."""
    seen = tokens.visible_to(person(request)).select_related("user")
    return {"tokens": [_token(one) for one in seen[:NEWEST]]}


def _form(spec: WorkflowSpec) -> Values:
    return {
        "workflow": spec.name, "title": str(spec.title), "plan": [str(sentence) for sentence in spec.plan],
        "url": reverse("taskboard:new_task", args=[spec.name]),
    }  # fmt: skip


def _token(one: ApiToken) -> Values:
    return {
        "name": one.name, "user": one.user.get_username(), "beginning": one.beginning,
        "live": one.is_live(timezone.now()), "created_at": one.created_at, "expires_at": one.expires_at,
        "last_used_at": one.last_used_at, "revoked_at": one.revoked_at, "revoked_by": one.revoked_by_name,
    }  # fmt: skip
