"""A document becomes a task that is shown as it says and waits to be resumed."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from taskboard import document
from taskboard.document import rules
from taskboard.engine import reconcile
from taskboard.models import Effect
from tests.documents import EXAMPLE, example, load
from tests.factories import make_task

pytestmark = pytest.mark.django_db


def test_the_page_has_what_the_document_says() -> None:
    task = load(example())
    assert task.status == "running"
    assert task.total == 200
    assert task.item_counts["done"] == 86
    assert str(task.spent_usd) == "7.35"
    assert task.updated_at == datetime(2026, 9, 17, 2, 42, 13, tzinfo=UTC)
    assert task.last_checkpoint == "page_087.notify.started"


def test_items_that_are_only_counted_stay_counts() -> None:
    task = load(example())
    assert sum(task.unlisted.values()) == 198
    assert sorted(task.items.values_list("key", "status")) == [
        ("page_033", "waiting_approval"), ("page_087", "running"),
    ]  # fmt: skip


def test_a_started_step_stays_started_without_a_lease() -> None:
    task = load(example())
    step = task.steps.get(name="notify")
    assert (step.status, step.lease_until, step.lease_owner) == ("started", None, "")
    assert reconcile.abandoned(timezone.now()) == []
    assert task.steps.get(name="create_ticket").external_id == "T-8812"


@pytest.mark.parametrize("status", ["pending", "running", "waiting", "paused", "blocked"])
def test_an_unfinished_task_is_held(status: str) -> None:
    task = load(example(status=status))
    assert task.held
    assert task.status == status


@pytest.mark.parametrize("status", ["completed", "failed", "cancelled"])
def test_a_finished_task_is_not_held_and_keeps_its_status(status: str) -> None:
    task = load(example(status=status))
    assert not task.held
    assert task.status == status
    assert task.finished_at == task.updated_at
    assert task.untold == ""


def test_the_amount_spent_opens_the_ledger() -> None:
    entry = load(example()).ledger.get()
    assert (entry.source, entry.amount_micro) == ("opening:task_20260917_0042", 7_350_000)


def test_its_open_question_can_be_read() -> None:
    exported = document.of(load(example()))
    assert [entry["decision"] for entry in exported["approvals"]] == [None]


def test_the_journal_says_who_imported_which_file() -> None:
    row = load(example(), actor="ops").journal.get()
    assert (row.kind, row.actor, row.ordinal) == ("imported", "ops", 1)
    assert len(row.data["sha256"]) == 64
    assert row.data["not_listed"] == 198


def test_the_starter_is_linked_when_that_user_exists(operator: Any) -> None:
    assert load(example(created_by="ops")).created_by == operator


def test_a_starter_who_is_not_here_stays_a_name() -> None:
    task = load(example())
    assert (task.created_by, task.created_by_name) == (None, "user_ops_zhang")


def test_odd_artifact_addresses_are_kept_as_text() -> None:
    task = load(example(artifacts={"x": "javascript:alert(1)", "y": "../../etc/passwd"}))
    assert dict(task.artifacts.values_list("name", "place")) == {
        "x": "javascript:alert(1)",
        "y": "../../etc/passwd",
    }
    assert not task.artifacts.filter(managed=True).exists()


def test_the_whole_task_item_counts_in_no_progress() -> None:
    whole = {"stage": "report", "steps": {"report": {"status": "pending"}}}
    task = load(example(items___task=whole))
    assert task.total == 200
    assert task.items.get(key="_task").position == 0
    assert task.items.get(key="page_087").position == 1


def test_effect_keys_are_known_from_then_on() -> None:
    task = load(example(items__page_087__steps__create_ticket__effect_key="ticket:page_087:meta"))
    effect = Effect.objects.get(key="ticket:page_087:meta")
    assert (effect.task, effect.external_id) == (task, "T-8812")
    assert document.of(task)["items"]["page_087"]["steps"]["create_ticket"]["effect_key"] == effect.key


def test_an_effect_that_a_purged_task_left_behind_is_taken_over() -> None:
    Effect.objects.create(key="ticket:page_087:meta", external_id="T-8812", at=timezone.now())
    task = load(example(items__page_087__steps__create_ticket__effect_key="ticket:page_087:meta"))
    assert Effect.objects.get().task == task


def test_an_effect_that_has_happened_since_the_document_was_written_stays_so() -> None:
    known = Effect.objects.create(key="told:page_087", external_id="N-1", at=timezone.now())
    task = load(example(items__page_087__steps__notify__effect_key="told:page_087"))
    effect = Effect.objects.get()
    assert (effect.task, effect.external_id, effect.at) == (task, "N-1", known.at)


def test_an_effect_of_a_task_that_is_here_stays_with_it() -> None:
    known = Effect.objects.create(key="told:page_087", task=make_task(), at=timezone.now())
    load(example(items__page_087__steps__notify__effect_key="told:page_087"))
    assert Effect.objects.get().task == known.task


def test_instructions_that_wait_are_counted() -> None:
    waits = {"text": "Skip the blog", "added_by": "ops", "added_at": "2026-09-17T10:00:00+08:00"}
    taken = waits | {"taken_up_at": "2026-09-17T10:01:00+08:00", "taken_up_by": "page_001.diagnose"}
    assert load(example(instructions=[taken, waits])).open_instructions == 1


@pytest.mark.parametrize(
    ("statuses", "status"),
    [
        ((), "pending"), (("pending",), "pending"), (("done", "pending"), "running"),
        (("failed", "pending"), "running"), (("waiting_approval", "pending"), "running"),
        (("superseded", "done"), "done"), (("failed", "unknown"), "blocked"),
    ],
)  # fmt: skip
def test_an_item_without_a_status_stands_as_its_steps_say(statuses: tuple[str, ...], status: str) -> None:
    steps = {f"step_{number}": {"status": one} for number, one in enumerate(statuses)}
    items = {"page_087": {"stage": "", "steps": steps}}
    assert rules.listed({"items": items, "approvals": []}) == {"page_087": status}


def test_a_byte_order_mark_does_no_harm() -> None:
    assert document.load(b"\xef\xbb\xbf" + EXAMPLE.read_bytes(), "ops").total == 200


def test_the_command_ends_with_the_task_id(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("importtask", str(EXAMPLE))
    out = capsys.readouterr().out.splitlines()
    assert out[0].startswith("198 items are counted")
    assert out[-1] == "task_20260917_0042"


def test_the_command_keeps_who_imported(operator: Any) -> None:
    call_command("importtask", str(EXAMPLE), "--as", "ops")
    assert operator.tasks.model.objects.get().journal.get().actor == "ops"


def test_the_command_refuses_people_who_may_not(manager: Any) -> None:
    with pytest.raises(CommandError, match="may not import"):
        call_command("importtask", str(EXAMPLE), "--as", "manager")


def test_the_command_says_when_a_file_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="cannot be read: No such file"):
        call_command("importtask", str(tmp_path / "none.json"))


def test_the_command_tells_the_path_of_a_fault(tmp_path: Path) -> None:
    path = tmp_path / "broken.json"
    path.write_text(json.dumps(example(items__page_087__steps__notify__status="sent")), "utf-8")
    with pytest.raises(CommandError, match=r"^items\.page_087\.steps\.notify\.status: \"sent\" is not known"):
        call_command("importtask", str(path))
