"""What can go wrong in the product's own words; the middleware turns these into readable answers."""


class TaskboardError(Exception):
    """A sentence for the person who asked; `permanent` says whether trying again can help."""

    permanent = True

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


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


class NotFound(TaskboardError):
    """There is no such object, or this person may not see it."""


class LeaseLost(TaskboardError):
    """Another worker holds the step by now; what this one reports is only journaled."""


class QueueFull(TaskboardError):
    """As many tasks are waiting as may wait; try again when one has started."""

    permanent = False


class BrokenWorkflow(TaskboardError):
    """A workflow's declaration contradicts itself; raised when it is imported."""
