"""The state page: the document to be read."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.conftest import logged_in
from tests.factories import make_item, make_step, make_task

pytestmark = pytest.mark.django_db


def test_it_shows_plain_values_and_parts_to_be_opened(operator: Any) -> None:
    task = make_task(goal="Audit <b>all</b>", params={"source": "a&b"})
    make_step(make_item(task, "page_001"), "diagnose", status="done")
    html = logged_in(operator).get(f"{task.get_absolute_url()}state/").content.decode()
    assert "Audit &lt;b&gt;all&lt;/b&gt;" in html
    assert '<details class="state-part" id="part-items">' in html
    assert "a&amp;b" in html
    assert "&quot;page_001&quot;" in html
    assert f"{task.get_absolute_url()}state.json" in html


def test_of_many_items_it_reads_and_shows_the_first(operator: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr("taskboard.views.state.MOST", 3)
    client = logged_in(operator)

    def seen(items: int) -> tuple[str, int]:
        task = make_task()
        for number in range(items):
            make_item(task, f"key_{number}")
        with CaptureQueriesContext(connection) as queries:
            html = client.get(f"{task.get_absolute_url()}state/").content.decode()
        return html, len(queries)

    seen(1)
    few, many = seen(2), seen(9)
    assert "key_2" in many[0]
    assert "key_3" not in many[0]
    assert "3+" in many[0]
    assert few[1] == many[1]


@pytest.mark.browser
@pytest.mark.django_db(transaction=True)
def test_on_a_phone_no_name_lies_over_its_value(browse: Callable[..., Any], operator: Any) -> None:
    page = browse(operator, viewport={"width": 390, "height": 844})
    page.goto(f"{make_task().get_absolute_url()}state/")
    wide = "all => all.filter(dt => dt.scrollWidth > dt.clientWidth).map(dt => dt.textContent)"
    assert page.locator(".state-facts dt").evaluate_all(wide) == []
