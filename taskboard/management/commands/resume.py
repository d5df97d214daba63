"""`manage.py resume ID`: the eight steps, for a task that was interrupted, paused or imported."""

from argparse import ArgumentParser
from collections.abc import Mapping
from typing import Any

from django.core.management.base import CommandError

from taskboard import summary
from taskboard.errors import WorkflowChanged
from taskboard.management.base import TaskboardCommand, add_person, find_task, find_user
from taskboard.models import Task
from taskboard.models.task import FINISHED_TASKS
from taskboard.resume.run import resume_task
from taskboard.resume.state import Resume
from taskboard.rights import require


class Command(TaskboardCommand):
    help = "Bring a task back to work: ask the outside world first, then go on."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("task", nargs="?", metavar="ID", help="Its id.")
        parser.add_argument(
            "--last", action="store_true", help="The one that changed last and is not finished."
        )
        parser.add_argument("--workflow", default="", help="For an imported task whose document names none.")
        parser.add_argument(
            "--accept-version",
            action="store_true",
            help="Go on with the workflow as a deploy has changed it.",
        )
        parser.add_argument("--json", action="store_true", help="Print one JSON object.")
        add_person(parser, "Who resumes it.")

    def handle(self, *args: Any, **options: Any) -> None:
        actor = _allowed(options["person"]) if options["person"] else "command line"
        resume = _resumed(_chosen(options), actor, options)
        if options["json"]:
            self.print_json({name: found for _number, name, found in resume.found})
            return
        for number, name, found in resume.found:
            self.stdout.write(f"{number}. {name.replace('_', ' ')}: {_told(found) or 'nothing'}")
        if vain := summary.still_blocked(Task.objects.get(pk=resume.task.pk)):
            self.stdout.write(vain)


def _resumed(task: Task, actor: str, options: Mapping[str, Any]) -> Resume:
    accept, name = options["accept_version"], options["workflow"]
    try:
        return resume_task(task, actor, workflow=name, accept_version=accept)
    except WorkflowChanged as error:
        told = "\n".join(f"  {line}" for line in error.differs)
        text = f"A deploy has changed the workflow of {task.public_id}:\n{told}\n"
        raise CommandError(text + "To go on with it, say --accept-version.") from error


def _allowed(name: str) -> str:
    user = find_user(name)
    require(user)
    return user.get_username()


def _told(found: Mapping[str, Any]) -> str:
    """`status: running; items: done 3, pending 2`."""
    return "; ".join(f"{name.replace('_', ' ')}: {_value(value)}" for name, value in found.items())


def _value(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{str(name).replace('_', ' ')} {one}" for name, one in value.items()) or "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return str(value)


def _chosen(options: dict[str, Any]) -> Task:
    if options["task"]:
        return find_task(options["task"])
    if not options["last"]:
        raise CommandError("Name a task, or say --last.", returncode=2)
    task = Task.objects.exclude(status__in=FINISHED_TASKS).order_by("-updated_at").first()
    if task is None:
        raise CommandError("No task is unfinished.")
    return task
