"""What the workflows of this installation are: their steps in words, versions that were seen, and what to look at."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django import forms
from django.db.models import Count
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django_stubs_ext import StrOrPromise

from taskboard import checks, workflow
from taskboard.checks import Finding
from taskboard.gates import Ruled, gate
from taskboard.models import Task, WorkflowVersion
from taskboard.models.task import OPEN_TASKS
from taskboard.retention import policy
from taskboard.workflow import WorkflowSpec

LAST_VERSIONS = 20
FIELDS: Sequence[tuple[type[forms.Field], StrOrPromise]] = (
    (forms.BooleanField, gettext_lazy("yes or no")),
    (forms.MultipleChoiceField, gettext_lazy("some of a list")),
    (forms.ChoiceField, gettext_lazy("one of a list")),
    (forms.IntegerField, gettext_lazy("number")),
    (forms.DateField, gettext_lazy("day")),
    (forms.DateTimeField, gettext_lazy("time")),
    (forms.FileField, gettext_lazy("file")),
    (forms.URLField, gettext_lazy("address")),
    (forms.JSONField, gettext_lazy("JSON")),
)
"""What a parameter is called by its field, the first that fits; anything else is text."""


@dataclass(frozen=True)
class Parameter:
    """One thing that is asked when a task is started."""

    name: str
    label: str
    kind: str
    required: bool
    secret: bool
    usual: str
    help: str


@dataclass(frozen=True)
class Version:
    """A declaration that was seen, and how many open tasks follow it."""

    version: str
    seen_at: datetime | None
    current: bool
    open: int


@dataclass(frozen=True)
class Known:
    """A workflow as its page shows it."""

    spec: WorkflowSpec
    kept: timedelta | None
    parameters: list[Parameter]
    rules: Mapping[str, Ruled]
    versions: list[Version]
    findings: list[Finding]

    @property
    def open(self) -> int:
        return sum(version.open for version in self.versions)

    @property
    def warnings(self) -> int:
        return sum(finding.is_warning for finding in self.findings)

    @property
    def kept_by_rule(self) -> bool:
        """Whether an administrator changed how long tasks are kept."""
        return self.kept != self.spec.keep_for


def overview() -> list[Known]:
    """All workflows, by title."""
    return [known(spec) for spec in workflow.registered()]


def known(spec: WorkflowSpec) -> Known:
    versions = _versions(spec)
    return Known(
        spec=spec,
        kept=policy.keep_for(spec),
        parameters=parameters(spec),
        rules=gate().rules(spec),
        versions=versions,
        findings=[*checks.findings(spec), *_of_rules(spec), *_of_versions(versions)],
    )


def strangers() -> list[tuple[str, int]]:
    """Workflows that open tasks name and no code declares (any more), with the number of those tasks."""
    named = Task.objects.filter(status__in=OPEN_TASKS).exclude(
        workflow__in=[s.name for s in workflow.registered()]
    )
    found = named.order_by("workflow").values_list("workflow").annotate(number=Count("pk"))
    return [(name, number) for name, number in found if name]


def parameters(spec: WorkflowSpec) -> list[Parameter]:
    return [
        _parameter(name, field) for name, field in (spec.params.base_fields if spec.params else {}).items()
    ]


def _parameter(name: str, field: forms.Field) -> Parameter:
    secret = bool(getattr(field, "secret", False))
    kind = next((str(word) for one, word in FIELDS if isinstance(field, one)), _("text"))
    usual = "" if secret or field.initial is None or callable(field.initial) else str(field.initial)
    label = str(field.label or name)
    return Parameter(
        name, label, _("secret") if secret else kind, field.required, secret, usual, str(field.help_text)
    )


def _versions(spec: WorkflowSpec) -> list[Version]:
    """The newest first; what open tasks follow is there, however old."""
    open_tasks = Task.objects.filter(status__in=OPEN_TASKS, workflow=spec.name).order_by()
    followed = defaultdict(int, open_tasks.values_list("workflow_version").annotate(number=Count("pk")))
    seen = WorkflowVersion.objects.filter(workflow=spec.name).order_by("-seen_at", "-pk")
    times = dict(seen.values_list("version", "seen_at")[:LAST_VERSIONS])
    names = dict.fromkeys([spec.version, *times, *followed])
    return [Version(name, times.get(name), name == spec.version, followed[name]) for name in names]


def _of_rules(spec: WorkflowSpec) -> list[Finding]:
    return [Finding("warning", text) for text in gate().rule_faults(spec)]


def _of_versions(versions: Sequence[Version]) -> list[Finding]:
    number = sum(version.open for version in versions if not version.current)
    told = _(
        "%(number)d open tasks began with an earlier version; when their turn comes, what differs is compared."
    )
    return [Finding("info", told % {"number": number})] if number else []
