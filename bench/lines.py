"""A file of lines, each a time and a key: what the steps of a benchmark leave behind, in the order they came."""

import os
import time
from pathlib import Path


def path(folder: Path) -> Path:
    return folder / "lines.txt"


def leave(folder: Path, key: str) -> None:
    """One write to the end of the file: lines of several processes do not mix."""
    file = os.open(path(folder), os.O_APPEND | os.O_CREAT | os.O_WRONLY)
    try:
        os.write(file, f"{time.time()} {key}\n".encode())
    finally:
        os.close(file)


def read(folder: Path) -> list[tuple[float, str]]:
    there = path(folder).read_text().splitlines() if path(folder).exists() else []
    parts = (line.split(" ", 1) for line in there)
    return [(float(at), key) for at, key in parts]
