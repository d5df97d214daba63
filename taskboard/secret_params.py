"""Secret parameters: a mark in the task, the value encrypted beside it, and the real one for the step that runs."""

from collections.abc import Mapping
from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.utils.translation import gettext as _

from taskboard import audit, lifecycle, redaction, sealing, workflow
from taskboard.errors import BadInput
from taskboard.models import Kind, Task, TaskSecret
from taskboard.outcomes import NotSent
from taskboard.steering.rights import require, require_steerable
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
    return f"{redaction.HIDDEN} {sealing.fingerprint(f'{name}={value}')}"


def public(spec: WorkflowSpec | None, params: Params) -> dict[str, Any]:
    """Without the secrets and their marks: what makes two tasks the same work."""
    hidden = spec.secrets if spec else ()
    return {name: value for name, value in params.items() if name not in hidden}


def changed(spec: WorkflowSpec | None, now: Params, before: Params) -> list[str]:
    """The secrets that differ between two tasks, by name."""
    return [name for name in (spec.secrets if spec else ()) if now.get(name) != before.get(name)]


def keep(task: Task, secrets: Mapping[str, str]) -> None:
    """Store them, encrypted; the caller's transaction holds the task's own row."""
    rows = [TaskSecret(task=task, name=name, sealed=sealing.seal(value)) for name, value in secrets.items()]
    TaskSecret.objects.bulk_create(rows)


def reveal(task: Task) -> Params:
    """The parameters as a running step gets them. From here on this process hides the values in all it writes."""
    marked = {name for name in workflow.secrets_of(task.workflow) if task.params.get(name)}
    if not marked:
        return task.params  # type: ignore[no-any-return]
    kept = {row.name: sealing.unseal(row.sealed) for row in TaskSecret.objects.filter(task=task)}
    values = {name: value for name in marked if (value := kept.get(name))}
    for value in values.values():
        redaction.remember(value)
    rest = {name: value for name, value in task.params.items() if name not in marked}
    return Revealed(rest | values, frozenset(marked - values.keys()))


def replace(task: Task, user: AbstractBaseUser, name: str, value: str) -> None:
    """Another value for a secret of a task that goes on, or one that an imported task came without."""
    require(user)
    spec = workflow.get(task.workflow)
    if spec.params is None or name not in spec.secrets:
        names = ", ".join(spec.secrets) or _("none")
        raise BadInput(_("There is no such secret parameter. There are: %(names)s.") % {"names": names})
    clean = spec.clean({**public(spec, task.params), **_others(task, spec), name: value})[name]
    with lifecycle.changing(task.pk, user.get_username()) as change:
        require_steerable(change)
        TaskSecret.objects.update_or_create(task=task, name=name, defaults={"sealed": sealing.seal(clean)})
        change.set(params={**change.task.params, name: mark(name, clean)})
        change.record(Kind.PERSON, data={"did": "set secret", "name": name})
        audit.record(user, "secret", task, after={"name": name})


def _others(task: Task, spec: WorkflowSpec) -> dict[str, str]:
    """The other secrets, so that the form as a whole can be checked."""
    told = reveal(task)
    return {name: told[name] for name in spec.secrets if name in told}
