"""Whether a deploy has changed the workflow of a task, for the button that lets it go on."""

from django import template

from taskboard import sentences, workflow
from taskboard.engine import deploys
from taskboard.models import Task

register = template.Library()


@register.filter
def changed_by_deploy(task: Task) -> list[str]:
    """What a person has to accept before the task goes on, as sentences; often none."""
    spec = workflow.find(task.workflow)
    if task.held or spec is None or spec.version == task.workflow_version:
        return []
    differs = deploys.difference(task, spec)
    return list(map(sentences.read, differs.sentences)) if differs.asks else []
