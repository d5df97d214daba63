"""One line per record; JSON keeps the fields and the traceback."""

import json
import logging

from config.logs import LOGGERS, Json, Lines


def record(**extra: object) -> logging.LogRecord:
    made = logging.makeLogRecord({"name": "taskboard", "levelname": "INFO", "msg": "step\ndone", **extra})
    made.created = 0
    return made


def test_json_keeps_the_fields() -> None:
    line = json.loads(Json().format(record(task="task_20260917_0042", ordinal=7)))
    assert line["at"] == "1970-01-01T00:00:00.000+00:00"
    assert (line["task"], line["ordinal"], line["message"]) == ("task_20260917_0042", 7, "step\ndone")


def test_a_line_stays_one_line() -> None:
    line = Lines().format(record(task="task_20260917_0042", step="notify"))
    assert "\n" not in line
    assert line.endswith("task=task_20260917_0042 step=notify")


def test_json_holds_the_traceback_in_one_line() -> None:
    try:
        raise ValueError("bad")
    except ValueError as error:
        line = Json().format(record(exc_info=(ValueError, error, error.__traceback__)))
    assert "\n" not in line
    assert "ValueError: bad" in json.loads(line)["traceback"]


def test_a_web_server_that_is_told_so_logs_no_access() -> None:
    """Naming `uvicorn` alone would let its children speak again."""
    assert LOGGERS["uvicorn.access"] == "WARNING"
