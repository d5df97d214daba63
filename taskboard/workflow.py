"""What an author of a workflow imports: the declaration of steps, checked when it is imported."""

import hashlib
import inspect
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from decimal import Decimal
from graphlib import CycleError, TopologicalSorter
from typing import Any, TypeVar

from django import forms
from django_stubs_ext import StrOrPromise

from taskboard.errors import BadInput, BrokenWorkflow
from taskboard.outcomes import (
    Absent,
    Ask,
    CannotTell,
    Done,
    Found,
    GiveUp,
    GoBack,
    NewArtifact,
    NewItem,
    NotSent,
    NotVerified,
    Policy,
    Retries,
    Retry,
    Skip,
    StillRunning,
    Usage,
    Verified,
)

__all__ = [
    "ASK_A_PERSON",
    "EVERYTHING",
    "REPEATABLE",
    "Absent",
    "Ask",
    "CannotTell",
    "Done",
    "Found",
    "GiveUp",
    "GoBack",
    "NewArtifact",
    "NewItem",
    "NotSent",
    "NotVerified",
    "Policy",
    "Retries",
    "Retry",
    "Skip",
    "StepSpec",
    "StillRunning",
    "Usage",
    "Verified",
    "WorkflowSpec",
    "get",
    "read_step",
    "registered",
    "workflow",
    "write_step",
]  # fmt: skip

REPEATABLE = "repeatable"
"""`find=REPEATABLE`: doing the write a second time changes nothing more."""
ASK_A_PERSON = "ask a person"
"""`find=ASK_A_PERSON`: nobody but a person can find out whether the write happened."""
EVERYTHING = ("*",)
"""`after_all=EVERYTHING`: when every other step of the task has settled, whatever came of it."""

Function = Callable[..., Any]
Estimate = Decimal | str | Callable[[Mapping[str, Any]], Decimal]
C = TypeVar("C", bound=type)


@dataclass(frozen=True)
class StepSpec:
    """One step as declared. `call`, `find`, `verify` and `approval` are functions of (workflow, ctx). `link` is
    where people see the effect, such as `https://tracker.example.org/tickets/{external_id}`; `{key}` works too."""

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
    approval: Function | None = None
    undo: Function | None = None
    on_go_back: str = "keep"
    effect_key: Function | None = None
    system: str = ""
    link: str = ""
    fresh_for: timedelta | None = None
    estimate: Estimate = Decimal(0)
    retry: Retries = field(default_factory=Retries)
    time_limit: timedelta = timedelta(minutes=10)
    declared: tuple[str, ...] = field(default=(), repr=False)

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


@dataclass(frozen=True)
class WorkflowSpec:
    """A workflow as registered; `owner` is the instance whose methods the steps are."""

    name: str
    owner: Any
    title: StrOrPromise
    plan: tuple[StrOrPromise, ...]
    params: type[forms.Form] | None
    steps: Mapping[str, StepSpec]
    parallel: int
    max_go_backs: int
    keep_for: timedelta
    version: str

    @property
    def item_steps(self) -> list[StepSpec]:
        return [step for step in self.steps.values() if not step.whole_task]

    @property
    def task_steps(self) -> list[StepSpec]:
        return [step for step in self.steps.values() if step.whole_task]

    @property
    def roots(self) -> list[StepSpec]:
        """The steps that every item begins with."""
        return [step for step in self.item_steps if not step.after]

    def step(self, name: str) -> StepSpec:
        """The step of that name; raises BrokenWorkflow if the code no longer has it."""
        if name not in self.steps:
            raise BrokenWorkflow(f"The workflow {self.name} has no step {name!r} (any more).")
        return self.steps[name]

    def goal(self, params: Mapping[str, Any]) -> str:
        """One sentence on what a task with these parameters is for."""
        make = getattr(self.owner, "goal", None)
        return str(make(params)) if make else str(self.title)

    def clean(self, params: Mapping[str, Any]) -> dict[str, Any]:
        """Checked parameters as plain JSON values; raises BadInput with the name of the first bad one."""
        if self.params is None:
            return dict(params)
        form = self.params(data={**_initial(self.params), **params})
        unknown = sorted(set(params) - set(form.fields))
        if unknown:
            known = ", ".join(form.fields)
            raise BadInput(f"There is no such parameter; {self.name} knows: {known}.", f"params.{unknown[0]}")
        if not form.is_valid():
            name, errors = next(iter(form.errors.items()))
            raise BadInput(" ".join(map(str, errors)), f"params.{name}" if name != "__all__" else "params")
        return {name: _plain(value) for name, value in form.cleaned_data.items()}


_registry: dict[str, WorkflowSpec] = {}


def registered() -> list[WorkflowSpec]:
    """All workflows, by title."""
    return sorted(_registry.values(), key=lambda spec: str(spec.title))


def get(name: str) -> WorkflowSpec:
    """The workflow of that name; raises BrokenWorkflow with the known names."""
    if name not in _registry:
        raise BrokenWorkflow(
            f"There is no workflow {name!r} here. Known: {', '.join(sorted(_registry)) or 'none'}."
        )
    return _registry[name]


def read_step(**options: Any) -> Callable[[Function], Function]:
    """Declare a method as a step that changes nothing outside; it may simply run again."""
    return _declare(writes=False, options=options)


def write_step(**options: Any) -> Callable[[Function], Function]:
    """Declare a method as a step that changes the outside world, and how its outcome is found out."""
    return _declare(writes=True, options=options)


def workflow(
    name: str,
    *,
    title: StrOrPromise = "",
    plan: Sequence[StrOrPromise] = (),
    params: type[forms.Form] | None = None,
    parallel: int = 8,
    max_go_backs: int = 3,
    keep_for: timedelta = timedelta(days=90),
) -> Callable[[C], C]:
    """Register a class of steps under `name`. Raises BrokenWorkflow if the declaration contradicts itself."""

    def register(cls: C) -> C:
        steps = {spec.name: spec for spec in _steps_of(cls)}
        _check(name, cls, steps)
        _registry[name] = WorkflowSpec(
            name=name, owner=cls(), title=title or name, plan=tuple(plan), params=params, steps=steps,
            parallel=parallel, max_go_backs=max_go_backs, keep_for=keep_for, version=_version(name, steps),
        )  # fmt: skip
        return cls

    return register


def _declare(*, writes: bool, options: dict[str, Any]) -> Callable[[Function], Function]:
    for name in ("after", "after_all"):
        if isinstance(options.get(name), str):
            options[name] = (options[name],)
    unknown = sorted(set(options) - set(StepSpec.__dataclass_fields__))
    if unknown:
        raise BrokenWorkflow(f"A step has no option {unknown[0]!r}.")

    def mark(call: Function) -> Function:
        spec = StepSpec(
            name=call.__name__, call=call, writes=writes, declared=tuple(sorted(options)), **options
        )
        call.step_spec = spec  # type: ignore[attr-defined]
        return call

    return mark


def _steps_of(cls: type) -> list[StepSpec]:
    members = [value for base in reversed(cls.__mro__) for value in vars(base).values()]
    return [value.step_spec for value in members if hasattr(value, "step_spec")]


def _check(name: str, cls: type, steps: dict[str, StepSpec]) -> None:
    if not steps:
        raise BrokenWorkflow(f"{name}: a workflow needs at least one step.")
    if not callable(getattr(cls, "items", None)):
        raise BrokenWorkflow(f"{name}: a workflow needs a method items(self, reading) that yields its items.")
    if not any(not step.after and not step.whole_task for step in steps.values()):
        raise BrokenWorkflow(f"{name}: no step can be the first, each waits for another one.")
    for step in steps.values():
        _check_names(name, step, steps)
        if step.writes:
            _check_write(name, step)
    try:
        TopologicalSorter({s.name: (*s.after, *_waits_for(s, steps)) for s in steps.values()}).prepare()
    except CycleError as error:
        raise BrokenWorkflow(f"{name}: steps wait for each other in a circle: {error.args[1]}.") from error


def _check_names(name: str, step: StepSpec, steps: dict[str, StepSpec]) -> None:
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


def _waits_for(step: StepSpec, steps: dict[str, StepSpec]) -> tuple[str, ...]:
    if step.after_all == EVERYTHING:
        return tuple(other.name for other in steps.values() if other.after_all != EVERYTHING)
    return step.after_all


def _version(name: str, steps: dict[str, StepSpec]) -> str:
    """A hash of the declaration: names, order, options and the source of each step."""
    told = [
        (s.name, s.writes, s.after, s.after_all, s.on_go_back, str(s.time_limit), str(s.retry), _code(s.call))
        for s in steps.values()
    ]
    return hashlib.sha256(json.dumps([name, told]).encode()).hexdigest()[:12]


def _code(call: Function) -> str:
    try:
        return inspect.getsource(call)
    except OSError:  # declared in an interactive session
        return call.__code__.co_code.hex()


def _initial(form: type[forms.Form]) -> dict[str, Any]:
    return {name: f.initial for name, f in form.base_fields.items() if f.initial is not None}


def _plain(value: Any) -> Any:
    if isinstance(value, Decimal):
        return str(value)
    return value if isinstance(value, (bool, int, float, list, dict, type(None))) else str(value)
