"""An archive can be read back to be looked at: whole, journal and all, and nothing of it ever runs or changes."""

import gzip
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from taskboard import document, lifecycle
from taskboard.errors import BadInput, WrongState
from taskboard.models import Checkpoint, PurgeRecord, Step, Task
from taskboard.recount import differences
from taskboard.retention import archive, expiry, hold, purge, reading
from taskboard.steering import steer
from taskboard.views import parts
from tests.conftest import logged_in
from tests.factories import make_finished_task
from tests.retention_rows import LATER, make_full_task

pytestmark = pytest.mark.django_db


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    """The archive of a task that was purged."""
    record = purge.purge_task(make_full_task(goal="诊断 3 pages").pk, "admin")
    path = tmp_path / "archive.json.gz"
    with archive.open_file(record) as file:
        path.write_bytes(file.read())
    return path


def journal_of(public_id: str) -> list[Any]:
    rows = Checkpoint.objects.filter(task__public_id=public_id).order_by("ordinal")
    return list(rows.values_list("ordinal", "at", "kind", "item_key", "step", "attempt", "actor", "data"))


def test_document_and_journal_come_back_as_they_were(tmp_path: Path) -> None:
    task = make_full_task()
    before, told = document.of(task), journal_of(task.public_id)
    record = purge.purge_task(task.pk, "admin")
    path = tmp_path / "archive.json.gz"
    with archive.open_file(record) as file:
        path.write_bytes(file.read())
    back = reading.load(path, "admin")
    assert journal_of(back.public_id)[:-1] == told
    assert journal_of(back.public_id)[-1][2] == "imported"
    after = document.of(back)
    assert {
        name: after[name] for name in before if name not in ("retention", "artifact_details", "comments")
    } == {name: before[name] for name in before if name not in ("retention", "artifact_details", "comments")}
    assert list(differences(back)) == []


def test_nothing_of_it_can_be_changed_or_run(kept: Path, operator: Any) -> None:
    task = reading.load(kept, "admin")
    attempts: list[Callable[[], Any]] = [
        lambda: hold.hold(task.pk, "admin", "Audit"),
        lambda: steer.retry_step(Step.objects.filter(task=task).first(), operator),  # type: ignore[arg-type]
        lambda: lifecycle.changing(task.pk, "ops").__enter__(),
    ]
    for attempt in attempts:
        with pytest.raises(WrongState, match="archive"):
            attempt()


def test_it_goes_again_after_a_week_and_costs_are_not_counted_twice(kept: Path) -> None:
    task = reading.load(kept, "admin")
    assert task.expires_at
    assert "It is kept until" in expiry.why_kept(task, task.expires_at - reading.SHOWN_FOR)
    Task.objects.update(expires_at=LATER)
    Task.objects.filter(pk=task.pk).update(expires_at=task.created_at)
    purge.purge_task(task.pk, "admin")
    assert [record.spent_micro for record in PurgeRecord.objects.order_by("pk")] == [150_000, 0]
    assert not Task.objects.exists()


def test_its_page_says_what_it_is_and_has_no_buttons(kept: Path, admin: Any) -> None:
    task = reading.load(kept, "admin")
    client: Client = logged_in(admin)
    page = client.get(task.get_absolute_url()).content.decode()
    assert "Read back from an archive" in page
    assert 'id="actions"' not in page
    assert parts.refresh_html(task).strip() == ""
    assert "looked at" in client.get(f"/tasks/{task.public_id}/keeping/").content.decode()


FORMS = ('id="comment-text"', "steer-items", "steer-risk", "steer-close", 'id="pick"', "can-pick")


def test_its_page_offers_no_form_that_would_be_refused(kept: Path, admin: Any) -> None:
    client: Client = logged_in(admin)
    before = client.get(make_finished_task().get_absolute_url()).content.decode()
    assert [form for form in FORMS if form not in before] == ["steer-close"]  # it has no open risk
    task = reading.load(kept, "admin")
    item = task.items.get(position=1)
    fetched = f"/tasks/{task.public_id}/parts/steering-forms/"
    for address in (task.get_absolute_url(), item.get_absolute_url(), fetched):
        response = client.get(address)
        assert response.status_code == 200
        assert [form for form in FORMS if form in response.content.decode()] == []


def test_the_command_reads_it_back_and_says_when_it_is_another_file(kept: Path) -> None:
    out, err = StringIO(), StringIO()
    call_command("importtask", str(kept), stdout=out, stderr=err)
    assert "looked at for a week" in out.getvalue()
    assert err.getvalue() == ""
    Task.objects.all()
    purge_again = Task.objects.get()
    Task.objects.filter(pk=purge_again.pk).update(expires_at=purge_again.created_at)
    purge.purge_task(purge_again.pk, "admin")
    kept.write_bytes(gzip.compress(gzip.decompress(kept.read_bytes()), mtime=1))
    call_command("importtask", str(kept), stdout=out, stderr=err)
    assert "not the file that the purge record here names" in err.getvalue()


def text(kept: Path) -> str:
    return gzip.decompress(kept.read_bytes()).decode()


DAMAGE: dict[str, Callable[[str], str]] = {
    "no archive": lambda whole: whole.replace('{"archive": 1,', '{"archive": 2,', 1),
    "no journal": lambda whole: whole.partition('"journal": [')[0],
    "no end": lambda whole: whole.removesuffix("\n]}\n"),
    "without a gap": lambda whole: whole.replace('{"ordinal": 2,', '{"ordinal": 7,', 1),
    "none that Taskboard has written": lambda whole: whole.replace('"kind": "created"', '"kind": "odd"', 1),
    "lacks its offset": lambda whole: whole.replace('+00:00", "kind": "created"', '", "kind": "created"', 1),
    "no time": lambda whole: whole.replace('"kind": "created"', '"kind": "created", "at": 5', 1).replace(
        '{"ordinal": 1, "at":', '{"ordinal": 1, "was":', 1
    ),
    "not finished": lambda whole: whole.replace('"status": "completed"', '"status": "paused"', 1),
    "cannot be stored": lambda whole: whole.replace("诊断 done", "\\u0000", 1),
}


@pytest.mark.parametrize("sentence", list(DAMAGE))
def test_a_damaged_archive_is_refused_with_a_sentence_and_nothing_is_stored(
    kept: Path, sentence: str
) -> None:
    before = text(kept)
    assert DAMAGE[sentence](before) != before
    kept.write_bytes(gzip.compress(DAMAGE[sentence](before).encode()))
    with pytest.raises(BadInput, match=sentence):
        reading.load(kept, "admin")
    assert not Task.objects.exists()


@pytest.mark.parametrize("cut", [30, -20])
def test_half_a_file_is_refused(kept: Path, cut: int) -> None:
    kept.write_bytes(kept.read_bytes()[:cut])
    with pytest.raises(CommandError):
        call_command("importtask", str(kept))
    assert not Task.objects.exists()


def test_what_unpacks_to_far_more_is_refused(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "LARGEST", 1000)
    with pytest.raises(BadInput, match="more than 1000 bytes"):
        reading.load(kept, "admin")


def test_a_task_that_is_still_here_is_not_read_over(tmp_path: Path) -> None:
    task = make_finished_task()
    path = tmp_path / "archive.json.gz"
    with archive.storage().open(archive.write(task).name, "rb") as file:
        path.write_bytes(file.read())
    with pytest.raises(BadInput, match="already here"):
        reading.load(path, "admin")
