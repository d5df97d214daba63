"""Where people see the effect of a step outside: the address, or how to look where there is none."""

from urllib.parse import quote

from django.utils.translation import gettext as _

from taskboard.models import Step
from taskboard.workflow import StepSpec


def link_to(spec: StepSpec | None, step: Step) -> str:
    """The address, or an empty text; what it is made of came from outside, so it is quoted."""
    if spec is None or not spec.link.startswith(("https://", "http://")):
        return ""
    link = spec.link
    for name, value in _parts(step).items():
        if name in link and not value:
            return ""
        link = link.replace(name, quote(value, safe=""))
    return link


def where_to_look(spec: StepSpec | None, step: Step) -> str:
    """A sentence for the person who has to find out whether it happened; empty where a link leads there."""
    if link_to(spec, step):
        return ""
    told = str(spec.where) if spec else ""
    for name, value in _parts(step).items():
        told = told.replace(name, value)
    return told or _("Nobody has said where to look. Search the outside system for the key of this step.")


def _parts(step: Step) -> dict[str, str]:
    key = step.idempotency_key or ""
    return {"{external_id}": step.external_id, "{key}": key, "{id}": step.external_id or key}
