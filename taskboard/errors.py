"""The exceptions of this product. Each carries a sentence for a person, and the middleware makes an answer of it."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django_stubs_ext import StrOrPromise

LABELS: Mapping[str, StrOrPromise] = {
    "limit_usd": _("New limit in USD"),
    "budget": _("New limit in USD"),
    "reason": _("Reason"),
    "until": _("Until the end of"),
    "days": _("Days"),
}
"""What forms call the fields that faults name, where a form has several."""


class TaskboardError(Exception):
    """A sentence for the person who asked; `permanent` says whether trying again can help."""

    permanent = True

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message

    @property
    def told(self) -> str:
        """The sentence as pages say it."""
        return self.message


class WrongState(TaskboardError):
    """The row is not (or no longer) in a state in which this may be done."""


class WorkflowChanged(WrongState):
    """A deploy changed what the workflow declares; a person has to say whether the task goes on with it."""

    def __init__(self, message: str, differs: list[str]) -> None:
        super().__init__(message)
        self.differs = differs


class NotAllowed(TaskboardError):
    """This person may not do this."""


class BadInput(TaskboardError):
    """What was handed in cannot be used; `path` names the place of the fault."""

    def __init__(self, message: str, path: str = "") -> None:
        super().__init__(f"{path}: {message}" if path else message)
        self.path = path

    @property
    def told(self) -> str:
        """Forms name their fields by labels; names of fields are for documents and scripts."""
        sentence = self.message.removeprefix(f"{self.path}: ") if self.path else self.message
        label = LABELS.get(self.path, "")
        return f"{label}: {sentence}" if label else sentence


class SeveralFaults(BadInput):
    """Several things are wrong with what was handed in, one sentence each; of many only the first are told."""

    most = 10

    def __init__(self, faults: Sequence[str]) -> None:
        more = len(faults) - self.most
        self.faults = [*faults[: self.most], *([gettext("And %d more.") % more] if more > 0 else [])]
        super().__init__(" ".join(self.faults))


class UnfitItems(SeveralFaults):
    """Keys of items that cannot be used, each with a sentence that says why."""

    def __init__(self, by_key: Mapping[str, str]) -> None:
        super().__init__(list(by_key.values()))
        self.by_key = by_key


class NotFound(TaskboardError):
    """There is no such object, or this person may not see it."""


class Gone(NotFound):
    """It was there and was purged; `facts` is what stays of it, as far as this person may know."""

    def __init__(self, message: str, facts: Mapping[str, Any]) -> None:
        super().__init__(message)
        self.facts = facts


class LeaseLost(TaskboardError):
    """Another worker holds the step by now; what this one reports is only journaled."""


class QueueFull(TaskboardError):
    """As many tasks are waiting as may wait; try again when one has started."""

    permanent = False


class BrokenWorkflow(TaskboardError):
    """A workflow's declaration contradicts itself; raised when it is imported."""
