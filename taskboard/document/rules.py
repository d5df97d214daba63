"""What no schema can say: counters, sums and keys of a document agree with each other. Pure."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from taskboard.document.form import COUNTED, COUNTED_IF_ANY, counted_as
from taskboard.document.parse import Path, refuse, shown
from taskboard.keys import clean_key
from taskboard.models import ItemStatus, StepStatus
from taskboard.models.task import WHOLE_TASK
from taskboard.money import to_micro

Document = Mapping[str, Any]
_ITEM_OF_STEPS = (
    (StepStatus.STARTED, ItemStatus.RUNNING),
    (StepStatus.WAITING_APPROVAL, ItemStatus.WAITING_APPROVAL),
    (StepStatus.UNKNOWN, ItemStatus.BLOCKED),
    (StepStatus.BLOCKED, ItemStatus.BLOCKED),
    (StepStatus.FAILED, ItemStatus.FAILED),
    (StepStatus.REJECTED, ItemStatus.REJECTED),
    (StepStatus.CANCELLED, ItemStatus.CANCELLED),
)


def check(document: Document) -> None:
    """Raises BadInput with the path of the first contradiction."""
    _check_item_keys(document)
    _check_revisions(document)
    _check_step_keys(document)
    _check_money(document)
    _check_artifacts(document)
    _check_mentions(document)
    _check_comments(document)
    unlisted(document)


def listed(document: Document) -> dict[str, str]:
    """Key and status of every item that gets a row: those listed, and those that an open question names."""
    items = {key: item.get("status") or _follows(item["steps"]) for key, item in document["items"].items()}
    asked = [entry.get("item") for entry in document["approvals"] if entry["decision"] is None]
    return items | {key: ItemStatus.WAITING_APPROVAL.value for key in asked if key and key not in items}


def unlisted(document: Document) -> dict[str, int]:
    """How many items per status are counted and not listed; raises BadInput where fewer are counted."""
    progress = document["progress"]
    counted = {name: progress.get(name, 0) for name in (*COUNTED, *COUNTED_IF_ANY)}
    if sum(counted.values()) != progress["total"]:
        refuse(
            ("progress", "total"),
            f"This is {progress['total']}, but the counts add up to {sum(counted.values())}.",
        )
    there = Counter(counted_as(status) for key, status in listed(document).items() if key != WHOLE_TASK)
    for name, number in there.items():
        if counted[name] < number:
            refuse(("progress", name), f"This is {counted[name]}, but the document names {number} of them.")
    return {name: number - there[name] for name, number in counted.items() if number > there[name]}


def steps(document: Document) -> Iterator[tuple[Path, str, str, dict[str, Any]]]:
    """Path, item key, step name and entry of every step, earlier revisions first."""
    for key, item in document["items"].items():
        for name, entry in item["steps"].items():
            path = ("items", key, "steps", name)
            for number, earlier in enumerate(entry.get("earlier", ())):
                yield (*path, "earlier", number), key, name, earlier
            yield path, key, name, entry


def _follows(own: Mapping[str, Mapping[str, Any]]) -> str:
    stands = {step["status"] for step in own.values()} - {StepStatus.SUPERSEDED}
    if StepStatus.PENDING in stands:
        stands |= {StepStatus.STARTED} if len(stands) > 1 else set()
    if stands <= {StepStatus.PENDING}:
        return ItemStatus.PENDING
    return next((becomes for step, becomes in _ITEM_OF_STEPS if step in stands), ItemStatus.DONE)


def _check_item_keys(document: Document) -> None:
    seen: dict[str, str] = {}
    for key in document["items"]:
        name = clean_key(key)
        if not name:
            refuse(("items", shown(key)), "The key of an item is empty.")
        if name in seen:
            refuse(
                ("items", key),
                f"This is the same key as {shown(seen[name])}: they only look different to a computer.",
            )
        seen[name] = key


def _check_revisions(document: Document) -> None:
    for key, item in document["items"].items():
        for name, entry in item["steps"].items():
            numbers = [one.get("revision", 1) for one in entry.get("earlier", ())] + [
                entry.get("revision", 1)
            ]
            if numbers != sorted(set(numbers)):
                refuse(
                    ("items", key, "steps", name, "revision"),
                    "Revisions grow from the earlier ones to this one.",
                )


def _check_step_keys(document: Document) -> None:
    for field in ("idempotency_key", "effect_key"):
        seen: set[str] = set()
        for path, _item, _name, entry in steps(document):
            if (value := entry.get(field)) in seen:
                refuse((*path, field), f"The key {shown(value)} stands at two steps.")
            seen |= {value} if value else set()


def _check_money(document: Document) -> None:
    budget = document["budget"]
    reserved = sum(to_micro(entry.get("reserved_usd", 0)) for *_place, entry in steps(document))
    if to_micro(budget.get("reserved_usd", 0)) != reserved:
        refuse(("budget", "reserved_usd"), f"The steps of this document reserve {reserved / 1_000_000} USD.")
    if "ledger" in document:
        spent = sum(to_micro(entry.get("usd", 0)) for entry in document["ledger"])
        if to_micro(budget["spent_usd"]) != spent:
            refuse(
                ("budget", "spent_usd"), f"The ledger of this document adds up to {spent / 1_000_000} USD."
            )


def _check_artifacts(document: Document) -> None:
    newest: dict[str, tuple[int, str]] = {}
    seen: set[tuple[str, int]] = set()
    for number, entry in enumerate(document.get("artifact_details", ())):
        name, version = entry["name"], entry["version"]
        if (name, version) in seen:
            refuse(
                ("artifact_details", number, "version"),
                f"Version {version} of {shown(name)} stands here twice.",
            )
        seen.add((name, version))
        newest[name] = max(newest.get(name, (0, "")), (version, entry["place"]))
    for name, (_version, place) in newest.items():
        if document["artifacts"].get(name) != place:
            refuse(("artifacts", name), f"The newest version of it is at {shown(place)}.")


def _check_mentions(document: Document) -> None:
    """Rows hang on items; a document that names one must list it."""
    for field in ("artifact_details", "risks", "comments"):
        for number, entry in enumerate(document.get(field, ())):
            if (key := entry.get("item")) and key not in document["items"]:
                refuse((field, number, "item"), f"There is no item {shown(key)} in this document.")


def _check_comments(document: Document) -> None:
    for number, entry in enumerate(document.get("comments", ())):
        if not entry.get("text", "").strip() and "withdrawn_at" not in entry:
            refuse(("comments", number, "text"), "A comment says something, unless it was taken back.")
