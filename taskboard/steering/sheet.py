"""Items from a CSV sheet, as spreadsheets save them; every fault is told with its line. Pure.

`read(raw)` gives the items, for adding them to a task; `rows(raw)` gives each with its line and its cells, for a
preview. A sheet that this site has written is read back to the same names.
"""

import csv
import io
from codecs import BOM_UTF8
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from taskboard.cells import plain
from taskboard.errors import BadInput, SeveralFaults, UnfitItems
from taskboard.keys import clean_key
from taskboard.outcomes import NewItem

MOST_BYTES = 10 * 1024 * 1024
MOST_ROWS = 20_000
ENOUGH_FAULTS = 1000
"""After so many nothing more is read: each costs a sentence."""
KEY, LABEL = "key", "label"
KEYS = (KEY, "url", "address")
"""The column with the key: the first of these that there is."""
SEPARATORS = ";,\t"
UTF_16 = (b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True)
class Row:
    """One item, the line that it begins in, and its key as it stands there."""

    line: int
    item: NewItem
    told: str


def read(raw: bytes) -> list[NewItem]:
    """The first line names the columns: `key`, perhaps `label`, and whatever the workflow reads of its items.
    Raises BadInput with one sentence per fault, each with its line."""
    return [row.item for row in rows(raw)]


def rows(raw: bytes) -> list[Row]:
    """As `read`, with the place of each item."""
    faults: list[str] = []
    found: list[Row] = []
    lines: dict[str, int] = {}
    for line, cells in _checked(_text(raw), faults):
        if len(faults) >= ENOUGH_FAULTS:
            break
        key = clean_key(cells[KEY])
        if not key:
            faults.append(_("Line %(line)d: the key is empty.") % {"line": line})
        elif key in lines:
            told = {"line": line, "key": key[:60], "first": lines[key]}
            faults.append(_("Line %(line)d: the key %(key)r stands in line %(first)d already.") % told)
        else:
            lines[key] = line
            found.append(Row(line, _item(key, cells), cells[KEY].strip()))
    if faults:
        raise SeveralFaults(faults)
    _check_number(found)
    return found


def placed(unfit: UnfitItems, found: Sequence[Row]) -> SeveralFaults:
    """The faults with the lines of the sheet; a key that was typed in beside it has none."""
    lines = {row.item.key: row.line for row in found} | {row.told: row.line for row in found}
    return SeveralFaults([_at(lines.get(key, 0), fault) for key, fault in unfit.by_key.items()])


def _at(line: int, fault: str) -> str:
    return _("Line %(line)d: %(fault)s") % {"line": line, "fault": fault} if line else fault


def _check_number(found: Sequence[Row]) -> None:
    if not found:
        raise BadInput(_("The sheet holds no items below its first line."))
    if len(found) > MOST_ROWS:
        told = {"count": len(found), "most": MOST_ROWS, "line": found[MOST_ROWS].line}
        text = _(
            "The sheet holds %(count)d items; at most %(most)d can be taken at once. Cut it at line %(line)d."
        )
        raise BadInput(text % told)


def _text(raw: bytes) -> str:
    if len(raw) > MOST_BYTES:
        raise BadInput(_("The sheet is larger than %d MB.") % (MOST_BYTES // 1024 // 1024))
    if not raw.removeprefix(BOM_UTF8).strip():
        raise BadInput(_("The file is empty."))
    if raw.startswith(UTF_16):
        raise BadInput(_("The sheet is saved as UTF-16. Save it as “CSV UTF-8”."))
    if raw.startswith(b"PK\x03\x04"):
        raise BadInput(_("This is a workbook (.xlsx, .ods), not a CSV file. Save it as “CSV UTF-8”."))
    if b"\0" in raw:
        raise BadInput(
            _("Line %d holds a NUL, which no text has. Save the sheet as “CSV UTF-8”.")
            % _line_of(raw, raw.index(b"\0"))
        )
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadInput(
            _("Line %d holds bytes that are not UTF-8. Save the sheet as “CSV UTF-8”.")
            % _line_of(raw, error.start)
        ) from error


def _line_of(raw: bytes, place: int) -> int:
    return raw[:place].count(b"\n") + 1


def _separator(text: str) -> str:
    first = text.partition("\n")[0]
    return max(SEPARATORS, key=first.count) if any(one in first for one in SEPARATORS) else ","


def _checked(text: str, faults: list[str]) -> Iterator[tuple[int, Mapping[str, str]]]:
    """Each row that is not empty with the line it begins in, by the names of the columns."""
    lines = csv.reader(io.StringIO(text, newline=""), delimiter=_separator(text), strict=True)
    try:
        names = _names(next(lines, []))
        begin = lines.line_num + 1
        for cells in lines:
            line, begin = begin, lines.line_num + 1
            if len(cells) > len(names) and any(cell.strip() for cell in cells[len(names) :]):
                told = {"line": line, "cells": len(cells), "columns": len(names)}
                faults.append(_("Line %(line)d: %(cells)d cells, but there are %(columns)d columns.") % told)
            elif any(cell.strip() for cell in cells):
                padded = [*map(plain, cells), *[""] * len(names)]
                yield line, dict(zip(names, padded, strict=False))
    except csv.Error as error:
        raise BadInput(
            _("Line %(line)d cannot be read: %(why)s.") % {"line": lines.line_num, "why": error}
        ) from error


def _names(first: list[str]) -> list[str]:
    """The columns, whatever case and spaces the spreadsheet gave them; that of the key is called `key`."""
    names = [" ".join(name.split()).lower() for name in first]
    if doubled := {name for name, number in Counter(names).items() if name and number > 1}:
        raise BadInput(_("Two columns have the name %r.") % min(doubled))
    key = next((name for name in KEYS if name in names), None)
    if key is None:
        shown = ", ".join(name for name in names if name) or "–"
        raise BadInput(
            _("The first line has to name the columns, one of them “key”, “url” or “address”; it says: %s")
            % shown[:200]
        )
    return [KEY if name == key else name for name in names]


def _item(key: str, cells: Mapping[str, str]) -> NewItem:
    params = {
        name: cell.strip() for name, cell in cells.items() if name not in ("", KEY, LABEL) and cell.strip()
    }
    return NewItem(key, label=cells.get(LABEL, "").strip(), params=params)
