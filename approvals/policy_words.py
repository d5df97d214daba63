"""Policy overrides in words, and what is wrong with them, for the page of a workflow."""

from collections.abc import Iterator, Mapping

from django.contrib.auth.models import Group
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from approvals.models import PolicyOverride
from taskboard.gates import Ruled
from taskboard.workflow import WorkflowSpec


def rules(spec: WorkflowSpec) -> Mapping[str, Ruled]:
    """By step; under the empty name stands what holds for the budget."""
    return {one.step: Ruled(list(words(one)), one.changed_by_name, one.changed_at) for one in _of(spec)}


def faults(spec: WorkflowSpec) -> list[str]:
    return [fault for one in _of(spec) for fault in _faults(one, spec)]


def words(one: PolicyOverride) -> Iterator[str]:
    """One sentence for each thing that is said instead of the workflow."""
    yield from _who(one)
    yield from _how(one)
    if one.window_hours:
        told = ngettext("%(number)d hour to answer.", "%(number)d hours to answer.", one.window_hours)
        yield told % {"number": one.window_hours}
    if one.on_expiry:
        yield _("Without an answer: %(what)s.") % {"what": one.get_on_expiry_display()}
    if one.escalate_to:
        yield _("Escalated to %(group)s.") % {"group": one.escalate_to}


def _who(one: PolicyOverride) -> Iterator[str]:
    if one.group:
        yield _("Asked of %(group)s.") % {"group": one.group}
    if one.needed:
        agree = ngettext("%(number)d has to agree.", "%(number)d have to agree.", one.needed)
        yield agree % {"number": one.needed}
    if one.then_group:
        yield _("Then also %(number)d of %(group)s.") % {"number": one.then_needed, "group": one.then_group}
    if one.above_usd is not None and one.above_group:
        told = {"usd": f"{one.above_usd.normalize():f}", "group": one.above_group}
        yield _("Above %(usd)s USD also %(group)s.") % told


def _how(one: PolicyOverride) -> Iterator[str]:
    if one.veto is not None:
        yield _("One no decides.") if one.veto else _("As many noes are needed as yeses.")
    if one.starter_may_decide is not None:
        yield _("The starter may decide.") if one.starter_may_decide else _("The starter may not decide.")


def _faults(one: PolicyOverride, spec: WorkflowSpec) -> Iterator[str]:
    if one.step and one.step not in spec.steps:
        yield _("A rule is set for the step %(step)s, which the workflow does not have.") % {"step": one.step}
    for name in dict.fromkeys((one.group, one.then_group, one.above_group, one.escalate_to)):
        if name and not Group.objects.filter(name=name, user__is_active=True).exists():
            told = {"step": one.step or _("the budget"), "group": name}
            yield _("The rule for %(step)s asks the group %(group)s, in which there is nobody.") % told


def _of(spec: WorkflowSpec) -> list[PolicyOverride]:
    return list(PolicyOverride.objects.filter(workflow=spec.name).order_by("step"))
