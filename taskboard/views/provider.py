"""Where people see the effect of a step outside, if its workflow knows the address."""

from urllib.parse import quote

from taskboard.models import Step
from taskboard.workflow import StepSpec


def link_to(spec: StepSpec | None, step: Step) -> str:
    """The address, or an empty text; what it is made of came from outside, so it is quoted."""
    if spec is None or not spec.link.startswith(("https://", "http://")):
        return ""
    parts = {"{external_id}": step.external_id, "{key}": step.idempotency_key or ""}
    link = spec.link
    for name, value in parts.items():
        if name in link and not value:
            return ""
        link = link.replace(name, quote(value, safe=""))
    return link
