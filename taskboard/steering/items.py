"""Items that people add to a task which runs, waits or is done."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.contrib.auth.models import AbstractBaseUser
from django.db.models import Max
from django.utils.translation import gettext as _

from taskboard import budget, hints, lifecycle, sentences, workflow
from taskboard.change import Change
from taskboard.cleaning import Cleaner
from taskboard.engine import advance
from taskboard.engine.read import store_rows
from taskboard.errors import BadInput, UnfitItems, WrongState
from taskboard.gates import gate
from taskboard.keys import clean_key
from taskboard.lifecycle import StepMove
from taskboard.models import Item, ItemStatus, Kind, Step, StepStatus, Task
from taskboard.models.task import SETTLED_ITEMS, WHOLE_TASK
from taskboard.outcomes import NewItem
from taskboard.rights import require, require_steerable
from taskboard.steering import naming

S = StepStatus
MOST = 20_000
ADDED = sentences.ADDED()


@dataclass(frozen=True)
class Added:
    """How many are new, and the keys that were there already."""

    number: int
    known: Sequence[str]


def add_items(
    task: Task, items: Iterable[NewItem], user: AbstractBaseUser, *, workflow_name: str = ""
) -> Added:
    """Put items behind those that are there; one whose key is known is passed over. A completed task runs
    again, and the steps of the whole task are done anew once the new items are through. `workflow_name` is for
    an imported task whose document names none."""
    require(user)
    if workflow_name and task.held and not task.workflow:
        task.workflow = workflow.get(workflow_name).name
    by_key = _by_key(naming.made(task, _by_key(items)))
    with lifecycle.changing(task.pk, user.get_username()) as change:
        change.set(workflow=task.workflow)
        _check(change)
        known = naming.known(change.task, list(by_key))
        new = [one for key, one in by_key.items() if key not in known]
        if new:
            _reopen_whole_task(change)
            _store(change, new)
            data = {"did": "add items", "added": len(new), "doubles": len(known)}
            change.record(Kind.PERSON, data=data)
        change.touched = True
    hints.soon("taskboard.run_task", task.pk, queue="short")
    return Added(len(new), sorted(known))


def _by_key(items: Iterable[NewItem]) -> dict[str, NewItem]:
    by_key: dict[str, NewItem] = {}
    for item in items:
        key = clean_key(item.key)
        if key in ("", WHOLE_TASK):
            raise UnfitItems({item.key: _("An item cannot have the key %r.") % item.key})
        by_key.setdefault(key, item)
    if not by_key:
        raise BadInput(_("Name at least one item."))
    if len(by_key) > MOST:
        raise BadInput(_("At most %d items can be added at once.") % MOST)
    return by_key


def _check(change: Change) -> None:
    require_steerable(change)
    task = change.task
    if task.held and not task.workflow:
        raise WrongState(
            _("The document names no workflow, so nobody knows what an item needs; name it: --workflow NAME.")
        )
    if not task.items_read and not task.held:
        raise WrongState(_("The source of the task is still being read; add items when that has ended."))
    in_the_air = Step.objects.filter(task=task, position=0, status__in=(S.STARTED, S.UNKNOWN))
    if step := in_the_air.first():
        raise WrongState(
            _(
                "The step %s of the whole task has begun, and its outcome is open; add items when it has ended."
            )
            % step.name
        )


def _store(change: Change, new: Sequence[NewItem]) -> None:
    last = Item.objects.filter(task=change.task).aggregate(last=Max("position"))["last"] or 0
    roots = workflow.get(change.task.workflow).roots
    items = [_item(change, one, last + number) for number, one in enumerate(new, 1)]
    lifecycle.add_items(change, items)
    store_rows(change.task, naming.rows_of(new))
    if change.task.held:  # its resume opens the steps
        _list_what_was_counted(change, len(items))
        return
    lifecycle.open_steps(change, [advance.new_step(change, item, spec) for item in items for spec in roots])


def _list_what_was_counted(change: Change, number: int) -> None:
    """A document may count items that it does not list; those that are added now are some of them."""
    unlisted = dict(change.task.unlisted)
    for status in [status for status in unlisted if status not in SETTLED_ITEMS]:
        listed = min(number, unlisted[status])
        number -= listed
        unlisted[status] -= listed
        change.count_item(status, None, listed)
    left = {status: count for status, count in unlisted.items() if count}
    change.set(counts={**change.task.counts, "unlisted": left})


def _item(change: Change, new: NewItem, position: int) -> Item:
    clean = Cleaner()
    return Item(
        task=change.task, key=clean_key(new.key), label=clean.text(new.label, 300), position=position,
        params=clean.json(dict(new.params)), updated_at=change.now, status=ItemStatus.PENDING,
    )  # fmt: skip


def _reopen_whole_task(change: Change) -> None:
    """What was done, asked or planned for the whole task rests on the items it had: a new revision follows."""
    steps = Step.objects.filter(task=change.task, position=0).exclude(status__in=(S.SUPERSEDED, S.CANCELLED))
    former = list(steps.select_related("item"))
    gate().withdraw(change, [step.pk for step in former if step.status == S.WAITING_APPROVAL], ADDED)
    budget.free(change, former)
    lifecycle.move_steps(change, [StepMove(step, S.SUPERSEDED, _put_aside(change, step)) for step in former])
    for step in former:
        data = {"to": S.SUPERSEDED, "revision": step.revision, "reason": ADDED}
        change.record(Kind.SUPERSEDED, item=WHOLE_TASK, step=step.name, attempt=step.attempt, data=data)


def _put_aside(change: Change, step: Step) -> dict[str, object]:
    """The note also keeps its result from being carried over to the next revision."""
    return {"finished_at": step.finished_at or change.now, "error": step.error or ADDED, "reserved_micro": 0}
