"""`manage.py starttask seo-audit --param source=DIR --budget 20 --as ops`: a new task; last line: its id."""

from argparse import ArgumentParser
from typing import Any

from django.utils import timezone

from taskboard import existing
from taskboard.errors import BadInput, WrongState
from taskboard.management.base import TaskboardCommand, add_person, find_user, read_secret
from taskboard.models import Task
from taskboard.rights import require
from taskboard.start import start_task


class Command(TaskboardCommand):
    help = "Start a task from a workflow. The last line printed is its id."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("workflow", help="Name of the workflow, such as seo-audit.")
        parser.add_argument(
            "--param", action="append", default=[], metavar="NAME=VALUE", help="A parameter; repeatable."
        )
        parser.add_argument(
            "--secret",
            action="append",
            default=[],
            metavar="NAME=FILE",
            help="A secret one, from a file; -: from stdin.",
        )
        parser.add_argument("--budget", metavar="USD", help="Limit of what it may cost; none by default.")
        parser.add_argument("--goal", default="", help="One sentence on what it is for.")
        again = parser.add_mutually_exclusive_group()
        again.add_argument(
            "--continue", action="store_true", dest="go_on", help="Go on with one that exists."
        )
        again.add_argument("--anew", action="store_true", help="Start it even if one exists.")
        parser.add_argument("--json", action="store_true", help="Print one JSON object.")
        add_person(parser, "Who starts it.", required=True)

    def handle(self, *args: Any, **options: Any) -> None:
        require(find_user(options["person"]))
        params = dict(map(_pair, options["param"])) | {
            name: read_secret(path) for name, path in map(_pair, options["secret"])
        }
        there = existing.look(options["workflow"], params, timezone.now())
        if there.task is not None and not options["anew"]:
            task = _continued(there, options)
        else:
            task = _started(params, there.task, options)
        if options["json"]:
            told = {"existed": there.answer, "former": there.task and there.task.public_id}
            self.print_json({"task_id": task.public_id, "goal": task.goal, "status": task.status, **told})
            return
        lines = [there.sentence] if there.task else []
        self.stdout.write("\n".join([*lines, task.goal, task.public_id]))


def _started(params: dict[str, str], former: Task | None, options: dict[str, Any]) -> Task:
    user = find_user(options["person"])
    budget, goal = options["budget"], options["goal"]
    return start_task(options["workflow"], params, user=user, limit_usd=budget, goal=goal, continues=former)


def _continued(there: existing.Existing, options: dict[str, Any]) -> Task:
    """In progress: that one is the answer. Left or finished: the person has to say what they want."""
    user, task = find_user(options["person"]), there.task
    if task is None or there.answer == existing.Answer.FINISHED:
        raise WrongState(f"{there.sentence} To do it once more, say --anew.")
    if there.answer == existing.Answer.UNTOUCHED and not options["go_on"]:
        raise WrongState(f"{there.sentence} To go on with it say --continue, to start afresh --anew.")
    if options["go_on"]:
        existing.go_on(task, user, timezone.now())
        task.refresh_from_db()
    return task


def _pair(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise BadInput(f"--param and --secret want NAME=VALUE, not {text!r}.")
    return name.strip(), value
