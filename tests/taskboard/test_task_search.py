"""Searching, sorting and paging the list of tasks."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from django.http import QueryDict
from django.utils import timezone

from taskboard.errors import BadInput
from taskboard.lists.paging import page
from taskboard.lists.tasks import ORDERS, Choice
from taskboard.models import ItemStatus, Task, TaskStatus
from tests.factories import NOW, make_item, make_task

pytestmark = pytest.mark.django_db


def found(search: str, **over: str) -> list[str]:
    query = QueryDict(mutable=True)
    query.update({"q": search, "sort": "created", **over})
    choice = Choice.of(query)
    return [task.goal for task in page(choice.rows(Task.objects.all()), choice.order, "", 50).rows]


@pytest.mark.parametrize(
    ("search", "goals"),
    [
        ("status:running", ["Shop"]),
        ("status:running,waiting", ["Shop", "Press pages"]),
        ("status:held", ["Imported"]),
        ("-status:running,held", ["Press pages"]),
        ("owner:ANNA", ["Press pages"]),
        ("owner:ann", []),
        ("workflow:zoo", ["Shop"]),
        ("cost:>5", ["Press pages"]),
        ("cost:>=$5.00", ["Shop", "Press pages"]),
        ("cost:<5", ["Imported"]),
        ("cost:7.50", ["Press pages"]),
        ("press", ["Press pages"]),
        ('"ess pag"', ["Press pages"]),
        ("press shop", []),
        ("-press status:running", ["Shop"]),
        ("100%", []),
        ("_", ["Shop", "Press pages", "Imported"]),  # every number has one; it is no wildcard
        ("'; DROP TABLE", []),
    ],
)
def test_it_finds_what_is_meant(search: str, goals: list[str]) -> None:
    make_task(goal="Shop", spent_micro=5_000_000)
    make_task(
        goal="Press pages",
        status=TaskStatus.WAITING,
        created_by_name="anna",
        workflow="asking",
        spent_micro=7_500_000,
    )
    make_task(goal="Imported", held=True, workflow="asking")
    assert found(search) == goals


@pytest.mark.parametrize(
    ("search", "told"),
    [
        ("status:red", "No task is ever “red”"),
        ("cost:much", "is not an amount"),
        ("cost:>", "is not an amount"),
        ("cost:NaN", "between 0 and"),
        ("created:soon", "“soon” is no day"),
        ("created:2026-02-30", "is no day"),
        ("created:0001-01-01", "too far away"),
        ("colour:red", "There is no “colour:”"),
    ],
)
def test_what_makes_no_sense_is_told(search: str, told: str) -> None:
    with pytest.raises(BadInput, match=told):
        found(search)


def test_days_are_those_of_the_reader() -> None:
    make_task(goal="Late", created_at=datetime(2026, 9, 10, 15, 30, tzinfo=UTC))
    assert found("created:2026-09-10") == ["Late"]
    with timezone.override(ZoneInfo("Asia/Seoul")):  # half past midnight there
        assert found("created:2026-09-10") == []
        assert found("created:2026-09-11") == ["Late"]
        assert found("created:>2026-09-10") == found("created:<=2026-09-11") == ["Late"]
        assert found("created:>=2026-09-12") == found("created:<2026-09-11") == []


def test_today_and_yesterday_are_days_too() -> None:
    make_task(goal="Now", created_at=timezone.now())
    assert found("created:today") == ["Now"]
    assert found("created:yesterday") == []


def test_every_task_is_counted_in_its_tabs_by_one_query(django_assert_num_queries: object) -> None:
    for status in TaskStatus:
        make_task(status=status)
    make_task(held=True)
    make_item(make_task(), status=ItemStatus.BLOCKED)
    with django_assert_num_queries(1):  # type: ignore[operator]
        counts = Choice().counts(Task.objects.all())
    assert counts == {"": 10, "running": 2, "queue": 1, "waiting": 3, "attention": 3, "finished": 3}
    for tab, number in counts.items():
        assert len(found("", tab=tab)) == number


@pytest.mark.parametrize("sign", [*ORDERS, *(f"-{name}" for name in ORDERS)])
def test_every_order_shows_each_task_once_whatever_is_equal(sign: str) -> None:
    for n in range(11):
        make_task(
            goal=("Same", "same, é", "Другой")[n % 3], spent_micro=n % 2, progress=n % 4, queue_position=n % 3,
            updated_at=NOW + timedelta(minutes=n % 2), created_at=NOW,
        )  # fmt: skip
    choice, cursor, seen = Choice.of(QueryDict(f"sort={sign}")), "", []
    while True:
        shown = page(choice.rows(Task.objects.all()), choice.order, cursor, 3)
        seen += [task.pk for task in shown.rows]
        cursor = shown.following
        if not cursor:
            break
    everything = page(choice.rows(Task.objects.all()), choice.order, "", 50).rows
    assert seen == [task.pk for task in everything]
    assert len(seen) == len(set(seen)) == 11


def test_a_page_stays_where_it_is_while_tasks_come() -> None:
    tasks = [make_task() for _ in range(6)]
    first = page(Choice().rows(Task.objects.all()), Choice().order, "", 3)
    make_task()
    second = page(Choice().rows(Task.objects.all()), Choice().order, first.following, 3)
    assert [task.pk for task in second.rows] == [task.pk for task in tasks[2::-1]]


@pytest.mark.parametrize(
    ("sort", "cursor"),
    [
        *(("created", cursor) for cursor in ("", "x", "~", "1~x", "nan~1", "9" * 30 + "~1", "1")),
        *(("updated", cursor) for cursor in ("2026-99-01~4", "2026-09-17~4", "soon~4", "~4", "\x00~4")),
        *(("name", cursor) for cursor in ("", "shop", "shop~", "shop~x")),
    ],
)
def test_a_cursor_that_is_none_means_the_first_page(sort: str, cursor: str) -> None:
    task = make_task()
    order = Choice(sort=sort).order
    assert order.read(cursor) is None
    assert page(Choice().rows(Task.objects.all()), order, cursor, 3).rows == [task]


def test_a_cursor_with_what_no_database_takes_does_no_harm() -> None:
    make_task()
    page(Choice().rows(Task.objects.all()), Choice(sort="name").order, "\x00\ud800~4", 3)
