"""A document as the rows of a new task: all of it, or nothing."""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, TypeVar

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction

from taskboard import instruction_queue, lifecycle
from taskboard.change import Change
from taskboard.document import effects, form, rules, schema
from taskboard.document.form import fields
from taskboard.document.parse import parse, refuse, shown
from taskboard.engine.register import register
from taskboard.gates import gate
from taskboard.models import Artifact, Comment, Instruction, Item, Kind, LedgerEntry, Risk, Step, Task
from taskboard.models.task import FINISHED_TASKS, WHOLE_TASK
from taskboard.money import to_micro

AT_ONCE = 500
Document = Mapping[str, Any]
T = TypeVar("T")


def load(raw: bytes, actor: str, earlier: Callable[[Change], None] | None = None) -> Task:
    """Store a document as a task that is held until a person resumes it. What a finished one has done is known
    from now on by its effect keys; for others the resume sees to that. Raises BadInput with the path of
    the fault, and then nothing is stored. `earlier` is for what an archive knows and a document does not: it
    appends the journal from before; of such a task the effects are known here or do not matter."""
    document = parse(raw)
    schema.check(document)
    rules.check(document)
    with transaction.atomic():
        task = _new_task(document)
        with lifecycle.changing(task.pk, actor) as change:
            if earlier:
                earlier(change)
            _fill(change, document)
            change.record(Kind.IMPORTED, data=_origin(raw, document))
        held = task.status not in FINISHED_TASKS
        Task.objects.filter(pk=task.pk).update(updated_at=form.moment(document["updated_at"]), held=held)
    task.refresh_from_db()
    if task.is_finished and not earlier:
        register(task, actor)
    return task


def _new_task(document: Document) -> Task:
    columns = fields(document, [*form.HEAD, *form.TAIL]) | fields(
        document.get("retention", {}), form.RETENTION
    )
    budget = fields(document["budget"], form.BUDGET)
    unlisted = rules.unlisted(document)
    task = Task(
        **columns, limit_micro=budget["limit_micro"], out_of_budget=budget["out_of_budget"], held=True,
        counts={"unlisted": unlisted} if unlisted else {},
        created_by=User.objects.filter(username=document["created_by"]).first(),
        continues=Task.objects.filter(public_id=document.get("continues", "")).first(),
    )  # fmt: skip
    if task.is_finished and not task.finished_at:
        task.finished_at = task.updated_at
    try:
        with transaction.atomic():
            task.save()
    except IntegrityError:
        refuse(("task_id",), f"The task {task.public_id} is already here.")
    return task


def _fill(change: Change, document: Document) -> None:
    _refuse_known_keys(document)
    items = _add_items(change, document)
    for status, number in change.task.unlisted.items():
        change.count_item(None, status, number)
    _add_ledger(change, document)
    _add_notes(change, document, items)
    change.reserve(to_micro(document["budget"].get("reserved_usd", 0)))
    gate().from_document(change, document["approvals"])


def _add_items(change: Change, document: Document) -> dict[str, int]:
    """All items with their steps; returns their ids by key."""
    ids: dict[str, int] = {}
    for batch in _batches(_items(change.task, document)):
        lifecycle.add_items(change, batch)
        ids |= {item.key: item.pk for item in batch}
        entries = [(item, document["items"].get(item.key, {"steps": {}})["steps"]) for item in batch]
        opened = [step for item, steps in entries for step in _steps(item, steps)]
        lifecycle.open_steps(change, opened)
        for step in opened:
            if step.cost_micro:
                change.count_cost(step.name, step.cost_micro)
        effects.adopt(change, entries)
    return ids


def _cost(entry: Mapping[str, Any]) -> int:
    """What the steps of an item cost, those of earlier revisions too."""
    steps = (
        one for newest in entry.get("steps", {}).values() for one in (*newest.get("earlier", ()), newest)
    )
    return sum(to_micro(step.get("cost_usd", 0)) for step in steps)


def _items(task: Task, document: Document) -> Iterator[Item]:
    position = 0
    for key, status in rules.listed(document).items():
        entry = document["items"].get(key) or _asked_about(document, key)
        position += key != WHOLE_TASK
        columns = fields(entry, form.ITEM) | {"status": status, "cost_micro": _cost(entry)}
        updated_at = form.moment(entry["updated_at"]) if "updated_at" in entry else task.updated_at
        yield Item(
            task=task,
            key=key,
            position=0 if key == WHOLE_TASK else position,
            updated_at=updated_at,
            **columns,
        )


def _asked_about(document: Document, key: str) -> dict[str, Any]:
    """An item that only an open question names stands at the step that the question is about."""
    entry = next(entry for entry in document["approvals"] if entry.get("item") == key)
    return {"stage": entry.get("step") or ""}


def _steps(item: Item, entries: Mapping[str, Any]) -> Iterator[Step]:
    for name, newest in entries.items():
        for entry in (*newest.get("earlier", ()), newest):
            yield Step(
                task_id=item.task_id, item=item, name=name, position=item.position, **fields(entry, form.STEP)
            )


def _refuse_known_keys(document: Document) -> None:
    for batch in _batches((path, entry) for path, _item, _name, entry in rules.steps(document)):
        paths = {entry["idempotency_key"]: path for path, entry in batch if "idempotency_key" in entry}
        known = (
            Step.objects.filter(idempotency_key__in=paths).values_list("idempotency_key", flat=True).first()
        )
        if known:
            refuse(
                (*paths[known], "idempotency_key"), f"{shown(known)} belongs to a task that is already here."
            )


def _add_ledger(change: Change, document: Document) -> None:
    source = f"opening:{change.task.public_id}"
    given = [{"usd": document["budget"]["spent_usd"]}] if "ledger" not in document else document["ledger"]
    entries = [
        LedgerEntry(
            task=change.task, at=change.now, note="Spent before the import.",
            source=f"{source}:{number}" if number else source, **fields(entry, form.LEDGER),
        )
        for number, entry in enumerate(given)
    ]  # fmt: skip
    entries = [entry for entry in entries if entry.amount_micro or "ledger" in document]
    LedgerEntry.objects.bulk_create(entries, AT_ONCE)
    change.spend(sum(entry.amount_micro for entry in entries))


def _add_notes(change: Change, document: Document, items: Mapping[str, int]) -> None:
    """Artifacts, risks, comments, instructions."""
    task = change.task

    def columns(entry: Mapping[str, Any], of: Sequence[form.Column]) -> dict[str, Any]:
        return {"task": task, "item_id": items.get(entry.get("item", ""))} | fields(entry, of)

    artifacts = (Artifact(**columns(entry, form.ARTIFACT)) for entry in _artifacts(document))
    Artifact.objects.bulk_create(artifacts, AT_ONCE)
    risks = (Risk(**columns(entry, form.RISK)) for entry in document.get("risks", ()))
    Risk.objects.bulk_create(risks, AT_ONCE)
    said = (Comment(**columns(entry, form.COMMENT)) for entry in document.get("comments", ()))
    Comment.objects.bulk_create(said, AT_ONCE)
    told = enumerate(document.get("instructions", ()), 1)
    Instruction.objects.bulk_create(
        (
            Instruction(task=task, position=number, **fields(entry, form.INSTRUCTION))
            for number, entry in told
        ),
        AT_ONCE,
    )
    instruction_queue.recount(change)


def _artifacts(document: Document) -> list[Mapping[str, Any]]:
    """Every version as a detailed entry; a bare name and place is the first version."""
    details = document.get("artifact_details", [])
    known = {entry["name"] for entry in details}
    bare = [
        {"name": name, "version": 1, "place": place, "created_at": document["updated_at"]}
        for name, place in document["artifacts"].items()
        if name not in known
    ]
    return [*details, *bare]


def _origin(raw: bytes, document: Document) -> dict[str, Any]:
    told: dict[str, Any] = {"sha256": hashlib.sha256(raw).hexdigest(), "bytes": len(raw)}
    told |= {"items": len(document["items"]), "not_listed": sum(rules.unlisted(document).values())}
    return told


def _batches(values: Iterable[T]) -> Iterator[list[T]]:
    iterator = iter(values)
    while batch := list(islice(iterator, AT_ONCE)):
        yield batch
