"""People's messages to a running task: queued in order, taken up by the next step that starts."""

from django.contrib.auth.models import AbstractBaseUser
from django.db.models import Max
from django.utils.translation import gettext as _

from taskboard import instruction_queue, lifecycle
from taskboard.cleaning import clean_text
from taskboard.errors import BadInput, NotFound, WrongState
from taskboard.models import Instruction, Kind, Task
from taskboard.rights import require, require_steerable

MOST_OPEN = 20
LONGEST = 2000


def add(task: Task, user: AbstractBaseUser, text: str) -> Instruction:
    """Queue a message behind the others."""
    require(user)
    clean = _words(text)
    with lifecycle.changing(task.pk, user.get_username()) as change:
        require_steerable(change)
        if change.task.is_finished:
            raise WrongState(_("The task is finished: no step would read this."))
        if change.task.open_instructions >= MOST_OPEN:
            raise WrongState(
                _("%d instructions wait already. Delete one, or wait until they are taken up.") % MOST_OPEN
            )
        last = instruction_queue.queued(task).aggregate(last=Max("position"))["last"] or 0
        new = Instruction.objects.create(
            task=change.task, position=last + 1, text=clean, added_by=user.get_username(), added_at=change.now
        )
        instruction_queue.recount(change)
        change.record(Kind.PERSON, data={"did": "instruct", "instruction": new.pk, "text": clean})
    return new


def reorder(task: Task, user: AbstractBaseUser, instruction: int, place: int) -> None:
    """Put a queued one at this place, 1 being the first."""
    require(user)
    with lifecycle.changing(task.pk, user.get_username()) as change:
        require_steerable(change)
        moved = _queued(task, instruction)
        others = [one for one in instruction_queue.queued(task) if one.pk != moved.pk]
        others.insert(max(place, 1) - 1, moved)
        for position, one in enumerate(others, 1):
            one.position = position
        Instruction.objects.bulk_update(others, ["position"])
        change.record(
            Kind.PERSON, data={"did": "reorder instructions", "instruction": moved.pk, "place": place}
        )


def delete(task: Task, user: AbstractBaseUser, instruction: int) -> None:
    """Take a queued one back; what a step has taken up stays."""
    require(user)
    with lifecycle.changing(task.pk, user.get_username()) as change:
        gone = _queued(task, instruction)
        data = {"did": "delete instruction", "instruction": gone.pk, "text": gone.text}
        gone.delete()
        instruction_queue.recount(change)
        change.record(Kind.PERSON, data=data)


def _queued(task: Task, instruction: int) -> Instruction:
    found = Instruction.objects.filter(task=task, pk=instruction).first()
    if found is None:
        raise NotFound(_("There is no such instruction in this task."))
    if found.taken_up_at:
        raise WrongState(_("It was taken up by %s already.") % found.taken_up_by)
    return found


def _words(text: str) -> str:
    clean = clean_text(text).strip()
    if not clean:
        raise BadInput(_("Write what the next step should heed."))
    if len(clean) > LONGEST:
        raise BadInput(_("An instruction has at most %d characters.") % LONGEST)
    return clean
