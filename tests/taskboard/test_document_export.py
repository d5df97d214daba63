"""A task as one document: what it says, that it comes back the same, that it is written whole."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from hypothesis import HealthCheck, given, settings

from taskboard import document
from taskboard.document import form
from taskboard.errors import BadInput
from taskboard.models import Artifact
from tests.documents import consistent, example, load, taken_through, without_times
from tests.factories import make_task

pytestmark = pytest.mark.django_db


def covers(exported: Any, given_: Any) -> bool:
    """Everything that was given is there; further keys may be."""
    if isinstance(given_, dict):
        return all(key in exported and covers(exported[key], value) for key, value in given_.items())
    return bool(exported == given_)


def test_the_example_comes_back() -> None:
    assert covers(without_times(taken_through(example())), without_times(example()))


def test_what_is_begun_and_not_finished_counts_as_pending() -> None:
    progress = taken_through(example())["progress"]
    assert progress == {"total": 200, "done": 86, "failed": 2, "waiting_approval": 3, "pending": 109}


def test_every_version_of_an_artifact_is_told() -> None:
    task = make_task()
    for version in (1, 2):
        made = {"place": f"kept/{version}", "version": version, "created_at": task.updated_at}
        Artifact.objects.create(task=task, name="report.md", **made)
    told = document.of(task)
    assert told["artifacts"] == {"report.md": "kept/2"}
    assert [(one["version"], one["place"]) for one in told["artifact_details"]] == [
        (1, "kept/1"),
        (2, "kept/2"),
    ]


def test_further_counts_are_told_only_when_there_are_any() -> None:
    rejected = example(progress__rejected=4, progress__total=204)
    assert taken_through(rejected)["progress"]["rejected"] == 4
    assert "rejected" not in taken_through(example())["progress"]


def test_amounts_are_exact_numbers() -> None:
    budget = taken_through(example(budget__spent_usd=0.1 + 0.2, budget__limit_usd=999999999.999999))["budget"]
    assert budget == {"limit_usd": 999999999.999999, "spent_usd": 0.3}
    assert json.dumps([form.usd(20_000_000), form.usd(7_350_000)]) == "[20, 7.35]"


def test_the_second_export_is_the_first_to_the_letter() -> None:
    first = taken_through(example())
    assert json.dumps(taken_through(first)) == json.dumps(first)


@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
@given(given_=consistent())
def test_every_document_is_a_fixpoint(given_: dict[str, Any]) -> None:
    first = taken_through(given_)
    assert taken_through(first) == first
    told = {key: value for key, value in given_.items() if key in ("goal", "plan", "progress", "artifacts")}
    told["progress"] = {key: value for key, value in told["progress"].items() if value}
    assert covers(first, told)


def test_several_versions_of_an_artifact_are_all_told() -> None:
    task = load(example())
    for version in (1, 2):
        task.artifacts.create(
            name="report",
            version=version,
            place=f"reports/{version}.md",
            managed=True,
            created_at=task.created_at,
        )
    exported = document.of(task)
    assert exported["artifacts"]["report"] == "reports/2.md"
    assert [entry["version"] for entry in exported["artifact_details"] if entry["name"] == "report"] == [1, 2]


def test_the_ledger_is_summed_per_step_and_model() -> None:
    ledger = [{"step": "diagnose", "model": "m", "usd": 7, "calls": 3, "seconds": 1.5}, {"usd": 0.35}]
    exported = taken_through(example(ledger=ledger))
    assert sorted(exported["ledger"], key=len, reverse=True) == ledger
    assert taken_through(exported) == exported


def test_it_reads_many_items_with_few_queries(django_assert_max_num_queries: Any) -> None:
    many = {f"page_{n:04}": {"stage": "a", "steps": {"a": {"status": "pending"}}} for n in range(1200)}
    task = load(example(items=many, progress__pending=1200, progress__total=1291))
    with django_assert_max_num_queries(25):
        assert sum(len(piece) for piece in document.stream(task)) > 50_000


def test_a_file_is_written_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    task, path = load(example()), tmp_path / "state.json"
    document.save(task, path)
    before = path.read_bytes()

    def torn(_task: Any) -> Any:
        yield "{"
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("taskboard.document.files.stream", torn)
    with pytest.raises(BadInput, match="No space left"):
        document.save(task, path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_the_command_writes_document_and_journal(tmp_path: Path) -> None:
    task = load(example())
    state, lines = tmp_path / "state.json", tmp_path / "journal.jsonl"
    call_command("exporttask", task.public_id, out=state, journal=lines)
    assert json.loads(state.read_text("utf-8")) == document.of(task)
    assert [json.loads(line)["kind"] for line in lines.read_text("utf-8").splitlines()] == ["imported"]


def test_the_command_prints_without_a_file(capsys: pytest.CaptureFixture[str]) -> None:
    task = load(example())
    call_command("exporttask", task.public_id)
    assert json.loads(capsys.readouterr().out) == document.of(task)


def test_it_refuses_what_is_no_ordinary_file(tmp_path: Path) -> None:
    task = load(example())
    with pytest.raises(CommandError, match="no ordinary file"):
        call_command("exporttask", task.public_id, out=tmp_path)
