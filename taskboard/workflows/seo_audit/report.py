"""The step `report`: what was found, done, refused and spent, as Markdown and as a table."""

import csv
import io
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from django.utils.translation import gettext as _

from taskboard import cells
from taskboard.context import Context, SettledItem
from taskboard.models import Step, StepStatus, Task
from taskboard.outcomes import Done, NewArtifact
from taskboard.workflows.seo_audit import phrases
from taskboard.workflows.seo_audit.findings import KINDS
from taskboard.workflows.seo_audit.models import SiteChange

COLUMNS = (
    "page",
    "status",
    "title",
    "impact",
    "findings",
    "ticket",
    "new_title",
    "new_description",
    "reason",
)
NOT_DONE = ("failed", "rejected", "blocked", "cancelled", "skipped")
SHOWN = 200


@dataclass
class Tally:
    """What is counted while the items stream by."""

    statuses: Counter[str] = field(default_factory=Counter)
    findings: Counter[str] = field(default_factory=Counter)
    tickets: int = 0
    not_done: dict[str, list[tuple[str, str]]] = field(default_factory=dict)


def write(ctx: Context) -> Done:
    """Both artifacts, from one pass over the items."""
    tally, table = Tally(), io.StringIO()
    changes = _changes(ctx.task_pk)
    rows = csv.writer(table)
    rows.writerow(COLUMNS)
    for item in ctx.items():
        _count(tally, item)
        rows.writerow(_row(item, changes.get(item.key, {})))
    text = "\n".join(_markdown(ctx, tally, changes)) + "\n"
    # A byte order mark: without it spreadsheets take UTF-8 for something else.
    content = table.getvalue().encode("utf-8-sig")
    pages = tally.statuses.total()
    return Done(
        summary=phrases.REPORT(count=pages),
        outputs={"pages": pages, "tickets": tally.tickets, "changed": len(changes)},
        artifacts=[
            NewArtifact("report.md", content=text.encode(), media_type="text/markdown"),
            NewArtifact("report.csv", content=content, media_type="text/csv"),
        ],
    )


def _row(item: SettledItem, change: dict[str, str]) -> list[object]:
    told = item.outputs.get("diagnose", {})
    texts = [
        "; ".join(finding["text"] for finding in told.get("findings", [])),
        item.outputs.get("create_ticket", {}).get("ticket", ""),
        change.get("title", ""), change.get("description", ""), item.reason,
    ]  # fmt: skip
    first = [item.key, item.status, told.get("title", "")]
    return [*map(_cell, first), told.get("impact", ""), *map(_cell, texts)]


def _cell(text: object) -> str:
    return cells.guarded(str(text))


def _count(tally: Tally, item: SettledItem) -> None:
    tally.statuses[item.status] += 1
    for finding in item.outputs.get("diagnose", {}).get("findings", []):
        tally.findings[finding["code"]] += 1
    tally.tickets += bool(item.outputs.get("create_ticket", {}).get("ticket"))
    if item.status in NOT_DONE:
        tally.not_done.setdefault(item.status, []).append((item.key, item.reason))


def _markdown(ctx: Context, tally: Tally, changes: dict[str, dict[str, str]]) -> Iterable[str]:
    yield f"# {_plain(ctx.goal)}"
    yield ""
    yield from _numbers(ctx, tally, len(changes))
    yield from _section(
        _("Findings"), [f"{_kind(code)}: {count}" for code, count in tally.findings.most_common()]
    )
    yield from _section(
        _("Changes in the working copy"), [_change(path, new) for path, new in changes.items()]
    )
    titles = {
        "rejected": _("Refused by a person"), "failed": _("Failed"), "blocked": _("Blocked"),
        "skipped": _("Skipped by a person"), "cancelled": _("Cancelled"),
    }  # fmt: skip
    for status, title in titles.items():
        lines = [f"`{_code(key)}`: {_plain(reason) or '–'}" for key, reason in tally.not_done.get(status, [])]
        yield from _section(title, lines)
    yield from _section(_("Steps of the whole task"), _whole_task(ctx))


def _numbers(ctx: Context, tally: Tally, changed: int) -> Iterable[str]:
    task = Task.objects.get(pk=ctx.task_pk)
    yield f"- {_('Task')}: {ctx.task_id}, {_('started by')} {_plain(ctx.started_by)}"
    yield f"- {_('Pages')}: {tally.statuses.total()}"
    for status, count in sorted(tally.statuses.items()):
        yield f"  - {status}: {count}"
    yield f"- {_('Tickets')}: {tally.tickets}"
    yield f"- {_('Pages changed in the working copy')}: {changed}"
    limit = f" {_('of')} {task.limit_usd} USD" if task.limit_usd is not None else ""
    yield f"- {_('Spent')}: {task.spent_usd} USD{limit}"


def _section(title: str, lines: Sequence[str]) -> Iterable[str]:
    if not lines:
        return
    yield ""
    yield f"## {title}"
    yield ""
    yield from (f"- {line}" for line in lines[:SHOWN])
    if len(lines) > SHOWN:
        yield "- " + _("and %(count)d more: see report.csv") % {"count": len(lines) - SHOWN}


def _kind(code: str) -> str:
    if code not in KINDS:
        return code
    severity, label = KINDS[code]
    return f"{label()} ({severity})"


def _change(path: str, new: dict[str, str]) -> str:
    return f"`{_code(path)}`: " + "; ".join(f"{name} → {_plain(text)}" for name, text in new.items())


def _whole_task(ctx: Context) -> list[str]:
    steps = Step.objects.filter(task_id=ctx.task_pk, item__key=ctx.item.key).exclude(name=ctx.step)
    return [
        f"{step.name}: {StepStatus(step.status).label}. {_plain(step.error or step.summary)}"
        for step in steps.exclude(status=StepStatus.SUPERSEDED)
    ]


def _changes(task_pk: int) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    rows = SiteChange.objects.filter(task_id=task_pk).order_by("path", "field")
    for path, name, text in rows.values_list("path", "field", "text"):
        found.setdefault(path, {})[name] = text
    return found


def _plain(text: str) -> str:
    """Text that Markdown shows as it is, on one line."""
    return "".join(f"\\{c}" if c in "\\`*_[]<>#|" else c for c in " ".join(text.split()))


def _code(text: str) -> str:
    return text.replace("`", "'")
