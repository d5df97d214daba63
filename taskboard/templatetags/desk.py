"""What the desk asks of a person who says that a step has happened."""

from django import template

from taskboard import desk
from taskboard.models import Step, Task

register = template.Library()


@register.filter
def asked(step: Step, task: Task) -> dict[str, str]:
    """Labels by name of what later steps need and only the person can tell now; often none."""
    return desk.asked(task.workflow, step.name)
