"""What a workflow declares, as plain values, and what differs between two declarations. Pure."""

import hashlib
import inspect
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from taskboard import sentences

if TYPE_CHECKING:
    from taskboard.declaration import StepSpec

FUNCTIONS = ("call", "find", "verify", "on_done", "approval", "undo", "effect_key", "estimate")
CODE, NAME = "code", "name"
Described = Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class Difference:
    """What a later declaration has that the earlier one had not, and the other way round."""

    gone: list[str] = field(default_factory=list)
    new: list[str] = field(default_factory=list)
    changed: dict[str, list[str]] = field(default_factory=dict)
    code: list[str] = field(default_factory=list)
    moved: bool = False

    @property
    def asks(self) -> bool:
        """A person has to say whether to go on: more than the code within the steps differs."""
        return bool(self.gone or self.new or self.changed or self.moved)

    @property
    def sentences(self) -> list[str]:
        """As they are kept."""
        return [
            *(sentences.STEP_GONE(name) for name in self.gone),
            *(sentences.STEP_NEW(name) for name in self.new),
            *(
                sentences.STEP_CHANGED(step=name, options=", ".join(options))
                for name, options in self.changed.items()
            ),
            *([sentences.STEPS_MOVED()] if self.moved else []),
        ]


def described(steps: Mapping[str, "StepSpec"]) -> list[dict[str, Any]]:
    """The steps in their order, each with its options and a hash of its code."""
    return [_told(spec) for spec in steps.values()]


def version(name: str, steps: Mapping[str, "StepSpec"]) -> str:
    """A hash of the declaration: names, order, options, and the code of each step."""
    return _hash([name, described(steps)])


def compare(was: Described, now: Described) -> Difference:
    """What differs. The order counts among the steps that both have."""
    before, after = ({step[NAME]: step for step in steps} for steps in (was, now))
    both = [name for name in after if name in before]
    changed = {name: list(_options(before[name], after[name])) for name in both}
    return Difference(
        gone=[name for name in before if name not in after],
        new=[name for name in after if name not in before],
        changed={name: options for name, options in changed.items() if options},
        code=[name for name in both if before[name].get(CODE) != after[name].get(CODE)],
        moved=both != [name for name in before if name in after],
    )


def _told(spec: "StepSpec") -> dict[str, Any]:
    retry, fresh = spec.retry, spec.fresh_for
    return {
        NAME: spec.name, "writes": spec.writes, "after": list(spec.after), "after_all": list(spec.after_all),
        "find": "looked up" if callable(spec.find) else spec.find, "settle_after": str(spec.settle_after),
        "verify": spec.verify is not None, "approval": spec.approval is not None, "undo": spec.undo is not None,
        "on_go_back": spec.on_go_back, "effect_key": spec.effect_key is not None,
        "fresh_for": None if fresh is None else str(fresh), "time_limit": str(spec.time_limit),
        "estimate": "worked out" if callable(spec.estimate) else str(spec.estimate),
        "retry": [retry.times, str(retry.first), str(retry.longest)],
        CODE: _hash([_code(getattr(spec, name)) for name in FUNCTIONS if callable(getattr(spec, name))]),
    }  # fmt: skip


def _options(was: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[str]:
    """The options that differ; one that only one of them knows came with another release of Taskboard."""
    return (name for name in now if name != CODE and name in was and was[name] != now[name])


def _hash(told: Any) -> str:
    return hashlib.sha256(json.dumps(told).encode()).hexdigest()[:12]


def _code(call: Callable[..., Any]) -> str:
    try:
        return inspect.getsource(call)
    except (OSError, TypeError):  # declared in an interactive session, or not a plain function
        return str(getattr(getattr(call, "__code__", None), "co_code", b"").hex())
