"""What the documents say is what the code does."""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
READERS = {
    "text", "flag", "number", "choice", "clock", "words", "folder", "folders", "zone", "address", "origins", "networks",
    "pairs",
}  # fmt: skip
# Set by `make up` for its own processes, not by people.
INTERNAL = {"TASKBOARD_BIN", "TASKBOARD_INSTANCE", "TASKBOARD_STOP_SECONDS"}


def variables_read() -> set[str]:
    calls = (
        node for path in (ROOT / "config").glob("*.py") for node in ast.walk(ast.parse(path.read_text()))
    )
    return {
        node.args[0].value
        for node in calls
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in READERS
        and node.args
        and isinstance(node.args[0], ast.Constant)
        and str(node.args[0].value).isupper()
    }


def test_the_example_file_lists_exactly_the_variables_that_are_read() -> None:
    listed = re.findall(r"^#?([A-Z_]+)=", (ROOT / ".env.example").read_text(), re.MULTILINE)
    assert len(listed) == len(set(listed))
    assert set(listed) == variables_read()


def test_no_other_module_reads_the_environment() -> None:
    allowed = {"config/env.py", "config/up.py", "config/asgi.py", "config/celery.py"}
    files = [path for app in ("config", "taskboard", "approvals") for path in (ROOT / app).rglob("*.py")]
    readers = {path.relative_to(ROOT).as_posix() for path in files if "os.environ" in path.read_text()}
    assert readers <= allowed
