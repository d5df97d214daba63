"""The desk for outcomes that nobody but a person can find out: it happened, it did not, give up."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.utils.translation import gettext as _

from taskboard import audit, lifecycle, sentences, workflow
from taskboard.change import Change
from taskboard.cleaning import clean_text
from taskboard.engine import claim, effects, moves
from taskboard.engine.effects import GIVEN_UP
from taskboard.engine.endings import WHATEVER
from taskboard.errors import BadInput, NotFound, WrongState
from taskboard.models import Step, StepStatus
from taskboard.outcomes import Done
from taskboard.rights import require, said
from taskboard.steering.step_move import locked, move
from taskboard.workflow import EXTERNAL_ID

S = StepStatus
LONGEST_ID = 300
LONGEST_OUTPUT = 500


def asked(workflow_name: str, step: str) -> dict[str, str]:
    """What a person has to tell beside the id when it happened: labels by name, for what later steps need."""
    declared = _by_hand(workflow_name, step)
    return {name: str(label) for name, label in declared.items() if label != EXTERNAL_ID}


def happened(
    step: Step,
    user: AbstractBaseUser,
    external_id: str,
    why: str = "",
    outputs: Mapping[str, str] | None = None,
) -> None:
    """The outside world has done it, under this id: the step is done, on the word of this person. `outputs`
    are those that `asked` names."""
    require(user)
    found = _external_id(external_id)
    told = _outputs(step, found, outputs or {})
    with lifecycle.changing(step.task_id, user.get_username()) as change:
        current = _unknown(step)
        said_by = sentences.SAID_BY(name=user.get_username())
        fields: dict[str, Any] = {
            "external_id": found, "executed_at": current.executed_at or change.now, "verified_at": change.now,
            "verified_how": said_by, "checked_at": change.now, "error": "", "error_class": "", "failures": 0,
            "summary": current.summary or sentences.HAPPENED(name=user.get_username()), "outputs": told or None,
        }  # fmt: skip
        done = Done(fields["summary"], told, found)
        _keep(change, current, done)
        effects.confirm(current, done, change.now)
        _settle(change, current, S.DONE, fields, "it happened", why, external_id=found, verified=said_by)
        change.set(last_completed_at=change.now)


def did_not_happen(step: Step, user: AbstractBaseUser, key: str, why: str = "") -> None:
    """It surely did not happen: it runs again, under the same key. A wrong click would double an effect, so
    the key that the page shows has to be given."""
    require(user)
    with lifecycle.changing(step.task_id, user.get_username()) as change:
        current = _unknown(step)
        if key.strip() != current.idempotency_key:
            raise BadInput(
                _("This is not the key of the step. Copy it from the page, so that the right one runs.")
            )
        fields = {
            "external_id": "", "executed_at": None, "error": "", "error_class": "", "failures": 0, "deaths": 0,
        }  # fmt: skip
        effects.deny(current)
        _settle(change, current, S.PENDING, fields, "it did not happen", why, key=current.idempotency_key)


def give_up(step: Step, user: AbstractBaseUser, reason: str) -> None:
    """Nobody can find out, or nobody will: the step has failed. Its effect stays reserved, since it may be
    there: a step that wants the same asks outside again, and then a person."""
    require(user)
    reason = said(reason, _("Say why you give up; the journal keeps it."))
    with lifecycle.changing(step.task_id, user.get_username()) as change:
        current = _unknown(step)
        fields = {"error": sentences.GIVEN_UP(reason), "error_class": GIVEN_UP}
        _settle(change, current, S.FAILED, fields, "give up", reason)


def find(words: Sequence[str]) -> Step:
    """The step of an idempotency key, or of a task id, an item key and a step name."""
    steps = Step.objects.current().select_related("item", "task").order_by("-revision")
    if len(words) == 1:
        found = steps.filter(idempotency_key=words[0]).first()
    elif len(words) == 3:
        found = steps.filter(task__public_id=words[0], item__key=words[1], name=words[2]).first()
    else:
        raise BadInput("Name a step by its key, or by task id, item key and step name.")
    if found is None:
        raise NotFound(f"There is no such step: {' '.join(words)}.")
    return found


def _unknown(step: Step) -> Step:
    return locked(step, (S.UNKNOWN,), _("Step %(step)s is “%(status)s”; it cannot be settled."))


def _settle(
    change: Change, step: Step, to: StepStatus, fields: dict[str, Any], did: str, why: str, **told: Any
) -> None:
    told = {"was": step.error, "reason": clean_text(why, 2000).strip(), **told}
    place = {"item": step.item.key, "step": step.name}
    audit.record(
        change.actor, "settle", change.task, reason=why, before={**place, "status": StepStatus.UNKNOWN},
        after={**place, "status": to, "said": did, "external_id": fields.get("external_id", "")},
    )  # fmt: skip
    move(change, step, to, fields, did, **{name: value for name, value in told.items() if value})


def _by_hand(workflow_name: str, step: str) -> Mapping[str, Any]:
    spec = workflow.find(workflow_name)
    known = spec.known(step) if spec else None
    return known.by_hand if known else {}


def _outputs(step: Step, external_id: str, given: Mapping[str, str]) -> dict[str, str]:
    """What the step would have handed on, as far as its workflow says that a person can tell."""
    declared = _by_hand(step.task.workflow, step.name)
    if unknown := sorted(set(given) - set(declared)):
        raise BadInput(_("This step hands on nothing named %(name)s.") % {"name": unknown[0]}, "outputs")
    told = {name: clean_text(given.get(name, ""), LONGEST_OUTPUT).strip() for name in declared}
    told |= {name: external_id for name, label in declared.items() if label == EXTERNAL_ID}
    for name, text in told.items():
        if not text:
            raise BadInput(_("Also say: %(label)s") % {"label": declared[name]}, f"outputs.{name}")
    return told


def _keep(change: Change, step: Step, done: Done) -> None:
    """The step's own changes of our database go with it, as if it had answered."""
    spec = workflow.get(change.task.workflow).known(step.name)
    if spec is None or spec.on_done is None:
        return
    try:
        moves.keep(change, claim.with_items([(step, spec)])[0], done)
    except WHATEVER as error:
        raise WrongState(_("Its change here failed: %(error)s") % {"error": error}) from error


def _external_id(text: str) -> str:
    found = clean_text(text.strip(), LONGEST_ID)
    if not found:
        raise BadInput(_("Enter the id under which it is found outside, such as the number of the ticket."))
    return found
