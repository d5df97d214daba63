"""State documents for tests: the example of the docs, variations of it, and generated ones."""

import json
from contextlib import suppress
from copy import deepcopy
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

from django.db import transaction
from hypothesis import strategies as st

from taskboard import document
from taskboard.models import ItemStatus, StepStatus, Task, TaskStatus
from taskboard.models.task import SETTLED_ITEMS

EXAMPLE = Path(__file__).parents[1] / "docs" / "state-example.json"
_example = json.loads(EXAMPLE.read_text("utf-8"))


def example(**changes: Any) -> dict[str, Any]:
    """The example of the docs; `budget__spent_usd=8` changes what lies deeper."""
    changed = deepcopy(_example)
    for path, value in changes.items():
        *way, last = path.split("__")
        place = changed
        for key in way:
            place = place[key]
        place[last] = value
    return changed


def load(value: Any, actor: str = "ops") -> Task:
    return document.load(json.dumps(value).encode(), actor)


class _Undo(Exception):
    pass


def taken_through(value: Any) -> dict[str, Any]:
    """The export of the import; nothing of it stays."""
    with suppress(_Undo), transaction.atomic():
        exported = document.of(load(value))
        raise _Undo
    return exported


def without_times(value: Any) -> Any:
    """Times as instants and numbers as floats, so that only their meaning is compared."""
    if isinstance(value, dict):
        return {key: without_times(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [without_times(inner) for inner in value]
    if isinstance(value, str):
        with suppress(ValueError):
            return datetime.fromisoformat(value).timestamp()
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else value


# --- Generated documents

words = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=30)
names = st.from_regex(r"[a-z]{1,8}", fullmatch=True)
zones = st.integers(-14, 14).map(lambda hours: timezone(timedelta(hours=hours)))
SPAN = (datetime(2000, 1, 1), datetime(2100, 1, 1))  # noqa: DTZ001 hypothesis adds the zone
times = st.datetimes(*SPAN, timezones=zones | st.just(UTC)).map(datetime.isoformat)
usd = st.integers(0, 10**12).map(lambda micro: micro / 1_000_000)
small = st.integers(0, 1000)
values = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | words,
    lambda inner: st.lists(inner, max_size=3),
)
objects = st.dictionaries(words, values, max_size=3)
REVISION = {
    "result": words, "outputs": objects, "external_id": words, "error": words, "error_class": words,
    "action": objects, "due_at": times, "started_at": times, "executed_at": times, "verified_at": times,
    "verified_how": words, "finished_at": times, "checked_at": times, "attempt": small, "failures": small,
    "deaths": small, "cost_usd": usd,
}  # fmt: skip


def _statuses(of: type[Any]) -> "st.SearchStrategy[str]":
    return st.sampled_from([status.value for status in of])


steps = st.fixed_dictionaries({"status": _statuses(StepStatus)}, optional=REVISION)
earlier = st.fixed_dictionaries({"status": st.just("superseded"), "revision": st.just(1)}, optional=REVISION)
gone_back = st.builds(lambda step, first: step | {"revision": 2, "earlier": [first]}, steps, earlier)
items = st.fixed_dictionaries(
    {"stage": names, "steps": st.dictionaries(names, steps | gone_back, max_size=3)},
    optional={
        "status": _statuses(ItemStatus),
        "label": words,
        "params": objects,
        "go_backs": small,
        "updated_at": times,
    },
)
risks = st.fixed_dictionaries(
    {
        "text": words,
        "severity": st.sampled_from(["low", "medium", "high"]),
        "raised_by": words,
        "raised_at": times,
    },
    optional={"closed_by": words, "closed_at": times, "closed_why": words},
)
instructions = st.fixed_dictionaries(
    {"text": words, "added_by": words, "added_at": times},
    optional={"taken_up_at": times, "taken_up_by": words},
)
sayings = words.filter(lambda text: bool(text.strip()))
comments = st.fixed_dictionaries({"text": sayings, "author": words, "at": times}) | st.fixed_dictionaries(
    {"author": words, "at": times, "withdrawn_at": times}
)
details = st.fixed_dictionaries(
    {"place": words, "created_at": times},
    optional={"step": names, "media_type": names, "size": small, "sha256": names},
)
budgets = st.fixed_dictionaries(
    {"limit_usd": usd | st.none(), "spent_usd": usd}, optional={"out_of_budget": st.booleans()}
)
retentions = st.fixed_dictionaries(
    {},
    optional={"keep_for_seconds": small, "expires_at": times, "on_hold": st.booleans(), "hold_reason": words},
)
documents = st.fixed_dictionaries(
    {
        "task_id": st.from_regex(r"task_2026091[0-9]_[0-9]{4}", fullmatch=True), "goal": words,
        "status": _statuses(TaskStatus), "created_by": words, "created_at": times, "updated_at": times,
        "plan": st.lists(words, max_size=3), "items": st.dictionaries(names, items, max_size=4),
        "artifacts": st.dictionaries(names, words, max_size=2), "approvals": st.just([]),
        "last_checkpoint": words, "budget": budgets,
    },
    optional={
        "reason": words, "started_at": times, "finished_at": times, "last_completed_at": times,
        "workflow": names,
        "workflow_version": names, "params": objects, "stop_after": objects, "restart_count": small,
        "items_read": st.booleans(), "says": words, "brief_note": words, "brief": words,
        "risks": st.lists(risks, max_size=2), "instructions": st.lists(instructions, max_size=2),
        "comments": st.lists(comments, max_size=2), "retention": retentions,
    },
)  # fmt: skip


@st.composite
def consistent(draw: st.DrawFn) -> dict[str, Any]:
    """A document whose counters, keys and versions agree with each other."""
    made = draw(documents)
    extra = draw(
        st.dictionaries(st.sampled_from([s.value for s in SETTLED_ITEMS] + ["pending"]), small, max_size=3)
    )
    counts = dict.fromkeys(("done", "failed", "waiting_approval", "pending"), 0) | extra
    for key, item in made["items"].items():
        item.setdefault("status", draw(_statuses(ItemStatus)))
        status = "pending" if item["status"] == "running" else item["status"]
        counts[status] = counts.get(status, 0) + 1
        for name, step in item["steps"].items():
            step["idempotency_key"] = f"{made['task_id']}:{key}:{name}"
    named = {
        name: entry | {"name": name, "version": 2}
        for name, entry in draw(st.dictionaries(names, details, max_size=2)).items()
    }
    if named:
        made["artifact_details"] = list(named.values())
        made["artifacts"] |= {name: entry["place"] for name, entry in named.items()}
    return made | {"progress": counts | {"total": sum(counts.values())}}
