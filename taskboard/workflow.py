"""What an author of a workflow imports: the declaration of steps, checked when it is imported."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from functools import cached_property
from typing import Any, TypeVar

from django import forms
from django_stubs_ext import StrOrPromise

from taskboard import declaration, versions
from taskboard.declaration import ASK_A_PERSON, EVERYTHING, EXTERNAL_ID, REPEATABLE, Function, StepSpec
from taskboard.errors import BadInput, BrokenWorkflow
from taskboard.outcomes import (
    Above,
    Absent,
    Ask,
    CannotTell,
    Counted,
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
    Stage,
    StillRunning,
    Usage,
    Verified,
)
from taskboard.secret_field import SecretField

__all__ = [
    "ASK_A_PERSON",
    "EVERYTHING",
    "EXTERNAL_ID",
    "REPEATABLE",
    "Above",
    "Absent",
    "Ask",
    "CannotTell",
    "Counted",
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
    "SecretField",
    "Skip",
    "Stage",
    "StepSpec",
    "StillRunning",
    "Usage",
    "Verified",
    "WorkflowSpec",
    "find",
    "get",
    "read_step",
    "registered",
    "workflow",
    "write_step",
]  # fmt: skip

C = TypeVar("C", bound=type)


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
    undo: Mapping[str, StepSpec]

    @property
    def item_steps(self) -> list[StepSpec]:
        return [step for step in self.steps.values() if not step.whole_task]

    @property
    def task_steps(self) -> list[StepSpec]:
        return [step for step in self.steps.values() if step.whole_task]

    @cached_property
    def systems(self) -> Mapping[str, tuple[str, ...]]:
        """The outside systems that are written to, each with the names of the steps that do so."""
        writes = [step for step in (*self.steps.values(), *self.undo.values()) if step.writes and step.system]
        return {s.system: tuple(one.name for one in writes if one.system == s.system) for s in writes}

    @cached_property
    def secrets(self) -> tuple[str, ...]:
        """The parameters that nobody may see."""
        fields = self.params.base_fields.items() if self.params else ()
        return tuple(name for name, field in fields if getattr(field, "secret", False))

    @cached_property
    def facts(self) -> Mapping[str, tuple[StepSpec, ...]]:
        """By the writes: the reads before them that are worth something for a time only."""
        found = {
            step.name: tuple(one for one in self.before(step.name) if one.fresh_for is not None)
            for step in self.steps.values()
            if step.writes
        }
        return {name: facts for name, facts in found.items() if facts}

    def before(self, name: str) -> list[StepSpec]:
        """The steps that this one comes after, directly or by others."""
        found: dict[str, StepSpec] = {}
        reached = [self.steps[name]]
        while reached:
            names = {dep for step in reached for dep in step.after} - set(found)
            reached = [self.steps[dep] for dep in names]
            found |= {step.name: step for step in reached}
        return list(found.values())

    @property
    def roots(self) -> list[StepSpec]:
        """The steps that every item begins with."""
        return [step for step in self.item_steps if not step.after]

    def known(self, name: str) -> StepSpec | None:
        """The step of that name, also one that takes an effect back; None if the code no longer has it."""
        return self.steps.get(name) or self.undo.get(name)

    def step(self, name: str) -> StepSpec:
        """The step of that name; raises BrokenWorkflow if the code no longer has it."""
        if name not in self.steps:
            raise BrokenWorkflow(f"The workflow {self.name} has no step {name!r} (any more).")
        return self.steps[name]

    def goal(self, params: Mapping[str, Any]) -> str:
        """One sentence on what a task with these parameters is for."""
        make = getattr(self.owner, "goal", None)
        return str(make(params)) if make else str(self.title)

    def count(self, params: Mapping[str, Any]) -> Counted | None:
        """What a task with these parameters would work on; None if the workflow does not count beforehand.
        Raises BadInput if the source cannot be used."""
        counted = getattr(self.owner, "estimate", None)
        return counted(params) if counted else None

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


def find(name: str) -> WorkflowSpec | None:
    """The workflow of that name; None if the code does not have it (any more)."""
    return _registry.get(name)


def get(name: str) -> WorkflowSpec:
    """The workflow of that name; raises BrokenWorkflow with the known names."""
    if name not in _registry:
        raise BrokenWorkflow(
            f"There is no workflow {name!r} here. Known: {', '.join(sorted(_registry)) or 'none'}."
        )
    return _registry[name]


def systems_of(name: str) -> Mapping[str, tuple[str, ...]]:
    """What the workflow of that name writes to; nothing if the code no longer has it."""
    spec = find(name)
    return spec.systems if spec else {}


def secrets_of(name: str) -> tuple[str, ...]:
    """The secret parameters of the workflow of that name; none if the code no longer has it."""
    spec = find(name)
    return spec.secrets if spec else ()


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
        _refuse_taken(name, cls)
        declaration.check(name, cls, steps)
        _registry[name] = WorkflowSpec(
            name=name, owner=cls(), title=title or name, plan=tuple(plan), params=params, steps=steps,
            parallel=parallel, max_go_backs=max_go_backs, keep_for=keep_for,
            version=versions.version(name, steps),
            undo={declaration.undo_name(s.name): declaration.undo_of(s) for s in steps.values() if s.undo},
        )  # fmt: skip
        return cls

    return register


def _declare(*, writes: bool, options: dict[str, Any]) -> Callable[[Function], Function]:
    for name in ("after", "after_all"):
        if isinstance(options.get(name), str):
            options[name] = (options[name],)
    unknown = sorted(set(options) - (set(StepSpec.__dataclass_fields__) - declaration.OF_THE_ENGINE))
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


def _initial(form: type[forms.Form]) -> dict[str, Any]:
    return {name: f.initial for name, f in form.base_fields.items() if f.initial is not None}


def _plain(value: Any) -> Any:
    if isinstance(value, Decimal):
        return str(value)
    return value if isinstance(value, (bool, int, float, list, dict, type(None))) else str(value)


def _refuse_taken(name: str, cls: type) -> None:
    """The later of two would carry on the tasks of the other, with other steps."""
    there = find(name)
    if there and type(there.owner).__module__ != cls.__module__:
        raise BrokenWorkflow(
            f"{cls.__module__}.{cls.__qualname__}: the name {name!r} belongs to "
            f"{type(there.owner).__module__}.{type(there.owner).__qualname__}; give this one another."
        )
