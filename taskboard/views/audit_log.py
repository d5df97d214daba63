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
from taskboard.lists import audit_log, export
from taskboard.lists.audit_log import Wish
from taskboard.models import AuditEntry, PurgePlan, Task
from taskboard.numbers import whole
from taskboard.responses import download, page_or_part
from taskboard.views import audit_words
from taskboard.views.pages import number

SEE_AUDIT = "taskboard.view_auditentry"
NAMELESS = ("installation",)
"""Kinds whose name is a mark that tells people nothing."""
IN_ADMIN = {"user": "admin:auth_user_change", "group": "admin:auth_group_change"}


@dataclass(frozen=True)
class Line:
    """An entry as the page shows it: `changes` are (name, as it was, as it is), without what the row says elsewhere.
    What has no name of its own is named by its kind alone."""

    entry: AuditEntry
    act: str
    kind: str
    target: str
    url: str
    changes: list[tuple[str, str, str]]


@require_GET
@may(SEE_AUDIT)
def page(request: HttpRequest) -> HttpResponse:
    wish, before = Wish.of(request.GET), number(request, "before")
    shown = audit_log.page(wish, before)
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
    shown = audit_log.page(wish, number(request, "before"))
    following = reverse("taskboard:audit_json") + wish.query(before=shown.following)
    return {
        "rows": [audit.as_json(entry) for entry in shown.rows],
        "next": following if shown.following else None,
    }


@require_GET
@may(SEE_AUDIT)
def sheet(request: HttpRequest) -> HttpResponseBase:
    rows = audit_log.entries(Wish.of(request.GET))
    return download(request, audit_log.csv(rows), "audit.csv", export.MEDIA_TYPE)


@require_GET
@may(SEE_AUDIT)
def file(request: HttpRequest) -> HttpResponseBase:
    rows = audit_log.entries(Wish.of(request.GET))
    return download(request, audit_log.lines(rows), "audit.jsonl", "application/x-ndjson")


def _lines(rows: Iterable[AuditEntry]) -> list[Line]:
    rows = list(rows)
    there = _there(rows)
    return [_line(entry, there) for entry in rows]


def _there(rows: Iterable[AuditEntry]) -> set[str]:
    """The tasks and purges among the targets that are still there, by the text that names them."""
    named: dict[str, set[str]] = {"task": set(), "purgeplan": set()}
    for entry in rows:
        named.get(entry.target_kind, set()).add(entry.target)
    plans = filter(None, map(whole, named["purgeplan"]))
    tasks = Task.objects.filter(public_id__in=named["task"]).values_list("public_id", flat=True)
    return {*tasks, *map(str, PurgePlan.objects.filter(pk__in=plans).values_list("pk", flat=True))}


def _line(entry: AuditEntry, there: set[str]) -> Line:
    act = str(audit.ACTIONS.get(entry.action, entry.action))
    kind = str(audit.KINDS.get(entry.target_kind, entry.target_kind))
    said = {"", entry.reason, entry.target}
    told = audit_words.changes(entry.target_kind, entry.before, entry.after)
    changes = [(name, was, now) for name, was, now in told if not {was, now} <= said]
    target = "" if entry.target_kind in NAMELESS else entry.target
    return Line(entry, act, kind, target, _url(entry, there), changes)


def _url(entry: AuditEntry, there: set[str]) -> str:
    """Where the target can be looked at, if it is still there."""
    if entry.target_kind == "task":
        return reverse("taskboard:task", args=[entry.target]) if entry.target in there else ""
    if entry.target_kind == "purgeplan":
        return reverse("taskboard:purge_plan", args=[entry.target]) if entry.target in there else ""
    name = IN_ADMIN.get(entry.target_kind)
    return reverse(name, args=[entry.target_id]) if name and entry.target_id else ""


def _choices(words: Mapping[str, Any], chosen: str) -> list[tuple[str, str, bool]]:
    known = sorted(((name, str(word)) for name, word in words.items()), key=lambda one: one[1])
    if chosen and chosen not in words:
        known.append((chosen, chosen))
    return [(name, word, name == chosen) for name, word in known]
