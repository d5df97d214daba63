"""One log line per journal row, with task, item, step, attempt and ordinal as fields."""

import logging
from collections.abc import Sequence
from functools import partial
from typing import Any

from django.db import transaction

from taskboard.models import Kind

log = logging.getLogger("taskboard.journal")


def tell(public_id: str, entries: Sequence[Sequence[Any]]) -> None:
    """Once the transaction is committed: changes of a task's status as INFO, all other rows as DEBUG. The
    rows are as `journal.append` takes them. Costs nothing while the level is off."""
    if log.isEnabledFor(logging.DEBUG):
        transaction.on_commit(partial(_tell, public_id, list(entries)))
    elif log.isEnabledFor(logging.INFO) and any(entry[3] == Kind.STATUS for entry in entries):
        transaction.on_commit(partial(_tell, public_id, [e for e in entries if e[3] == Kind.STATUS]))


def _tell(public_id: str, entries: Sequence[Sequence[Any]]) -> None:
    for _task, ordinal, _at, kind, item, step, attempt, actor, data in entries:
        level = logging.INFO if kind == Kind.STATUS else logging.DEBUG
        place = {"item": item, "step": step, "attempt": attempt} if step else {"item": item} if item else {}
        told = {"task": public_id, **place, "ordinal": ordinal, "actor": actor}
        log.log(level, f"{kind} {data.get('to', '')}".rstrip(), extra=told)
