"""Finding an item across all tasks."""

import pytest
from django.contrib.auth.base_user import AbstractBaseUser
from django.db import connection
from django.test.utils import CaptureQueriesContext

from taskboard.lists import find_item
from taskboard.models import Item, ItemStatus, Step
from tests.conftest import logged_in
from tests.factories import make_item, make_step, make_task


def keys(person: AbstractBaseUser, text: str, how: str = "", before: int = 0) -> list[str]:
    return [item.key for item in find_item.find(person, text, how, before).rows]


def plan_of(sql: str) -> str:
    """How the database would find the rows."""
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("ANALYZE taskboard_item")
            cursor.execute("SET LOCAL enable_seqscan = off")
        cursor.execute(("EXPLAIN " if connection.vendor == "postgresql" else "EXPLAIN QUERY PLAN ") + sql)
        return " ".join(str(line[-1]) for line in cursor.fetchall())


def test_it_finds_what_begins_so_in_every_task_the_newest_first(operator: AbstractBaseUser) -> None:
    for goal in ("First audit", "Second audit"):
        make_item(make_task(goal=goal), "/pricing", status=ItemStatus.DONE)
        make_item(make_task(), "/about/pricing")
    page = logged_in(operator).get("/items/?q=/pricing").content.decode()
    assert page.index("Second audit") < page.index("First audit")
    assert "/about/pricing" not in page
    assert "Done" in page


def test_it_looks_anywhere_where_nothing_begins_so(operator: AbstractBaseUser) -> None:
    make_item(make_task(), "/about/pricing", label="Prices of kilns")
    assert keys(operator, "PRICING") == ["/about/pricing"]
    assert keys(operator, "kilns") == ["/about/pricing"]
    assert keys(operator, "pricing", find_item.BEGINNING) == []
    assert keys(operator, "nothing") == keys(operator, "") == keys(operator, " \x00") == []


def test_wildcards_are_only_text(operator: AbstractBaseUser) -> None:
    make_item(make_task(), "a%b_c\\d")
    make_item(make_task(), "axbxcxd")
    assert keys(operator, "a%b_c\\") == ["a%b_c\\d"]
    assert keys(operator, "%b_", find_item.ANYWHERE) == ["a%b_c\\d"]


def test_a_name_is_found_in_whichever_form_it_is_typed(operator: AbstractBaseUser) -> None:
    make_item(make_task(), "B\u00fccher-7")
    assert keys(operator, " Bu\u0308cher\u200b") == ["B\u00fccher-7"]


def test_it_finds_the_items_that_led_to_a_ticket(operator: AbstractBaseUser) -> None:
    for number in range(2):
        item = make_item(make_task(), f"/page/{number}")
        make_step(item, external_id="T-1042")
        make_step(make_item(item.task, f"T-1042/{number}"), external_id=f"T-1042{number}")
    assert keys(operator, " T-1042 ") == ["/page/1", "/page/0"]
    page = logged_in(operator).get("/items/?q=T-1042").content.decode()
    assert "led to this id outside" in page
    assert keys(operator, "T-1042", find_item.BEGINNING) == ["T-1042/1", "T-1042/0"]
    assert keys(operator, "T-9") == keys(operator, "T-1042", find_item.OUTSIDE, 1) == []


def test_the_index_of_tickets_is_used(operator: AbstractBaseUser) -> None:
    with CaptureQueriesContext(connection) as captured:
        assert not Step.objects.led_to("T-1042").exists()
    assert "step_by_external_id" in plan_of(captured.captured_queries[-1]["sql"])


def test_the_whole_task_is_no_item(operator: AbstractBaseUser) -> None:
    make_item(make_task(), "_task", position=0)
    assert keys(operator, "_task") == []


def test_it_is_paged_by_key(operator: AbstractBaseUser) -> None:
    task = make_task()
    rows = [
        Item(task=task, key=f"page {n:03}", position=n, updated_at=task.created_at) for n in range(1, 121)
    ]
    Item.objects.bulk_create(rows)
    seen, before = [], 0
    while True:
        shown = find_item.find(operator, "page", "", before)
        seen += [item.key for item in shown.rows]
        if shown.following is None:
            break
        before = shown.following
    assert seen == [f"page {n:03}" for n in range(120, 0, -1)]
    assert "before=" in logged_in(operator).get("/items/?q=page").content.decode()


def test_it_looks_at_a_bounded_number_of_items(
    operator: AbstractBaseUser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(find_item, "NEWEST", 2)
    monkeypatch.setattr(find_item, "MOST", 2)
    for n in range(4):
        make_item(make_task(), f"page {n}")
    assert keys(operator, "age") == ["page 3", "page 2"]
    assert find_item.find(operator, "page", "", 0).too_many
    assert "Write more of the name" in logged_in(operator).get("/items/?q=page").content.decode()


def test_the_index_is_used(operator: AbstractBaseUser) -> None:
    task = make_task()
    new = (Item(task=task, key=f"{n}", position=n, updated_at=task.created_at) for n in range(1, 2001))
    Item.objects.bulk_create(new)
    with CaptureQueriesContext(connection) as captured:
        find_item.find(operator, "1999", find_item.BEGINNING, 0)
    assert "item_by_key" in plan_of(captured.captured_queries[-1]["sql"])


def test_it_is_not_for_strangers(outsider: AbstractBaseUser) -> None:
    make_item(make_task(), "secret")
    assert logged_in(outsider).get("/items/?q=secret").status_code == 403
    assert keys(outsider, "secret") == []
