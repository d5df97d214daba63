"""What a source hands over."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Raw:
    """The bytes of a page, and the encoding that the server named."""

    body: bytes
    charset: str = ""


@dataclass(frozen=True)
class Target:
    """Where a link leads inside the site; `missing` if that is known not to be there."""

    path: str
    missing: bool = False
