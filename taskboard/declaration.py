"""What a step declares, and whether a declaration contradicts itself."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from decimal import Decimal
from graphlib import CycleError, TopologicalSorter
from typing import Any

from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop
from django_stubs_ext import StrOrPromise

from taskboard.errors import BadInput, BrokenWorkflow
from taskboard.money import to_micro
from taskboard.outcomes import Done, Outcome, Retries

REPEATABLE = "repeatable"
"""`find=REPEATABLE`: doing the write a second time changes nothing more."""
ASK_A_PERSON = "ask a person"
"""`find=ASK_A_PERSON`: nobody but a person can find out whether the write happened."""
EVERYTHING = ("*",)
"""`after_all=EVERYTHING`: when every other step of the task has settled, whatever came of it."""
EXTERNAL_ID = "external id"
"""`by_hand={"ticket": EXTERNAL_ID}`: this output is the id under which the effect is found outside."""
LONGEST_NAME = 90
SYSTEM = re.compile(r"[-\w]{0,60}", re.ASCII)
"""The name of an outside system, as it stands in an address."""
OF_THE_ENGINE = {"name", "call", "writes", "declared", "undoes"}

Function = Callable[..., Any]
Estimate = Decimal | str | Callable[[Mapping[str, Any]], Decimal]


@dataclass(frozen=True)
class StepSpec:
    """One step as declared. `call`, `find`, `verify`, `approval`, `undo` and `effect_key` are functions of
    (workflow, ctx), `verify` and `on_done` get the Done too. `check_edit` gets (workflow, action) as a person changed
    the action, and raises ValueError with a sentence if it cannot be done. `link` is where people see the effect, as
    `https://tracker.example.org/tickets/{external_id}`; `where` says in a sentence how they look for it where no
    address leads there. In both `{key}` works too, and `{id}` is the external id or else, as long as it is unknown,
    the key."""

    name: str
    call: Function
    writes: bool
    after: tuple[str, ...] = ()
    after_all: tuple[str, ...] = ()
    label: str = ""
    find: Function | str | None = None
    settle_after: timedelta = timedelta(0)
    verify: Function | None = None
    unverified: str = ""
    on_done: Function | None = None
    by_hand: Mapping[str, StrOrPromise] = field(default_factory=dict)
    approval: Function | None = None
    check_edit: Function | None = None
    undo: Function | None = None
    on_go_back: str = "keep"
    effect_key: Function | None = None
    system: str = ""
    link: str = ""
    where: StrOrPromise = ""
    fresh_for: timedelta | None = None
    estimate: Estimate = Decimal(0)
    retry: Retries = field(default_factory=Retries)
    time_limit: timedelta = timedelta(minutes=10)
    declared: tuple[str, ...] = field(default=(), repr=False)
    undoes: str = ""

    @property
    def whole_task(self) -> bool:
        return bool(self.after_all)

    @property
    def finds(self) -> Function | None:
        """The function that looks the effect up, if there is one."""
        return self.find if callable(self.find) else None

    def estimate_usd(self, params: Mapping[str, Any]) -> Decimal:
        """What one execution is expected to cost with these parameters."""
        return self.estimate(params) if callable(self.estimate) else Decimal(self.estimate)


def undo_name(step: str) -> str:
    """The step that takes the effect of a step back; no method can have this name."""
    return f"undo-{step}"


def undo_of(step: StepSpec) -> StepSpec:
    """The step that calls the `undo` of a step; it may be called again after a crash."""
    undo = step.undo

    def call(owner: Any, ctx: Any) -> Outcome:
        outcome = undo(owner, ctx) if undo else None
        return Done("Taken back.") if outcome is None else outcome

    label: Any = format_lazy(_("Take back: {step}"), step=step.label or step.name)
    return StepSpec(
        name=undo_name(step.name), label=label, call=call, writes=True, find=REPEATABLE, after_all=step.after_all,
        unverified=gettext_noop("It takes the effect of a step back; doing so twice changes nothing more."),
        system=step.system, retry=step.retry, time_limit=step.time_limit, undoes=step.name,
    )  # fmt: skip


def check(name: str, cls: type, steps: Mapping[str, StepSpec]) -> None:
    """Raises BrokenWorkflow with a sentence on the first contradiction."""
    if not steps:
        raise BrokenWorkflow(f"{name}: a workflow needs at least one step.")
    if not callable(getattr(cls, "items", None)):
        raise BrokenWorkflow(f"{name}: a workflow needs a method items(self, reading) that yields its items.")
    if not any(not step.after and not step.whole_task for step in steps.values()):
        raise BrokenWorkflow(f"{name}: no step can be the first, each waits for another one.")
    for step in steps.values():
        _check_names(name, step, steps)
        _check_limits(name, step)
        _check_go_back(name, step)
        if step.writes:
            _check_write(name, step)
        else:
            _check_read(name, step)
    try:
        TopologicalSorter({s.name: (*s.after, *_waits_for(s, steps)) for s in steps.values()}).prepare()
    except CycleError as error:
        raise BrokenWorkflow(f"{name}: steps wait for each other in a circle: {error.args[1]}.") from error


def _check_names(name: str, step: StepSpec, steps: Mapping[str, StepSpec]) -> None:
    if len(step.name) > LONGEST_NAME:
        raise BrokenWorkflow(f"{name}.{step.name}: a name has at most {LONGEST_NAME} characters.")
    if not SYSTEM.fullmatch(step.system):
        raise BrokenWorkflow(
            f"{name}.{step.name}: a system is named by at most 60 letters, digits, - and _, not {step.system!r}."
        )
    for other in (*step.after, *(() if step.after_all == EVERYTHING else step.after_all)):
        if other not in steps:
            raise BrokenWorkflow(f"{name}.{step.name}: waits for {other!r}, which is not a step.")
    for other in step.after:
        if steps[other].whole_task and not step.whole_task:
            raise BrokenWorkflow(
                f"{name}.{step.name}: an item cannot wait for the whole-task step {other!r}; use after_all."
            )
        if step.whole_task and not steps[other].whole_task:
            raise BrokenWorkflow(
                f"{name}.{step.name}: a whole-task step waits for {other!r} of all items: use after_all."
            )


def _check_limits(name: str, step: StepSpec) -> None:
    if step.time_limit <= timedelta(0):
        raise BrokenWorkflow(f"{name}.{step.name}: a time limit is longer than no time at all.")
    try:
        to_micro("0" if callable(step.estimate) else step.estimate)
    except BadInput as error:
        raise BrokenWorkflow(f"{name}.{step.name}: estimate: {error.message}") from error


def _check_go_back(name: str, step: StepSpec) -> None:
    if step.on_go_back not in ("keep", "undo", "repeat"):
        raise BrokenWorkflow(f"{name}.{step.name}: on_go_back is 'keep', 'undo' or 'repeat'.")
    if step.on_go_back == "undo" and step.undo is None:
        raise BrokenWorkflow(f"{name}.{step.name}: on_go_back='undo' needs an undo function.")


def _check_write(name: str, step: StepSpec) -> None:
    if not callable(step.find) and step.find not in (REPEATABLE, ASK_A_PERSON):
        raise BrokenWorkflow(
            f"{name}.{step.name}: a write step needs find=<function>, find=REPEATABLE or find=ASK_A_PERSON,"
            " so that its outcome can be found out after a crash."
        )
    if step.verify is None and not step.unverified:
        raise BrokenWorkflow(
            f"{name}.{step.name}: a write step needs verify=<function> or unverified='why not'."
        )


def _check_read(name: str, step: StepSpec) -> None:
    for option in ("effect_key", "undo", "by_hand"):
        if getattr(step, option):
            raise BrokenWorkflow(
                f"{name}.{step.name}: {option} is for write steps; this one changes nothing outside."
            )


def _waits_for(step: StepSpec, steps: Mapping[str, StepSpec]) -> tuple[str, ...]:
    if step.after_all == EVERYTHING:
        return tuple(other.name for other in steps.values() if other.after_all != EVERYTHING)
    return step.after_all
