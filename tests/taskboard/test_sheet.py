"""Items from a CSV sheet, as spreadsheets save them."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from taskboard.errors import BadInput
from taskboard.steering.sheet import read, rows


def keys(text: str) -> list[str]:
    return [item.key for item in read(text.encode())]


@pytest.mark.parametrize(
    "head", ["key;label", "\ufeffkey,label", " KEY ;\tLabel", '"key";"label"', "key\tlabel", "URL;Label"]
)
def test_the_first_line_is_found_whatever_the_spreadsheet_made_of_it(head: str) -> None:
    """ENC-06."""
    between = next(one for one in ";,\t" if one in head)
    (item,) = read(f"{head}\r\n7{between}Žofie\r\n".encode())
    assert (item.key, item.label) == ("7", "Žofie")


def test_other_columns_are_what_the_workflow_reads_of_its_items() -> None:
    (item,) = read(b"key,label,Path,,Weight\na,A,/x,ignored,\n")
    assert item.params == {"path": "/x"}


def test_a_quoted_line_break_belongs_to_its_cell_and_lines_count_as_in_an_editor() -> None:
    text = 'key,label\na,"two\nlines"\n\n,empty\na,again\nb,x,y,z\n'
    with pytest.raises(BadInput) as refused:
        read(text.encode())
    assert str(refused.value) == (
        "Line 5: the key is empty. Line 6: the key 'a' stands in line 2 already."
        " Line 7: 4 cells, but there are 2 columns."
    )


def test_many_faults_are_counted() -> None:
    with pytest.raises(BadInput, match=r"Line 11: the key is empty\. And 5 more\.$"):
        read(b"key,label\n" + b",x\n" * 15)


@pytest.mark.parametrize(
    ("raw", "sentence"),
    [
        ("key,label\na,é".encode("cp1252"), "Line 2 holds bytes that are not UTF-8"),
        ("key,label\na,b".encode("utf-16"), "saved as UTF-16"),
        ("key,label\na,b".encode("utf-16-le"), "Line 1 holds a NUL"),
        (b"key\na\nb\0c", "Line 3 holds a NUL"),
        (b"PK\x03\x04rest", "This is a workbook"),
        (b"key\n" + b"".join(b"%d\n" % n for n in range(20_001)), "20001 items; .* Cut it at line 20002"),
        (b"external_id;name\n7;x", "one of them “key”, “url” or “address”; it says: external_id, name"),
        (b"", "The file is empty"),
        (b"\xef\xbb\xbf\n", "The file is empty"),
        (b"key\n", "holds no items"),
        (b"key,path,Path\na,b,c", "Two columns have the name 'path'"),
        (b'key\n"a', "Line 2 cannot be read"),
        (b"key\n" + b"x" * 200_000, "cannot be read: field larger than field limit"),
        (b"key\n" + b"\n" * 11_000_000, "larger than 10 MB"),
    ],
)
def test_what_is_no_sheet_is_told_with_the_place(raw: bytes, sentence: str) -> None:
    with pytest.raises(BadInput, match=sentence):
        read(raw)


def test_what_looks_like_a_formula_is_a_key_like_any_other() -> None:
    assert keys('key\n"=HYPERLINK(""http://x.example/"")"\n-2+3\n@SUM(1)\n') == [
        '=HYPERLINK("http://x.example/")', "-2+3", "@SUM(1)",
    ]  # fmt: skip


@pytest.mark.parametrize("twin", ["Bu\u0308cher-7", "Bücher-7\u00a0", " Bücher\u200b-7 "])
def test_keys_that_look_the_same_are_told_by_line(twin: str) -> None:
    """ENC-05."""
    with pytest.raises(BadInput, match="Line 3: the key 'Bücher-7' stands in line 2 already"):
        read(f"key,label\nBücher-7,one\n{twin},two\n".encode())


def test_case_and_wide_digits_make_another_key() -> None:
    assert keys("key\nİSTEK\nistek\n12\n１２\n") == ["İSTEK", "istek", "12", "１２"]


def test_the_marks_of_our_own_sheets_are_taken_off() -> None:
    """SEC-11: what was written is read back to the same names."""
    (item,) = read(b"key,label\n'=1+1,'-2+3\n")
    assert (item.key, item.label) == ("=1+1", "-2+3")


def test_a_preview_knows_the_line_and_the_text_of_each_row() -> None:
    found = rows(b"address,label\n\n https://example.org/a ,A\n")
    assert [(row.line, row.told, row.item.label) for row in found] == [(3, "https://example.org/a", "A")]


@given(st.binary(max_size=300))
def test_whatever_is_sent_gives_items_or_a_sentence(raw: bytes) -> None:
    with suppress(BadInput):
        assert read(b"key,label\n" + raw)
