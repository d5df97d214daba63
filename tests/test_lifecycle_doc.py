"""docs/lifecycle.md draws the moves that the code allows."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from approvals.decisions import MOVES
from taskboard.lifecycle import ITEM_MOVES, STEP_MOVES, TASK_MOVES

DOCUMENT = Path(__file__).resolve().parent.parent / "docs" / "lifecycle.md"
ROW = re.compile(r"^\| `(\w+)` \| .+ \| (.+) \|$", re.MULTILINE)
ARROW = re.compile(r"^  (\w+) --> (\w+)$", re.MULTILINE)
CODE: dict[str, Mapping[str, Any]] = {
    "Task": TASK_MOVES,
    "Item": ITEM_MOVES,
    "Step": STEP_MOVES,
    "Approval": MOVES,
}


def chapter(name: str) -> str:
    return DOCUMENT.read_text(encoding="utf-8").split(f"\n## {name}\n")[1].split("\n## ")[0]


@pytest.mark.parametrize("name", CODE)
def test_the_table_holds_exactly_the_moves_of_the_code(name: str) -> None:
    told = {status: set(re.findall(r"`(\w+)`", to)) for status, to in ROW.findall(chapter(name))}
    assert told == {str(status): set(map(str, to)) for status, to in CODE[name].items()}


@pytest.mark.parametrize("name", CODE)
def test_the_picture_shows_only_moves_of_the_code(name: str) -> None:
    arrows = ARROW.findall(chapter(name))
    assert len(arrows) > 5
    assert [arrow for arrow in arrows if arrow[1] not in CODE[name][arrow[0]]] == []
