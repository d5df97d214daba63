"""What the desk asks of a person who says that a step has happened."""

from django import template

from taskboard import desk
from taskboard.models import Step, Task
from taskboard.views import effect_links, funnel

register = template.Library()


@register.filter
def asked(step: Step, task: Task) -> dict[str, str]:
    """Labels by name of what later steps need and only the person can tell now; often none."""
    return desk.asked(task.workflow, step.name)


@register.filter
def where_to_look(step: Step, task: Task) -> str:
    """How the person finds out whether it happened; empty where a link leads there."""
    spec = funnel.spec_of(task)
    return effect_links.where_to_look(spec.known(step.name) if spec else None, step)
