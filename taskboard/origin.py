"""The network address that the current request came from: for the audit log, never a reason to allow anything."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

LONGEST = 64
_address: ContextVar[str] = ContextVar("address", default="")


def address() -> str:
    """Empty for a command and for a job."""
    return _address.get()


@contextmanager
def coming_from(address: str) -> Iterator[None]:
    token = _address.set(address[:LONGEST])
    try:
        yield
    finally:
        _address.reset(token)
