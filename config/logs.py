"""Logging: one line per record on standard error; JSON where a machine reads it. No line holds a secret."""

import json
import logging
from datetime import UTC, datetime
from typing import Any

from taskboard.redaction import redact

SHOWN = {"task", "item", "step", "attempt", "ordinal"}
STANDARD = set(vars(logging.makeLogRecord({}))) | {"message", "asctime", "color_message"}

# They bring handlers of their own, or tell too much: a line per job would drown what happens to tasks.
LOGGERS = {
    "django": "INFO",
    "django.server": "WARNING",
    "uvicorn": "INFO",
    "uvicorn.error": "INFO",
    "uvicorn.access": "WARNING",
    "celery.worker.strategy": "WARNING",
    "celery.app.trace": "WARNING",
    "celery.beat": "WARNING",
    "httpx": "WARNING",
}


def fields(record: logging.LogRecord) -> dict[str, Any]:
    """What the caller gave as `extra`: task, item, step, attempt, ordinal."""
    return {name: value for name, value in vars(record).items() if name not in STANDARD}


class Lines(logging.Formatter):
    """`12:30:01 INFO taskboard.engine message task=… step=…`"""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s %(message)s", datefmt="%H:%M:%S")

    def formatMessage(self, record: logging.LogRecord) -> str:
        extras = [f"{name}={value}" for name, value in fields(record).items() if name in SHOWN]
        return " ".join([super().formatMessage(record).replace("\n", "\\n"), *extras])

    def format(self, record: logging.LogRecord) -> str:
        return redact(super().format(record))


class Json(logging.Formatter):
    """One JSON object per record, the traceback included."""

    def format(self, record: logging.LogRecord) -> str:
        line = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
            **fields(record),
        }
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return redact(json.dumps(line, default=str, ensure_ascii=False))


def config(level: str, *, as_json: bool, errors_to_stdout: bool) -> dict[str, Any]:
    handlers: dict[str, dict[str, Any]] = {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}}
    if errors_to_stdout:
        stdout = {"stream": "ext://sys.stdout", "level": "ERROR"}
        handlers["stdout"] = {**handlers["stderr"], **stdout}
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"line": {"()": "config.logs.Json" if as_json else "config.logs.Lines"}},
        "handlers": handlers,
        "root": {"handlers": list(handlers), "level": level},
        "loggers": {name: {"handlers": [], "propagate": True, "level": LOGGERS[name]} for name in LOGGERS},
    }
