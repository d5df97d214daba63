"""Runs the eight steps in order; stops at the first refusal."""

from taskboard import lifecycle
from taskboard.models import Kind, Task
from taskboard.resume import steps
from taskboard.resume.state import Resume


def resume_task(
    task: Task, actor: str, *, by_person: bool = True, workflow: str = "", accept_version: bool = False
) -> Resume:
    """Bring a task back to work. Raises WrongState with the reason why it may not be resumed; a workflow that
    a deploy has changed has to be accepted.
    A resume by a person also ends a pause and lets an imported task go; the sweep's does neither."""
    resume = Resume(task, actor, by_person, workflow, accept_version)
    for number, step in enumerate(steps.IN_ORDER, 1):
        resume.found.append((number, step.__name__, step(resume)))
    _journal(resume)
    return resume


def _journal(resume: Resume) -> None:
    """A row for each step that found something; the others share one."""
    with lifecycle.changing(resume.task.pk, resume.actor) as change:
        quiet = [name for _number, name, found in resume.found if not found]
        for number, name, found in resume.found:
            if found:
                change.record(Kind.RESUME, data={"number": number, "step": name, "found": found})
        if quiet:
            change.record(Kind.RESUME, data={"nothing_found": quiet})
        change.set(resuming_until=None)
