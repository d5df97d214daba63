"""Which column of which row stands under which key of the document: one table, read in both directions."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from taskboard.money import to_micro, to_usd

VERSION = 1
ALWAYS = object()
"""A default that no value equals: the key is always written, and was required when it is read."""


def same(value: Any) -> Any:
    return value


def usd(micro: int) -> int | float:
    """A JSON number; its shortest form is exact to the micro-USD."""
    amount = to_usd(micro)
    return int(amount) if amount == int(amount) else float(amount)


def instant(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat()


def moment(text: str) -> datetime:
    return datetime.fromisoformat(text).astimezone(UTC)


def _length(seconds: float) -> timedelta:
    return timedelta(seconds=seconds)


@dataclass(frozen=True)
class Column:
    """A key of the document, the column it stands for, and the value that is not worth writing."""

    key: str
    name: str
    default: Any
    write: Callable[[Any], Any] = same
    read: Callable[[Any], Any] = same


def plain(key: str, default: Any = "", name: str = "") -> Column:
    return Column(key, name or key, default)


def time(key: str, default: Any = None) -> Column:
    return Column(key, key, default, instant, moment)


def money(key: str, name: str) -> Column:
    return Column(key, name, 0, usd, to_micro)


def told(row: object, columns: Sequence[Column]) -> dict[str, Any]:
    """What a row has to say: every column that differs from its default."""
    values = ((column, getattr(row, column.name)) for column in columns)
    return {column.key: column.write(value) for column, value in values if value != column.default}


def fields(entry: Mapping[str, Any], columns: Sequence[Column]) -> dict[str, Any]:
    """The columns of the row that an entry of the document stands for."""
    return {column.name: _field(entry.get(column.key), column) for column in columns}


def _field(value: Any, column: Column) -> Any:
    if value is not None:
        return column.read(value)
    return None if column.default is ALWAYS else column.default


HEAD = [
    plain("task_id", ALWAYS, "public_id"), plain("goal", ALWAYS), plain("status", ALWAYS), plain("reason"),
    plain("created_by", ALWAYS, "created_by_name"), time("created_at", ALWAYS), time("updated_at", ALWAYS),
    time("started_at"), time("finished_at"), time("last_completed_at"), plain("workflow"),
    plain("workflow_version"), plain("params", {}), plain("plan", ALWAYS), plain("stop_after", {}),
    plain("restart_count", 0), plain("items_read", True), plain("says"), plain("brief_note"), plain("brief"),
]  # fmt: skip
TAIL = [plain("last_checkpoint", ALWAYS)]
BUDGET = [
    Column("limit_usd", "limit_micro", ALWAYS, lambda micro: None if micro is None else usd(micro), to_micro),
    Column("spent_usd", "spent_micro", ALWAYS, usd, to_micro),
    money("reserved_usd", "reserved_micro"), plain("out_of_budget", False),
]  # fmt: skip
RETENTION = [
    Column("keep_for_seconds", "keep_for", None, timedelta.total_seconds, _length), time("expires_at"),
    plain("on_hold", False), plain("hold_reason"), plain("hold_by"), time("hold_until"),
]  # fmt: skip
ITEM = [
    plain("status", ALWAYS),
    plain("stage", ALWAYS),
    plain("label"),
    plain("params", {}),
    plain("go_backs", 0),
]
STEP = [
    plain("status", ALWAYS), plain("revision", 1), plain("attempt", 0), plain("result", name="summary"),
    plain("outputs", None), plain("external_id"), plain("idempotency_key", None), plain("error"),
    plain("error_class"), plain("action", None), plain("action_sha256"), time("due_at"), time("started_at"),
    time("executed_at"), time("verified_at"), plain("verified_how"), time("finished_at"), time("checked_at"),
    plain("failures", 0), plain("deaths", 0), money("cost_usd", "cost_micro"),
    money("reserved_usd", "reserved_micro"),
]  # fmt: skip
ARTIFACT = [
    plain("name", ALWAYS), plain("version", ALWAYS), plain("place", ALWAYS), plain("step"),
    plain("media_type"), plain("size", None), plain("sha256"), time("created_at", ALWAYS),
]  # fmt: skip
LEDGER = [
    plain("step"), plain("model"), plain("estimated", False), money("usd", "amount_micro"), plain("calls", 0),
    plain("tokens_in", 0), plain("tokens_out", 0), plain("seconds", 0.0),
]  # fmt: skip
RISK = [
    plain("text", ALWAYS), plain("severity", ALWAYS), plain("raised_by", ALWAYS), time("raised_at", ALWAYS),
    plain("closed_by"), time("closed_at"), plain("closed_why"),
]  # fmt: skip
INSTRUCTION = [
    plain("text", ALWAYS), plain("added_by", ALWAYS), time("added_at", ALWAYS), time("taken_up_at"),
    plain("taken_up_by"),
]  # fmt: skip
COMMENT = [plain("text"), plain("author", ALWAYS, "author_name"), time("at", ALWAYS), time("withdrawn_at")]
COUNTED = ("done", "failed", "waiting_approval", "pending")
COUNTED_IF_ANY = ("rejected", "skipped", "cancelled", "blocked")


def counted_as(status: str) -> str:
    """The name under which the document counts an item: begun and not finished is pending there."""
    return "pending" if status == "running" else status
