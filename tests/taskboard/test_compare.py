"""A run beside an earlier one of the same source."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.base_user import AbstractBaseUser

from taskboard import compare
from taskboard.compare import Pair, Side, judge
from taskboard.models import ItemStatus, StepStatus, Task, TaskStatus
from tests.conftest import logged_in
from tests.factories import NOW, make_item, make_step, make_task

DONE, FAILED, RUNNING = ItemStatus.DONE, ItemStatus.FAILED, ItemStatus.RUNNING


@pytest.mark.parametrize(
    ("now", "was", "verdict"),
    [
        (Side(DONE, 2), Side(DONE, 3), "better"),
        (Side(DONE, 3), Side(FAILED, 2), "worse"),
        (Side(DONE, 2), Side(DONE, 2), "same"),
        (Side(DONE, None), Side(FAILED, None), "better"),
        (Side(FAILED, None), Side(DONE, 1), "worse"),
        (Side(RUNNING, None), Side(DONE, None), "same"),
        (Side(DONE, 1), None, "new"),
        (Side(DONE, 1), Side(ItemStatus.CANCELLED, None), "new"),
        (None, Side(DONE, 1), "gone"),
    ],
)
def test_verdicts(now: Side | None, was: Side | None, verdict: str) -> None:
    assert judge(now, was) == verdict


def make_audit(findings: dict[str, int], **params: Any) -> Task:
    at = params.pop("created_at", NOW)
    told = {"created_at": at, "status": params.pop("status", TaskStatus.COMPLETED)}
    task = make_task(workflow="seo-audit", params={"source": "/site", **params}, **told)
    for key, number in findings.items():
        item = make_item(task, key, status=DONE)
        outputs = {"findings": [{"code": "x"}] * number}
        make_step(item, "diagnose", status=StepStatus.DONE, outputs=outputs)
    return task


@pytest.fixture
def runs(db: None) -> tuple[Task, Task]:
    """The earlier run and the later one."""
    was = make_audit({"mended": 3, "spoilt": 0, "kept": 1, "removed": 1}, approve_over=5)
    return was, make_audit({"mended": 1, "spoilt": 2, "kept": 1, "added": 0}, approve_over=9)


def test_the_last_run_is_the_newest_of_the_same_source(runs: tuple[Task, Task]) -> None:
    was, now = runs
    make_audit({}, source="/elsewhere")
    assert compare.earlier(now) == was
    assert compare.earlier(was) is None


def test_a_run_that_did_not_end_is_no_last_run(runs: tuple[Task, Task]) -> None:
    now = runs[1]
    newer = {"created_at": now.created_at + timedelta(days=1)}
    make_audit({"kept": 1}, status=TaskStatus.CANCELLED, **newer)
    make_audit({"kept": 1}, status=TaskStatus.RUNNING, **newer)
    assert compare.earlier(make_audit({}, created_at=now.created_at + timedelta(days=2))) == now


def test_an_older_run_that_was_imported_later_is_no_last_run(runs: tuple[Task, Task]) -> None:
    was, now = runs
    imported = make_audit({}, created_at=NOW - timedelta(days=9))
    assert compare.earlier(now) == was
    assert compare.earlier(was) == imported
    assert compare.earlier(imported) is None


def test_fewer_findings_are_better(runs: tuple[Task, Task]) -> None:
    was, now = runs
    found = {pair.key: pair.verdict for pair in (*compare.pairs(now, was), *compare.gone(now, was))}
    assert found == {"mended": "better", "spoilt": "worse", "kept": "same", "added": "new", "removed": "gone"}


def test_outputs_of_another_version_count_as_not_measured(runs: tuple[Task, Task]) -> None:
    was, now = runs
    was.steps.filter(item__key="mended").update(outputs={"older": True})
    assert next(pair for pair in compare.pairs(now, was) if pair.key == "mended").verdict == "same"


def test_many_items_go_in_batches(runs: tuple[Task, Task], monkeypatch: pytest.MonkeyPatch) -> None:
    was, now = runs
    monkeypatch.setattr(compare, "AT_ONCE", 2)
    monkeypatch.setattr(compare, "MOST_READ", 3)
    counts, complete = compare.count(compare.pairs(now, was))
    assert (sum(counts.values()), complete) == (3, False)
    shown, following = compare.some(compare.pairs(now, was), "new", 5)
    assert (shown, following) == ([], 3)
    shown, following = compare.some(compare.pairs(now, was, following), "new", 5)
    assert ([pair.key for pair in shown], following) == (["added"], 0)


def test_the_page_shows_one_verdict_at_a_time(operator: AbstractBaseUser, runs: tuple[Task, Task]) -> None:
    was, now = runs
    client = logged_in(operator)
    page = client.get(f"{now.get_absolute_url()}compare/").content.decode()
    assert was.public_id in page
    assert "spoilt" in page
    assert "mended" not in page
    assert "Findings" in page
    gone = client.get(f"{now.get_absolute_url()}compare/?show=gone").content.decode()
    assert f"{was.get_absolute_url()}items/removed/" in gone


def test_the_sheet_holds_all(operator: AbstractBaseUser, runs: tuple[Task, Task]) -> None:
    response = logged_in(operator).get(f"{runs[1].get_absolute_url()}compare.csv")
    lines = b"".join(response).decode().splitlines()  # type: ignore[arg-type]
    assert lines[0].startswith("key,label,verdict")
    assert "mended,,better,done,done,1,3" in lines
    assert "removed,,gone,,done,,1" in lines


def test_any_other_task_can_be_named(operator: AbstractBaseUser, runs: tuple[Task, Task]) -> None:
    was, now = runs
    client = logged_in(operator)
    assert client.get(f"{was.get_absolute_url()}compare/?with={now.public_id}").status_code == 200
    unknown = client.get(f"{was.get_absolute_url()}compare/?with=nothing")
    assert unknown.status_code == 422
    assert "There is no task nothing" in unknown.content.decode()


def test_without_an_earlier_run_it_says_so(operator: AbstractBaseUser, runs: tuple[Task, Task]) -> None:
    page = logged_in(operator).get(f"{runs[0].get_absolute_url()}compare/").content.decode()
    assert "There is no earlier completed run of the same source" in page


def test_earlier_runs_that_did_not_end_are_offered(
    operator: AbstractBaseUser, runs: tuple[Task, Task]
) -> None:
    before = {"created_at": NOW - timedelta(days=1)}
    failed = make_audit({"kept": 1}, status=TaskStatus.FAILED, **before)
    other = make_audit({}, status=TaskStatus.FAILED, source="/elsewhere", **before)
    page = logged_in(operator).get(f"{runs[0].get_absolute_url()}compare/").content.decode()
    assert f'href="?with={failed.public_id}"' in page
    assert other.public_id not in page


def test_it_says_that_only_the_measure_counts(operator: AbstractBaseUser, runs: tuple[Task, Task]) -> None:
    runs[0].items.filter(key="kept").update(status=ItemStatus.REJECTED)
    page = logged_in(operator).get(f"{runs[1].get_absolute_url()}compare/?show=same").content.decode()
    assert "Rejected" in page
    assert "how an item ended does not count" in page


def test_without_a_measure_the_ending_counts(db: None) -> None:
    was, now = make_task(workflow="linear"), make_task(workflow="linear")
    make_item(was, "a", status=FAILED)
    make_item(now, "a", status=DONE)
    assert [pair.verdict for pair in compare.pairs(now, was)] == ["better"]
    assert Pair(1, "a", "", None, None).verdict == "new"
