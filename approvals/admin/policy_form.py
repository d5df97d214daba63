"""What an administrator may write into a policy: names that exist, and stages that fit together."""

from typing import Any

from django import forms
from django.contrib.auth.models import Group
from django.utils.translation import gettext as _

from approvals.models import PolicyOverride
from taskboard import workflow

GROUPS = ("group", "then_group", "above_group", "escalate_to")


class PolicyOverrideForm(forms.ModelForm):  # type: ignore[type-arg]
    """A typing error here would leave a question without anybody to answer it, so every name is checked."""

    class Meta:
        model = PolicyOverride
        fields = (
            "workflow", "step", "group", "needed", "then_group", "then_needed", "above_usd", "above_group", "veto",
            "starter_may_decide", "window_hours", "on_expiry", "escalate_to",
        )  # fmt: skip

    def clean(self) -> dict[str, Any]:
        said = super().clean() or {}
        self._check_step(said.get("workflow", ""), said.get("step", ""))
        names = {name: said.get(name) for name in GROUPS if said.get(name)}
        there = set(Group.objects.filter(name__in=names.values()).values_list("name", flat=True))
        for field, name in names.items():
            if name not in there:
                self.add_error(field, _("There is no group with this name."))
        if (said.get("above_usd") is None) == bool(said.get("above_group")):
            self.add_error("above_group", _("Give both the amount and the group, or neither."))
        return said

    def _check_step(self, name: str, step: str) -> None:
        known = {spec.name: spec for spec in workflow.registered()}
        if name not in known:
            self.add_error("workflow", _("There is no such workflow. Known: %s.") % ", ".join(sorted(known)))
        elif step and step not in known[name].steps:
            self.add_error("step", _("Its steps are: %s.") % ", ".join(known[name].steps))
