"""Numbers in what comes from outside: addresses, forms, search words. Pure."""

MOST_DIGITS = 18
"""The longest that always fits a column of 64 bits."""


def whole(text: str) -> int | None:
    """A whole number that both databases take; None for anything else."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= MOST_DIGITS else None
