"""Sheets that are uploaded, documents and archives that are imported."""

import gzip
import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.db import transaction
from django.test import Client
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from taskboard import document
from taskboard.errors import TaskboardError
from tests.badinput.nasties import fault, fingerprint
from tests.documents import example

pytestmark = pytest.mark.django_db
SHEETS = {
    "nothing": b"", "NUL": b"key\na\x00b\n", "no UTF-8": b"key\n\xff\xfe\x80\n", "UTF-16": "key\na\n".encode("utf-16"),
    "a surrogate": b"key\n\xed\xa0\x80\n", "one long line": b"key\n" + b"x" * 1_000_000, "quotes": b'key\n"""""""\n',
    "no end of a quote": b'key\n"' + b"a\n" * 50_000, "many columns": b"key," * 20_000 + b"\n" + b"1," * 20_000,
    "many rows": b"key\n" + b"a\n" * 200_000, "formulas": b'key\n=cmd|"/c calc"!A1\n@SUM(1)\n',
    "a zip": b"PK\x03\x04" + b"\0" * 500, "packed": gzip.compress(b"key\n" + b"a" * 10_000_000),
    "headless": b"\n\n\n", "bidi": "key\n\u202egpj.exe\n".encode(),
    "twice": b"key,key,key\na,b,c\n", "returns": b"key\ra\rb\r\n\r",
}  # fmt: skip


@pytest.mark.parametrize("sheet", SHEETS.values(), ids=SHEETS.keys())
@pytest.mark.parametrize("verb", ["start", "check"])
def test_a_sheet_is_taken_or_refused_with_a_sentence(sheet: bytes, verb: str, client: Client) -> None:
    before = fingerprint()
    file = SimpleUploadedFile("a\r\n\x00/../..\u202e.csv", sheet, "text/csv\r\nX: y")
    response = client.post(
        "/tasks/new/seo-audit/", {"source": "sample", "sheet": file, verb: "1", "goal": "x"}
    )
    assert fault(response, response.status_code >= 400 and fingerprint() != before) == ""


def at_random(value: Any, draw: Any) -> Any:
    """The same document with one of its values replaced."""
    if isinstance(value, dict) and value:
        key = draw(st.sampled_from(sorted(value)))
        return {**value, key: at_random(value[key], draw)}
    if isinstance(value, list) and value and draw(st.booleans()):
        place = draw(st.integers(0, len(value) - 1))
        return [*value[:place], at_random(value[place], draw), *value[place + 1 :]]
    return draw(odd_values)


odd_values = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.floats(),
        st.text(st.characters(), max_size=30),
        st.sampled_from(
            [
                "\x00",
                "\ud800",
                "x" * 20_000,
                2**63,
                -1,
                "2026-13-01T00:00:00Z",
                "9999-12-31T23:59:59Z",
                "=1+1",
            ]
        ),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=5,
)


@settings(max_examples=80, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_a_document_is_stored_as_a_whole_or_refused_with_a_sentence(data: st.DataObject) -> None:
    changed = at_random(example(), data.draw)
    with transaction.atomic():
        before, refused = fingerprint(), None
        try:
            document.load(json.dumps(changed).encode(), actor="x")
        except TaskboardError as refusal:
            refused = refusal.message
        stored = fingerprint() != before
        transaction.set_rollback(True)
    assert stored if refused is None else (len(refused) > 10 and not stored)


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"\x00",
        b"[" * 200_000,
        b'{"a":' * 100_000,
        b"\xff\xfe{}",
        b"nul",
        b"1e999",
        b'"\\ud800"',
        b"9" * 100_000,
    ],
    ids=[
        "empty",
        "NUL",
        "deep lists",
        "deep objects",
        "UTF-16",
        "no JSON",
        "infinite",
        "a surrogate",
        "a number",
    ],
)
def test_what_is_no_document_is_refused_in_one_line(raw: bytes, tmp_path: Path) -> None:
    path = tmp_path / "document.json"
    path.write_bytes(raw)
    with pytest.raises(CommandError) as refusal:
        call_command("importtask", path, stdout=StringIO(), stderr=StringIO())
    assert 10 < len(str(refusal.value)) < 3000


@pytest.mark.parametrize("bomb", ["one line", "many lines", "an endless document", "cut off", "no gzip"])
def test_an_archive_that_unpacks_to_gigabytes_is_refused(bomb: str, tmp_path: Path) -> None:
    packed = {
        "one line": gzip.compress(b"\0" * 60_000_000),
        "many lines": gzip.compress(b"{}\n" * 20_000_000),
        "an endless document": gzip.compress(b'{"a": "' + b"x" * 60_000_000),
        "cut off": gzip.compress(json.dumps(example()).encode())[:-20],
        "no gzip": b"\x1f\x8b" + b"x" * 500,
    }
    path = tmp_path / "archive.json.gz"
    path.write_bytes(packed[bomb])
    before = fingerprint()
    with pytest.raises(CommandError) as refusal:
        call_command("importtask", path, stdout=StringIO(), stderr=StringIO())
    assert len(str(refusal.value)) > 10
    assert fingerprint() == before
