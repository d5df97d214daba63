"""What can be wrong with a page or with a change to it, in words for people."""


class Unreadable(Exception):
    """The page cannot be audited; `gone` says that the server knows no such page."""

    def __init__(self, reason: str, *, gone: bool = False) -> None:
        super().__init__(reason)
        self.gone = gone


class CannotChange(Exception):
    """The change cannot be put into this page by machine."""


class PrivateAddress(Unreadable):
    """The address leads into a private network."""
