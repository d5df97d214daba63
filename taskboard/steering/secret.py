"""Another value for a secret parameter of a task."""

from django.contrib.auth.models import AbstractBaseUser
from django.utils.translation import gettext as _

from taskboard import audit, encryption, lifecycle, secret_params, workflow
from taskboard.errors import BadInput
from taskboard.models import Kind, Task, TaskSecret
from taskboard.rights import require, require_steerable
from taskboard.workflow import WorkflowSpec


def replace(task: Task, user: AbstractBaseUser, name: str, value: str) -> None:
    """Another value for a secret of a task that goes on, or one that an imported task came without."""
    require(user)
    spec = workflow.get(task.workflow)
    if spec.params is None or name not in spec.secrets:
        names = ", ".join(spec.secrets) or _("none")
        raise BadInput(_("There is no such secret parameter. There are: %(names)s.") % {"names": names})
    clean = spec.clean({**secret_params.public(spec, task.params), **_others(task, spec), name: value})[name]
    with lifecycle.changing(task.pk, user.get_username()) as change:
        require_steerable(change)
        TaskSecret.objects.update_or_create(task=task, name=name, defaults={"sealed": encryption.seal(clean)})
        change.set(params={**change.task.params, name: secret_params.mark(name, clean)})
        change.record(Kind.PERSON, data={"did": "set secret", "name": name})
        audit.record(user, "secret", task, after={"name": name})


def _others(task: Task, spec: WorkflowSpec) -> dict[str, str]:
    """The other secrets, so that the form as a whole can be checked."""
    told = secret_params.reveal(task)
    return {name: told[name] for name in spec.secrets if name in told}
