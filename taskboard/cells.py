"""Text in the cells of a CSV sheet: what a spreadsheet would run as a formula gets a `'` in front. Pure.

`plain(guarded(text)) == text` for every text, so that a sheet of ours is read back to the same names.
"""

import re

# Spreadsheets take the wide forms of the signs for the signs.
_RUNS = re.compile(r"[\s']*[=+\-@＝＋－＠]|'*[\t\r\n]")


def guarded(text: str) -> str:
    """For writing: text stays text. Numbers are not to come here."""
    return f"'{text}" if _RUNS.match(text) else text


def plain(cell: str) -> str:
    """For reading: without the mark that `guarded` put there."""
    return cell[1:] if cell.startswith("'") and _RUNS.match(cell, 1) else cell
