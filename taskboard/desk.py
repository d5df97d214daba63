"""The desk for outcomes that nobody but a person can find out: it happened, it did not, give up."""

from collections.abc import Sequence
from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.utils.translation import gettext as _

from taskboard import lifecycle
from taskboard.change import Change
from taskboard.cleaning import clean_text
from taskboard.errors import BadInput, NotFound
from taskboard.models import Step, StepStatus
from taskboard.steering.moving import locked, move
from taskboard.steering.rights import require, said

S = StepStatus
LONGEST_ID = 300
GIVEN_UP = "GivenUp"
"""The error class of a step that a person gave up."""


def happened(step: Step, user: AbstractBaseUser, external_id: str, why: str = "") -> None:
    """The outside world has done it, under this id: the step is done, on the word of this person."""
    require(user)
    found = _external_id(external_id)
    with lifecycle.changing(step.task_id, user.get_username()) as change:
        current = _unknown(step)
        said_by = f"said by {user.get_username()}"
        fields = {
            "external_id": found, "executed_at": current.executed_at or change.now, "verified_at": change.now,
            "verified_how": said_by, "checked_at": change.now, "error": "", "error_class": "", "failures": 0,
            "summary": current.summary or f"It happened, {said_by}.",
        }  # fmt: skip
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
        _settle(change, current, S.PENDING, fields, "it did not happen", why, key=current.idempotency_key)


def give_up(step: Step, user: AbstractBaseUser, reason: str) -> None:
    """Nobody can find out, or nobody will: the step has failed."""
    require(user)
    reason = said(reason, _("Say why you give up; the journal keeps it."))
    with lifecycle.changing(step.task_id, user.get_username()) as change:
        current = _unknown(step)
        fields = {"error": _("Given up: %s") % reason, "error_class": GIVEN_UP}
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
    return locked(step, (S.UNKNOWN,), "settled")


def _settle(
    change: Change, step: Step, to: StepStatus, fields: dict[str, Any], did: str, why: str, **told: Any
) -> None:
    told = {"was": step.error, "reason": clean_text(why, 2000).strip(), **told}
    move(change, step, to, fields, did, **{name: value for name, value in told.items() if value})


def _external_id(text: str) -> str:
    found = clean_text(text.strip(), LONGEST_ID)
    if not found:
        raise BadInput(_("Enter the id under which it is found outside, such as the number of the ticket."))
    return found
