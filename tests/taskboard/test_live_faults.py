"""A live page that cannot be rendered, through a fault of ours, takes no other one along."""

from typing import Any

import pytest
from django.db import OperationalError

from taskboard.live import Channel
from taskboard.views import regions
from tests.factories import make_task

pytestmark = pytest.mark.django_db(transaction=True)


def fails(error: Exception) -> Any:
    def render(*_: object) -> Any:
        raise error

    return render


def test_it_stays_as_it_was_while_the_others_go_on(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    task = make_task()
    row, whole = (Channel(kind, task.pk, 0, "en", "UTC") for kind in ("row", "task"))
    before = regions.look({row: None})
    task.version += 1
    task.save()
    monkeypatch.setitem(regions.RENDERERS, "row", fails(ValueError("no such thing")))
    now = regions.look({row: before[row], whole: None})
    assert now[row].regions == before[row].regions
    assert now[row].version == task.version
    assert "#state" in now[whole].regions
    assert "a live page could not be rendered" in caplog.text
    assert regions.look({row: now[row]}) == {}


def test_a_fault_of_the_database_is_left_to_the_next_look(monkeypatch: pytest.MonkeyPatch) -> None:
    task = make_task()
    monkeypatch.setitem(regions.RENDERERS, "row", fails(OperationalError("away")))
    with pytest.raises(OperationalError):
        regions.look({Channel("row", task.pk, 0, "en", "UTC"): None})
