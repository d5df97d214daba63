"""Secret parameters: a mark in the task, the value encrypted beside it, and the real one for the step that runs."""

from collections.abc import Mapping
from typing import Any

from taskboard import encryption, redaction, workflow
from taskboard.models import Task, TaskSecret
from taskboard.outcomes import NotSent
from taskboard.workflow import WorkflowSpec

Params = Mapping[str, Any]


class Revealed(dict[str, Any]):
    """The parameters of a task with their secrets. One that is not kept here is missing, and asking for it says so."""

    def __init__(self, params: Params, missing: frozenset[str]) -> None:
        super().__init__(params)
        self._missing = missing

    def __missing__(self, name: str) -> Any:
        if name in self._missing:
            raise NotSent(
                f"The secret parameter {name} is not kept in this installation. Give it with: manage.py setsecret."
            )
        raise KeyError(name)


def split(spec: WorkflowSpec, params: Params) -> tuple[dict[str, Any], dict[str, str]]:
    """Checked parameters with a mark for each secret, and the secrets."""
    secret = {name: str(params[name]) for name in spec.secrets if params.get(name)}
    return {**params, **{name: mark(name, value) for name, value in secret.items()}}, secret


def mark(name: str, value: str) -> str:
    """What stands for a secret: two marks differ where the secrets do."""
    return f"{redaction.HIDDEN} {encryption.fingerprint(f'{name}={value}')}"


def public(spec: WorkflowSpec | None, params: Params) -> dict[str, Any]:
    """Without the secrets and their marks: what makes two tasks the same work."""
    hidden = spec.secrets if spec else ()
    return {name: value for name, value in params.items() if name not in hidden}


def changed(spec: WorkflowSpec | None, now: Params, before: Params) -> list[str]:
    """The secrets that differ between two tasks, by name."""
    return [name for name in (spec.secrets if spec else ()) if now.get(name) != before.get(name)]


def keep(task: Task, secrets: Mapping[str, str]) -> None:
    """Store them, encrypted; the caller's transaction holds the task's own row."""
    rows = [
        TaskSecret(task=task, name=name, sealed=encryption.seal(value)) for name, value in secrets.items()
    ]
    TaskSecret.objects.bulk_create(rows)


def reveal(task: Task) -> Params:
    """The parameters as a running step gets them. From here on this process hides the values in all it writes."""
    marked = {name for name in workflow.secrets_of(task.workflow) if task.params.get(name)}
    if not marked:
        return task.params  # type: ignore[no-any-return]
    kept = {row.name: encryption.unseal(row.sealed) for row in TaskSecret.objects.filter(task=task)}
    values = {name: value for name in marked if (value := kept.get(name))}
    for value in values.values():
        redaction.remember(value)
    rest = {name: value for name, value in task.params.items() if name not in marked}
    return Revealed(rest | values, frozenset(marked - values.keys()))
