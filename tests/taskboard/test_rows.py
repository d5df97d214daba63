"""Many rows in one go read back the same as Django would have written them, on both databases."""

from datetime import timedelta

import pytest
from django.db import IntegrityError, connection, transaction

from taskboard import rows
from taskboard.models import Checkpoint, Item, Step, Task
from tests.factories import NOW, make_item, make_step, make_task

pytestmark = pytest.mark.django_db
COLUMNS = (
    "task",
    "key",
    "label",
    "position",
    "status",
    "stage",
    "params",
    "go_backs",
    "updated_at",
    "cost_micro",
)


def new_rows(task: Task, number: int) -> list[tuple[object, ...]]:
    return [
        (task.pk, f"page_{n}", 'ä "quoted" \\ 漢字 %s', n, "pending", "", {"n": [n, None]}, 0, NOW, 0)
        for n in range(1, number + 1)
    ]


def test_inserted_rows_read_back_as_they_were_given() -> None:
    rows.insert(Item, COLUMNS, new_rows(make_task(), 3))
    item = Item.objects.get(key="page_2")
    assert (item.label, item.params, item.updated_at) == ('ä "quoted" \\ 漢字 %s', {"n": [2, None]}, NOW)


def test_ids_come_back_by_the_key_of_their_row() -> None:
    ids = rows.insert(Item, COLUMNS, new_rows(make_task(), 40), key=("key", "position"))
    assert ids == {(item.key, item.position): item.pk for item in Item.objects.all()}
    assert len(ids) == 40


def test_more_rows_than_fit_in_one_statement_are_inserted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows, "AT_ONCE", 7)
    assert len(rows.insert(Item, COLUMNS, new_rows(make_task(), 20), key=("key",))) == 20
    changed = [[item.pk, "pending", "done"] for item in Item.objects.all()]
    assert len(rows.update(Item, ("id", "status"), ("status",), changed)) == 20


def test_only_rows_that_stand_as_expected_are_updated() -> None:
    task = make_task()
    first, second = make_item(task), make_item(task, status="running")
    told = rows.update(
        Item,
        ("id", "status"),
        ("status", "stage"),
        [(one.pk, "pending", "done", "end") for one in (first, second)],
    )
    assert told == [first.pk]
    assert list(Item.objects.order_by("pk").values_list("status", "stage")) == [
        ("done", "end"),
        ("running", ""),
    ]


def test_each_row_gets_its_own_values_beside_those_that_all_share() -> None:
    item = make_item(make_task())
    steps = [make_step(item, name) for name in ("one", "two", "three")]
    later = NOW + timedelta(microseconds=123456)
    given = [
        (steps[0].pk, "same", None, NOW), (steps[1].pk, "same", {"a": "\u2028"}, later), (steps[2].pk, "same", {}, None)
    ]  # fmt: skip
    rows.update(Step, ("id",), ("summary", "outputs", "due_at"), given)
    read = Step.objects.order_by("pk").values_list("pk", "summary", "outputs", "due_at")
    assert list(read) == given


def test_a_further_condition_narrows_what_is_updated() -> None:
    step = make_step(make_item(make_task()), status="started")
    assert rows.update(Step, ("id",), ("summary",), [(step.pk, "no")], where="status = 'pending'") == []
    assert rows.update(Step, ("id",), ("summary",), [(step.pk, "yes")], where="status = 'started'") == [
        step.pk
    ]


def test_no_rows_are_no_statement(django_assert_num_queries: object) -> None:
    with django_assert_num_queries(0):  # type: ignore[operator]
        assert rows.insert(Item, COLUMNS, []) == {}
        assert rows.update(Item, ("id",), ("status",), []) == []


def test_a_key_that_is_there_already_is_told_as_djangos_error() -> None:
    task = make_task()
    rows.insert(Item, COLUMNS, new_rows(task, 2))
    with pytest.raises(IntegrityError), transaction.atomic():
        rows.insert(Item, COLUMNS, new_rows(task, 1))


def test_the_columns_of_rows_are_read_by_a_list_of_ids() -> None:
    item = make_item(make_task())
    make_step(item, "one")
    assert rows.select(Step, ("item", "name", "status"), "item", {item.pk}) == [(item.pk, "one", "pending")]
    assert rows.select(Checkpoint, ("ordinal",), "id", set()) == []


def test_loaded_objects_are_as_django_makes_them() -> None:
    step = make_step(make_item(make_task()), outputs={"n": [1, None]}, due_at=NOW)
    (loaded,) = rows.load(Step.objects.filter(pk=step.pk))
    plain = Step.objects.get(pk=step.pk)
    assert {**vars(loaded), "_state": None} == {**vars(plain), "_state": None}
    assert (loaded, loaded._state.adding, loaded._state.db) == (plain, False, plain._state.db)
    loaded.summary = "saved like any other"
    loaded.save()
    assert Step.objects.get().summary == "saved like any other"


@pytest.mark.skipif(connection.vendor != "postgresql", reason="only a server has a planner with statistics")
def test_a_large_table_without_statistics_is_not_read_whole() -> None:
    rows.insert(Item, COLUMNS, new_rows(make_task(), 50_000))
    some = list(Item.objects.filter(position__lt=100).values_list("pk", flat=True))
    before = times_read_whole()
    assert len(rows.select(Item, ("id", "key"), "id", some)) == 99
    changed = [(pk, "pending", "running") for pk in some]
    assert len(rows.update(Item, ("id", "status"), ("status",), changed)) == 99
    assert times_read_whole() == before


def times_read_whole() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT seq_scan FROM pg_stat_xact_user_tables WHERE relname = 'taskboard_item'")
        return int(cursor.fetchone()[0])
