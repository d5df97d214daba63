"""Why a decision is refused; each carries a sentence for the person who tried."""

from taskboard.errors import BadInput, WrongState


class AlreadyDecided(WrongState):
    """Somebody else was first; says who, what and when."""


class Expired(WrongState):
    """The deadline has passed."""


class Changed(WrongState):
    """What was shown is not what would be executed now."""


class ReasonMissing(BadInput):
    """A no needs a reason."""


class Unconfirmed(BadInput):
    """A yes to something without a description has to be confirmed."""


class Unread(BadInput):
    """A yes to a long text needs the proof that it was shown in full."""
