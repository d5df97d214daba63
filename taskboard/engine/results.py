"""What the code of a workflow answers, as an ending that both databases can keep."""

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Any

from django.utils import timezone

from taskboard import artifacts, budget, workflow
from taskboard.cleaning import Cleaner
from taskboard.engine.claim import Claimed
from taskboard.engine.endings import WHATEVER, Accepted, Ending, Finished, Report, TryAgain
from taskboard.errors import BadInput
from taskboard.models import Task
from taskboard.outcomes import Done, GiveUp, GoBack, NewArtifact, Retry, Skip, Usage

__all__ = ["WHATEVER", "class_of", "failed", "pause", "report", "text", "told"]

LARGEST_OUTPUTS = 4096
NUMBERED = re.compile(r"\[(Errno -?\d+)\] ([^:()<>\[\]'\"]*[^:()<>\[\]'\" ])")
"""What the operating system says, after the number that it says it by."""
WORDS: Mapping[type[BaseException], str] = {
    ConnectionRefusedError: "Connection refused",
    ConnectionError: "Connection lost",
    TimeoutError: "Timed out",
    FileExistsError: "File exists",
    FileNotFoundError: "No such file",
    PermissionError: "Permission denied",
    KeyError: "Not there",
}
"""What errors mean whose text says nothing."""


def report(task: Task, claimed: Claimed, outcome: Any, found: bool = False) -> Report:
    """The ending that this answer means; raises whatever an answer that nobody can use gives rise to."""
    if isinstance(outcome, Done):
        cleaner = Cleaner()
        accepted = Accepted(_fit(cleaner, task, claimed, outcome), timezone.now(), found)
        ending: Ending = accepted if claimed.spec.verify else Finished(accepted)
        return Report(ending, cleaner.notes)
    if isinstance(outcome, Retry):
        return Report(TryAgain(text(outcome.reason), "Retry", pause(outcome.after)))
    if isinstance(outcome, GoBack):
        _check_way_back(task, claimed, outcome.to)
    if isinstance(outcome, (GoBack, GiveUp, Skip)):
        return Report(replace(outcome, reason=text(outcome.reason)))
    raise TypeError(f"A step answers with Done, Retry, GoBack, GiveUp or Skip, not {type(outcome).__name__}.")


def pause(after: Any) -> timedelta | None:
    """The pause that was asked for, if it is one."""
    return after if isinstance(after, timedelta) else None


def failed(error: BaseException) -> Ending:
    """Nothing was done that matters: once more, by the step's retry policy."""
    return TryAgain(told(error), class_of(error))


def class_of(error: BaseException) -> str:
    """The name of its class, as both databases can keep it."""
    return text(type(error).__name__, 100)


def told(error: BaseException) -> str:
    """An error as text that both databases can keep; what only programmers read stands behind its words."""
    said = str(error)
    known = next((words for kind, words in WORDS.items() if isinstance(error, kind)), type(error).__name__)
    if not said or isinstance(error, KeyError):
        return text(": ".join(filter(None, (known, said))))
    found = NUMBERED.search(said)
    if found is None:
        return text(said)
    number, words = found.groups()
    return text(f"{words}: {said}" if found.start() else f"{words}{said[found.end() :]} ({number})")


def text(value: Any, longest: int = 2000) -> str:
    """Any value as text that both databases can keep."""
    return Cleaner().text(value, longest)


def _check_way_back(task: Task, claimed: Claimed, to: str) -> None:
    spec = workflow.get(task.workflow)
    ways = spec.task_steps if claimed.spec.whole_task else spec.item_steps
    if to not in [step.name for step in ways]:
        raise BadInput(f"There is no step {to!r} to go back to.", "to")


def _fit(cleaner: Cleaner, task: Task, claimed: Claimed, done: Done) -> Done:
    """The result as both databases can keep it; outputs that are too large go to an artifact."""
    outputs = cleaner.json(dict(done.outputs or {}))
    content = json.dumps(outputs, ensure_ascii=False).encode()
    stored = [_store(task, claimed, new) for new in done.artifacts]
    if len(content) > LARGEST_OUTPUTS:
        name = f"{claimed.item.key}.{claimed.step.name}.outputs.json"
        stored.append(
            _store(task, claimed, NewArtifact(name, content=content, media_type="application/json"))
        )
        cleaner.notes.append(f"outputs over {LARGEST_OUTPUTS} bytes went to the artifact {name}")
        outputs = {"artifact": name}
    return replace(
        done, summary=cleaner.text(done.summary, 2000), outputs=outputs, artifacts=stored,
        external_id=cleaner.text(done.external_id or "", 300), usage=_usage(cleaner, done.usage),
    )  # fmt: skip


def _usage(cleaner: Cleaner, usage: Usage | None) -> Usage | None:
    """A cost that is no amount is refused with its field's name; the work stays done."""
    try:
        return usage and budget.checked(usage)
    except BadInput as error:
        cleaner.notes.append(error.message)
        return None


def _store(task: Task, claimed: Claimed, new: NewArtifact) -> Any:
    item = None if claimed.item.is_whole_task else claimed.item
    return artifacts.store(task, new, item=item, step=claimed.step.name)
