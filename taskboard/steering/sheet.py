"""Items from a CSV sheet, as spreadsheets save them; every fault is told with its line. Pure."""

import csv
import io
from collections.abc import Iterator, Mapping

from django.utils.translation import gettext as _

from taskboard.errors import BadInput
from taskboard.keys import clean_key
from taskboard.outcomes import NewItem

MOST_BYTES = 10 * 1024 * 1024
MOST_FAULTS = 10
KEY, LABEL = "key", "label"


def read(raw: bytes) -> list[NewItem]:
    """The first line names the columns: `key`, perhaps `label`, and whatever the workflow reads of its items.
    Raises BadInput with one sentence per fault, each with its line."""
    faults: list[str] = []
    items: list[NewItem] = []
    lines: dict[str, int] = {}
    for line, cells in _checked(_text(raw), faults):
        key = clean_key(cells[KEY])
        if not key:
            faults.append(_("Line %(line)d: the key is empty.") % {"line": line})
        elif key in lines:
            told = {"line": line, "key": key[:60], "first": lines[key]}
            faults.append(_("Line %(line)d: the key %(key)r stands in line %(first)d already.") % told)
        else:
            lines[key] = line
            items.append(_item(key, cells))
    if faults:
        raise BadInput(_shown(faults))
    if not items:
        raise BadInput(_("The sheet holds no items below its first line."))
    return items


def _text(raw: bytes) -> str:
    if len(raw) > MOST_BYTES:
        raise BadInput(_("The sheet is larger than %d MB.") % (MOST_BYTES // 1024 // 1024))
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise BadInput(_("The sheet is saved as UTF-16. Save it as “CSV UTF-8”."))
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        raise BadInput(
            _("Line %d holds bytes that are not UTF-8. Save the sheet as “CSV UTF-8”.") % line
        ) from error


def _delimiter(text: str) -> str:
    first = text.partition("\n")[0]
    return ";" if first.count(";") > first.count(",") else ","


def _checked(text: str, faults: list[str]) -> Iterator[tuple[int, Mapping[str, str]]]:
    """Each row that is not empty with the line it begins in, by the names of the columns."""
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=_delimiter(text), strict=True)
    try:
        names = _names(next(rows, []))
        begin = rows.line_num + 1
        for cells in rows:
            line, begin = begin, rows.line_num + 1
            if len(cells) > len(names) and any(cell.strip() for cell in cells[len(names) :]):
                told = {"line": line, "cells": len(cells), "columns": len(names)}
                faults.append(_("Line %(line)d: %(cells)d cells, but there are %(columns)d columns.") % told)
            elif any(cell.strip() for cell in cells):
                yield line, dict(zip(names, [*cells, *[""] * len(names)], strict=False))
    except csv.Error as error:
        raise BadInput(
            _("Line %(line)d cannot be read: %(why)s.") % {"line": rows.line_num, "why": error}
        ) from error


def _names(first: list[str]) -> list[str]:
    names = [" ".join(name.split()).lower() for name in first]
    if KEY not in names:
        shown = ", ".join(name for name in names if name) or "–"
        raise BadInput(
            _("The first line has to name the columns, one of them “key”; it says: %s") % shown[:200]
        )
    if doubled := {name for name in names if name and names.count(name) > 1}:
        raise BadInput(_("Two columns have the name %r.") % min(doubled))
    return names


def _item(key: str, cells: Mapping[str, str]) -> NewItem:
    params = {
        name: cell.strip() for name, cell in cells.items() if name not in ("", KEY, LABEL) and cell.strip()
    }
    return NewItem(key, label=cells.get(LABEL, "").strip(), params=params)


def _shown(faults: list[str]) -> str:
    more = len(faults) - MOST_FAULTS
    return " ".join(faults[:MOST_FAULTS] + ([_("And %d more.") % more] if more > 0 else []))
