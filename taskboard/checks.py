"""What a declaration allows and its author should know. (What contradicts itself does not even start.)"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.core import checks
from django.utils.translation import gettext as _

from taskboard import workflow
from taskboard.declaration import ASK_A_PERSON, StepSpec
from taskboard.workflow import WorkflowSpec

WARNING, INFO = "warning", "info"


@dataclass(frozen=True)
class Finding:
    """`warning`: something may go wrong. `info`: it is meant so, and good to know."""

    level: str
    text: str

    @property
    def is_warning(self) -> bool:
        return self.level == WARNING


@checks.register("workflows")
def check_workflows(app_configs: Any, **options: Any) -> list[checks.CheckMessage]:
    """The warnings, for `manage.py check`."""
    return [
        checks.Warning(finding.text, obj=spec.name, id="taskboard.W001")
        for spec in workflow.registered()
        for finding in findings(spec)
        if finding.is_warning
    ]


def findings(spec: WorkflowSpec) -> list[Finding]:
    found = [finding for step in spec.steps.values() for finding in _of_step(step)]
    if spec.params is None:
        found.append(Finding(INFO, _("Its parameters are not declared: whatever is handed in is taken.")))
    return sorted(found, key=lambda finding: not finding.is_warning)


def _of_step(step: StepSpec) -> Iterator[Finding]:
    if not step.writes:
        return
    named = {"step": step.name}
    if step.on_go_back == "repeat" and step.effect_key is None:
        told = _("After a go-back %(step)s writes again and has no effect key: the same may be there twice.")
        yield Finding(WARNING, told % named)
    if not step.system:
        yield Finding(INFO, _("%(step)s names no outside system, so no freeze stops it.") % named)
    if step.find == ASK_A_PERSON:
        told = _("If a worker dies within %(step)s, a person has to find out what happened.")
        yield Finding(INFO, told % named)
    if step.verify is None:
        told = _("The result of %(step)s is not proven. Its author says: %(why)s")
        yield Finding(INFO, told % {**named, "why": step.unverified})
