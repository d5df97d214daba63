"""Results are kept whole, once, and under names that lead nowhere else."""

from pathlib import Path
from typing import Any

import pytest
from django.core.files.base import ContentFile

from taskboard import artifacts, lifecycle
from taskboard.errors import BadInput, NotFound
from taskboard.models import Artifact, Task
from taskboard.outcomes import NewArtifact
from taskboard.views.artifact_links import safe_link, show
from tests.factories import make_item, make_task

pytestmark = pytest.mark.django_db


def keep(task: Task, new: NewArtifact, **options: Any) -> Artifact:
    row = artifacts.store(task, new, **options)
    with lifecycle.changing(task.pk, "test") as change:
        artifacts.add(change, [row])
    return row


def test_content_reads_back_with_its_size_and_hash() -> None:
    task = make_task()
    row = keep(task, NewArtifact("report.md", content=b"# Report"), item=make_item(task), step="report")
    with artifacts.open_file(row) as file:
        assert file.read() == b"# Report"
    stored = Artifact.objects.get()
    assert (stored.size, stored.media_type, stored.managed, stored.step) == (
        8,
        "text/markdown",
        True,
        "report",
    )
    assert stored.sha256.startswith(stored.place.rsplit("/", 1)[1].split("-")[0])


def test_a_file_is_copied_not_moved(tmp_path: Path) -> None:
    source = tmp_path / "table.csv"
    source.write_bytes(b"a,b\n")
    row = keep(make_task(), NewArtifact("table.csv", path=source))
    with artifacts.open_file(row) as file:
        assert (file.read(), source.exists()) == (b"a,b\n", True)


def test_other_content_is_a_new_version_and_the_same_content_is_not() -> None:
    task = make_task()
    for content in (b"one", b"one", b"two", b"two", b"one"):
        keep(task, NewArtifact("x.txt", content=content))
    assert list(Artifact.objects.values_list("version", flat=True)) == [1, 2, 3]
    assert len(list(artifacts.files(task.public_id))) == 2


def test_several_at_once_are_numbered_in_their_order() -> None:
    task = make_task()
    rows = [artifacts.store(task, NewArtifact("x", content=content)) for content in (b"1", b"2", b"2")]
    with lifecycle.changing(task.pk, "test") as change:
        artifacts.add(change, rows)
    assert list(Artifact.objects.values_list("version", flat=True)) == [1, 2]


@pytest.mark.parametrize(
    "name", ["../../etc/passwd", "/etc/passwd", "a/../../b", ".hidden", "诊断.md", "a\x00b", "x" * 400]
)
def test_no_name_leads_out_of_the_folder_of_its_task(name: str) -> None:
    task = make_task()
    row = keep(task, NewArtifact(name, content=b"x"))
    assert [place for place, _size in artifacts.files(task.public_id)] == [row.place]
    assert row.place.startswith(f"results/{task.public_id}/")


@pytest.mark.parametrize("public_id", ["..", "../other", ".", "a/b", "任务"])
def test_no_task_id_leads_out_of_the_storage(public_id: str) -> None:
    task = make_task(public_id=public_id)
    other = make_task()
    keep(other, NewArtifact("kept", content=b"x"))
    keep(task, NewArtifact("gone", content=b"x"))
    artifacts.remove(public_id)
    assert not list(artifacts.files(public_id))
    assert len(list(artifacts.files(other.public_id))) == 1


@pytest.mark.parametrize(
    ("place", "link"),
    [
        ("https://example.org/x", True), ("http://example.org", True), ("s3://bucket/x", False),
        ("javascript:alert(1)", False), (" JaVaScRiPt:alert(1)", False), ("java\tscript:x", False),
        ("data:text/html,x", False), ("//evil.example/x", False), ("http://x\ny", False),
    ],
)  # fmt: skip
def test_only_web_addresses_are_links(place: str, link: bool) -> None:
    task = make_task()
    row = keep(task, NewArtifact("there", url=place))
    assert (row.managed, row.size) == (False, None)
    assert show(task, row).url == safe_link(row.place) == (place if link else "")


def test_a_link_has_no_content_here() -> None:
    with pytest.raises(NotFound, match="link"):
        artifacts.open_file(keep(make_task(), NewArtifact("there", url="https://example.org")))


def test_a_file_that_is_gone_is_said() -> None:
    row = keep(make_task(), NewArtifact("x", content=b"x"))
    artifacts.storage().delete(row.place)
    with pytest.raises(NotFound, match="gone"):
        artifacts.open_file(row)


@pytest.mark.parametrize(
    "new", [NewArtifact("x"), NewArtifact("x", url="u", content=b""), NewArtifact(" ", url="u")]
)
def test_what_is_neither_is_refused(new: NewArtifact) -> None:
    with pytest.raises(BadInput):
        artifacts.store(make_task(), new)


def test_files_of_every_kind_count_and_go_with_their_folders() -> None:
    task = make_task()
    storage = artifacts.storage()
    storage.save(f"sites/{task.public_id}/changed/a/b.html", ContentFile(b"12345"))
    keep(task, NewArtifact("x", content=b"123"))
    assert sum(size for _place, size in artifacts.files(task.public_id)) == 8
    artifacts.remove(task.public_id)
    assert not storage.exists(f"sites/{task.public_id}")
    assert not storage.exists(f"results/{task.public_id}")


def test_half_a_file_is_never_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    task = make_task()

    def full(*_: Any) -> None:
        raise OSError("disk full")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="full"):
        artifacts.store(task, NewArtifact("x", content=b"x"))
    assert not list(artifacts.files(task.public_id))
