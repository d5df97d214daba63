"""The audit log for administrators: page, data, sheet, JSON Lines."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

from taskboard import audit
from taskboard.errors import NotAllowed
from taskboard.guards import may
from taskboard.lists import audited, export
from taskboard.lists.audited import Wish
from taskboard.models import AuditEntry, Task
from taskboard.responses import download, page_or_part
from taskboard.views.pages import number

SEE_AUDIT = "taskboard.view_auditentry"
IN_ADMIN = {"user": "admin:auth_user_change", "group": "admin:auth_group_change"}


@dataclass(frozen=True)
class Line:
    """An entry as the page shows it: `changes` are (name, as it was, as it is)."""

    entry: AuditEntry
    act: str
    kind: str
    url: str
    changes: list[tuple[str, str, str]]


@require_GET
@may(SEE_AUDIT)
def page(request: HttpRequest) -> HttpResponse:
    wish, before = Wish.of(request.GET), number(request, "before")
    shown = audited.page(wish, before)
    context = {
        "wish": wish,
        "acts": _choices(audit.ACTIONS, wish.act),
        "kinds": _choices(audit.KINDS, wish.kind),
        "lines": _lines(shown.rows),
        "cut": shown.cut,
        "older_url": wish.query(before=shown.following) if shown.following else "",
        "newer_url": wish.query() or "?" if before else "",
    }
    return page_or_part(request, "taskboard/audit.html", "list", context)


def data(request: HttpRequest) -> Mapping[str, Any]:
    if not request.user.has_perm(SEE_AUDIT):
        raise NotAllowed(_("Only administrators may read the audit log."))
    wish = Wish.of(request.GET)
    shown = audited.page(wish, number(request, "before"))
    following = reverse("taskboard:audit_json") + wish.query(before=shown.following)
    return {
        "rows": [audit.as_json(entry) for entry in shown.rows],
        "next": following if shown.following else None,
    }


@require_GET
@may(SEE_AUDIT)
def sheet(request: HttpRequest) -> HttpResponseBase:
    rows = audited.entries(Wish.of(request.GET))
    return download(request, audited.csv(rows), "audit.csv", export.MEDIA_TYPE)


@require_GET
@may(SEE_AUDIT)
def file(request: HttpRequest) -> HttpResponseBase:
    rows = audited.entries(Wish.of(request.GET))
    return download(request, audited.lines(rows), "audit.jsonl", "application/x-ndjson")


def _lines(rows: Iterable[AuditEntry]) -> list[Line]:
    rows = list(rows)
    named = {entry.target for entry in rows if entry.target_kind == "task"}
    there = set(Task.objects.filter(public_id__in=named).values_list("public_id", flat=True))
    return [_line(entry, there) for entry in rows]


def _line(entry: AuditEntry, there: set[str]) -> Line:
    act = str(audit.ACTIONS.get(entry.action, entry.action))
    kind = str(audit.KINDS.get(entry.target_kind, entry.target_kind))
    return Line(entry, act, kind, _url(entry, there), _changes(entry))


def _url(entry: AuditEntry, there: set[str]) -> str:
    """Where the target can be looked at, if it is still there."""
    if entry.target_kind == "task":
        return reverse("taskboard:task", args=[entry.target]) if entry.target in there else ""
    name = IN_ADMIN.get(entry.target_kind)
    return reverse(name, args=[entry.target_id]) if name and entry.target_id else ""


def _changes(entry: AuditEntry) -> list[tuple[str, str, str]]:
    before, after = (value if isinstance(value, dict) else {} for value in (entry.before, entry.after))
    names = dict.fromkeys([*before, *after])
    return [(name, _text(before.get(name)), _text(after.get(name))) for name in names]


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    if isinstance(value, list):
        return ", ".join(map(_text, value))
    return "" if value is None else str(value)


def _choices(words: Mapping[str, Any], chosen: str) -> list[tuple[str, str, bool]]:
    known = sorted(((name, str(word)) for name, word in words.items()), key=lambda one: one[1])
    if chosen and chosen not in words:
        known.append((chosen, chosen))
    return [(name, word, name == chosen) for name, word in known]
