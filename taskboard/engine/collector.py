"""Python's garbage collector, set for a process that keeps thousands of rows for some milliseconds each."""

import gc

NEW_OBJECTS = 50_000
"""A batch of 256 steps makes some ten thousand objects, nearly all without cycles: their counts free them at once."""


def spare() -> None:
    """Never look again at what was loaded at the start, and seldom at the young ones; by default the collector
    would take a tenth of a busy worker's time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(NEW_OBJECTS, 20, 20)
