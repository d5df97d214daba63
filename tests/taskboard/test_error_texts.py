"""What people read of an error begins with words; the rest is kept behind them."""

from pathlib import Path
from urllib.error import URLError

import pytest

from taskboard.engine.results import told

CASES = (
    (FileExistsError(17, "File exists", "/data/page.html"), "File exists: '/data/page.html' (Errno 17)"),
    (ConnectionRefusedError(111, "Connection refused"), "Connection refused (Errno 111)"),
    (
        URLError(ConnectionRefusedError(111, "Connection refused")),
        "Connection refused: <urlopen error [Errno 111] Connection refused>",
    ),
    (URLError(OSError(-2, "Name or service not known")),
     "Name or service not known: <urlopen error [Errno -2] Name or service not known>"),
    (TimeoutError(), "Timed out"),
    (ConnectionResetError(), "Connection lost"),
    (KeyError("price"), "Not there: 'price'"),
    (TimeoutError("no answer from the tracker"), "no answer from the tracker"),
    (ValueError("A sentence of the author."), "A sentence of the author."),
    (AssertionError(), "AssertionError"),
)  # fmt: skip


@pytest.mark.parametrize(("error", "text"), CASES, ids=[text for _error, text in CASES])
def test_it_leads_with_words(error: BaseException, text: str) -> None:
    assert told(error) == text


def test_what_the_operating_system_says_itself(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="File exists") as caught:
        tmp_path.mkdir()
    assert told(caught.value) == f"File exists: '{tmp_path}' (Errno 17)"
