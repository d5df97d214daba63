"""What needs attention, in Chromium: rows come and go, and what is being typed in another row stays."""

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.base_user import AbstractBaseUser

from taskboard import attention_taken
from taskboard.attention import key_of_step
from taskboard.models import AttentionTaken, Step, StepStatus, Task
from tests.browser import Browser
from tests.conftest import make_person
from tests.factories import NOW, make_item, make_step, make_task
from tests.processes import until

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
SOON = 20_000
ANNOUNCED = "The list has changed"


def unknown(task: Task, key: str) -> Step:
    told = {"status": StepStatus.UNKNOWN, "started_at": NOW, "attempt": 1, "idempotency_key": f"k:{key}"}
    return make_step(make_item(task, key), "create_ticket", **told)


def test_text_in_one_row_survives_news_and_actions_in_others(
    browse: Callable[..., Any], browser: Browser, operator: AbstractBaseUser
) -> None:
    anna, task = make_person("anna", "Operators"), make_task(workflow="seo-audit")
    mine, other, settled = (unknown(task, key) for key in ("mine", "other", "settled"))
    page = browse(operator)
    page.goto("/attention/")
    field = page.locator(f"#external-id-{mine.pk}")
    page.locator(f"#happened-{mine.pk} summary").click()
    field.press_sequentially("T-88")

    attention_taken.take(anna, "step", key_of_step(other))
    page.get_by_text(ANNOUNCED).click()
    browser.expect(page.get_by_text("taken by anna")).to_be_visible(timeout=SOON)
    browser.expect(field).to_have_value("T-88")
    browser.expect(page.get_by_text(ANNOUNCED)).to_have_count(0)

    page.locator(f"#give-up-{settled.pk} summary").click()
    page.fill(f"#give-up-reason-{settled.pk}", "nobody knows")
    page.locator(f"#give-up-{settled.pk} [type=submit]").click()
    browser.expect(page.locator(f"#give-up-{settled.pk}")).to_have_count(0, timeout=SOON)
    browser.expect(page.locator("#failures")).to_be_visible(timeout=SOON)
    browser.expect(field).to_have_value("T-88")
    browser.expect(page.get_by_text(ANNOUNCED)).to_have_count(0)

    page.locator(f"li:has(#external-id-{mine.pk})").get_by_role("button", name="Take").click()
    browser.expect(page.get_by_text("taken by you")).to_be_visible(timeout=SOON)
    field.press("End")
    field.press_sequentially("12")
    page.locator(f"li:has(#external-id-{mine.pk})").get_by_role("button", name="Give back").click()
    browser.expect(page.get_by_text("taken by you")).to_have_count(0, timeout=SOON)
    browser.expect(field).to_have_value("T-8812")
    assert not AttentionTaken.objects.filter(taken_by=operator).exists()

    unknown(task, "later")  # the stream still runs, from what the page shows now
    browser.expect(page.get_by_text(ANNOUNCED)).to_be_visible(timeout=SOON)
    page.locator(f"#happened-{mine.pk} [type=submit]").click()
    until(lambda: Step.objects.get(pk=mine.pk).status == StepStatus.DONE)
    assert Step.objects.get(pk=mine.pk).external_id == "T-8812"
    assert page.faults == []
