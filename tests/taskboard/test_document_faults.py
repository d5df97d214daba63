"""A broken document is refused with the path of its fault, and nothing is stored."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from approvals.models import ApprovalStatus
from taskboard import document
from taskboard.document import parse, schema
from taskboard.errors import BadInput
from taskboard.models import Item, ItemStatus, Step, StepStatus, Task, TaskStatus
from tests.documents import EXAMPLE, example, load

pytestmark = pytest.mark.django_db
NOTIFY = "items__page_087__steps__notify"


@pytest.fixture(autouse=True)
def nothing_is_stored() -> Iterator[None]:
    before = Task.objects.count(), Item.objects.count(), Step.objects.count()
    yield
    assert (Task.objects.count(), Item.objects.count(), Step.objects.count()) == before


def without(key: str) -> dict[str, Any]:
    changed = example()
    del changed[key]
    return changed


def page(**fields: Any) -> dict[str, Any]:
    return {"stage": "notify", "steps": {}} | fields


FAULTS: list[tuple[dict[str, Any], str, str]] = [
    (without("goal"), "goal", "missing"),
    (without("items"), "items", "missing"),
    (example(status="walking"), "status", '"walking" is not known here; allowed are: pending, running'),
    (example(goal=7), "goal", "This is 7, but must be text"),
    (example(plan="one"), "plan", "must be a list"),
    (example(items=[]), "items", "must be an object"),
    (example(surprise=1), "", 'no field "surprise" here; known are: document'),
    (example(document=2), "document", "only 1 can be read"),
    (example(task_id="../../x"), "task_id", "does not look like task_20260917_0042"),
    (example(created_at="2026-09-17T09:00:00"), "created_at", "with its offset from UTC"),
    (example(created_at="0001-01-01T00:00:00+14:00"), "created_at", "with its offset from UTC"),
    (example(created_at="yesterday"), "created_at", "is no time"),
    (example(created_by="x" * 151), "created_by", "more than 150 characters"),
    (example(restart_count=-1), "restart_count", "at least 0"),
    (example(restart_count=2**40), "restart_count", "at most"),
    (example(restart_count=1.5), "restart_count", "must be a whole number"),
    (example(**{f"{NOTIFY}__status": "sent"}), "items.page_087.steps.notify.status", '"sent" is not known'),
    (
        example(**{f"{NOTIFY}__attempt": True}),
        "items.page_087.steps.notify.attempt",
        "must be a whole number",
    ),
    (
        example(**{f"{NOTIFY}__outputs": [1]}),
        "items.page_087.steps.notify.outputs",
        "must be an object or null",
    ),
    (example(**{f"{NOTIFY}__surprise": 1}), "items.page_087.steps.notify", 'no field "surprise"'),
    (
        example(**{f"{NOTIFY}__idempotency_key": "task_20260917_0042:page_087:create_ticket"}),
        "items.page_087.steps.notify.idempotency_key",
        "stands at two steps",
    ),
    (
        example(**{f"{NOTIFY}__earlier": [{"status": "superseded", "revision": 1}]}),
        "items.page_087.steps.notify.revision",
        "Revisions grow",
    ),
    (example(progress__done=-1), "progress.done", "at least 0"),
    (example(progress__done="86"), "progress.done", "must be a whole number"),
    (example(progress__total=199), "progress.total", "This is 199, but the counts add up to 200"),
    (
        example(progress__pending=0, progress__total=91),
        "progress.pending",
        "This is 0, but the document names 1",
    ),
    (
        example(progress__waiting_approval=0, progress__total=197),
        "progress.waiting_approval",
        "the document names 1 of them",
    ),
    (example(items={"b\u00fc": page(), "bu\u0308": page()}), "items.bu\u0308", "the same key as"),
    (example(items={"x": page(), "x ": page()}), "items.x ", "the same key as"),
    (example(items={" ": page()}), 'items." "', "The key of an item is empty"),
    (example(items={"": page()}), "items", "This is empty"),
    (example(budget__spent_usd=-0.01), "budget.spent_usd", "at least 0"),
    (example(budget__limit_usd="20"), "budget.limit_usd", "must be a number or null"),
    (example(budget__reserved_usd=1), "budget.reserved_usd", "reserve 0.0 USD"),
    (example(ledger=[{"usd": 7}]), "budget.spent_usd", "adds up to 7.0 USD"),
    (
        example(
            artifact_details=[{"name": "z", "version": 1, "place": "p", "created_at": "2026-09-17T09:00:00Z"}]
        ),
        "artifacts.z",
        'newest version of it is at "p"',
    ),
    (example(approvals=[{"action": "x"}]), "approvals.0.requested_at", "missing"),
    (
        example(approvals=[{**example()["approvals"][0], "decision": "maybe"}]),
        "approvals.0.decision",
        "maybe",
    ),
    (
        example(
            approvals=[
                {**example()["approvals"][0], "decision": {"outcome": "approved", "decided_at": "noon"}}
            ]
        ),
        "approvals.0.decision.decided_at",
        "is no time",
    ),
    (example(goal="a\x00b"), "goal", "U+0000 cannot be stored"),
    (example(goal="\ud800"), "goal", "U+D800 cannot be stored"),
    (example(artifacts={"a\x00": "x"}), "artifacts", "U+0000 cannot be stored"),
]


@pytest.mark.parametrize(
    ("value", "path", "sentence"), FAULTS, ids=[f"{path}: {s}"[:60] for _, path, s in FAULTS]
)
def test_it_names_path_and_fault(value: dict[str, Any], path: str, sentence: str) -> None:
    with pytest.raises(BadInput) as refused:
        load(value)
    assert refused.value.path == path
    assert sentence in refused.value.message


def text(**changes: Any) -> str:
    return json.dumps(example(**changes))


RAW: list[tuple[bytes, str]] = [
    (EXAMPLE.read_bytes()[:700], "line 19"),
    (b"", "line 1, column 1: This is not complete JSON"),
    (b"[]", "This is [], but must be an object"),
    (b"\xff\xfe{\x00}\x00", "not UTF-8 text (byte 1)"),
    (text().replace("7.35", "NaN").encode(), "budget.spent_usd: This is not a number that can be stored"),
    (
        text().replace("7.35", "-Infinity").encode(),
        "budget.spent_usd: This is not a number that can be stored",
    ),
    (text().replace("7.35", "1e999").encode(), "budget.spent_usd: This is not a number that can be stored"),
    (
        text().replace('"limit_usd"', '"spent_usd": 0, "limit_usd"').encode(),
        "budget.spent_usd: This key stands twice",
    ),
    (text(params={"x": 0}).replace('"x": 0', '"x": ' + "[" * 60 + "]" * 60).encode(), "deeper than 40"),
    (b"[" * 200_000, "nested deeper than 40"),
    (b'{"a": ' + b"9" * 5000 + b"}", "too many digits"),
]


@pytest.mark.parametrize(("raw", "sentence"), RAW, ids=[sentence[:50] for _, sentence in RAW])
def test_it_refuses_what_is_no_clean_json(raw: bytes, sentence: str) -> None:
    with pytest.raises(BadInput) as refused:
        document.load(raw, "ops")
    assert sentence in refused.value.message


def test_it_refuses_a_file_that_is_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parse, "LARGEST", 100)
    with pytest.raises(BadInput, match="a document has at most 100"):
        load(example())


def test_the_schema_knows_every_status() -> None:
    defs = json.loads(schema.FILE.read_text("utf-8"))["$defs"]
    known = {"taskStatus": TaskStatus, "itemStatus": ItemStatus, "stepStatus": StepStatus}
    for name, statuses in known.items():
        assert defs[name]["enum"] == statuses.values
    assert defs["outcome"]["enum"] == [
        status for status in ApprovalStatus.values if status != ApprovalStatus.OPEN
    ]
