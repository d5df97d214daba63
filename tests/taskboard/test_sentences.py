"""Sentences that the database keeps are read in the language of the reader, whoever caused them."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.utils import translation

from config import messages
from taskboard import bulk, desk, sentences, stop_point, versions, wording
from taskboard.engine import deploys
from taskboard.models import BulkAction, ItemStatus, StepStatus, TaskStatus
from taskboard.steering import queue
from taskboard.views import plan
from taskboard.views.entries import told
from tests.conftest import logged_in
from tests.factories import make_item, make_step, make_task
from tests.taskboard.test_bulk import ALL, carry_out, make_failures

pytestmark = pytest.mark.django_db

CHINESE = {
    "Stopped after %(number)d item, as %(name)s said.": "按 %(name)s 的要求，在 %(number)d 项之后停止。",
    "Stopped after the step %(step)s, as %(name)s said.": "按 %(name)s 的要求，在步骤 %(step)s 之后停止。",
    "Taken out of the queue.": "已移出队列。",
    "Given up: %s": "已放弃：%s",
    "The step %s is gone.": "步骤 %s 已不存在。",
    "%(name)s may not do this any more.": "%(name)s 不再有权这样做。",
    "Managers": "经理",
    "member of %(what)s": "%(what)s的成员",
    "Raise the budget of %(id)s": "提高 %(id)s 的预算",
    "The worker was lost.": "工作进程已丢失。",
    "Not there yet.": "尚未出现。",
    "Missing title": "缺少标题",
    "%(n)d broken link": "%(n)d 个失效链接",
}


@pytest.fixture
def in_chinese(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """With a few words of its own, so that the catalogue may say it otherwise."""

    def word(text: str, *_more: Any) -> str:
        return CHINESE.get(text, text)

    monkeypatch.setattr(sentences, "gettext", word)
    monkeypatch.setattr(sentences, "ngettext", word)
    with translation.override("zh-hans"):
        yield


@pytest.mark.parametrize("number", [1, 12])
def test_where_a_task_stopped_is_kept_in_english_and_read_in_chinese(in_chinese: None, number: int) -> None:
    task = make_task(status=TaskStatus.PAUSED, stop_after={"items": number, "by": "王"})
    task.reason = stop_point.reason(task)
    assert task.reason == f"Stopped after {number} item{'s' * (number > 1)}, as 王 said."
    assert wording.why(task).startswith(f"按 王 的要求，在 {number} 项之后停止。")


def test_the_step_behind_which_it_stopped_too(in_chinese: None) -> None:
    task = make_task(stop_after={"step": "look", "by": "ops"})
    assert sentences.read(stop_point.reason(task)) == "按 ops 的要求，在步骤 look 之后停止。"


def test_a_task_taken_out_of_the_queue_says_so_to_each_in_their_language(
    operator: Any, in_chinese: None
) -> None:
    task = make_task(status=TaskStatus.PENDING, started_at=None)
    queue.remove(task, operator)
    task.refresh_from_db()
    assert task.reason == "Taken out of the queue."
    assert "已移出队列。" in wording.why(task)


def test_what_was_given_up_keeps_the_words_of_the_person(operator: Any, in_chinese: None) -> None:
    task = make_task(workflow="blind", status=TaskStatus.BLOCKED)
    step = make_step(make_item(task, status=ItemStatus.BLOCKED), "shout", status=StepStatus.UNKNOWN)
    desk.give_up(step, operator, "nobody knows")
    step.refresh_from_db()
    assert step.error == "Given up: nobody knows"
    client, url = logged_in(operator), step.item.get_absolute_url()
    page = client.get(url, headers={"accept-language": "zh-hans"}).content.decode()
    assert "已放弃：nobody knows" in page


def test_a_deploy_is_told_with_all_that_it_changed(in_chinese: None) -> None:
    differs = versions.Difference(gone=["look", "send"], moved=True)
    kept = deploys._told(differs)
    assert "The step look is gone. The step send is gone. The steps come in another order." in kept
    assert "步骤 look 已不存在。" in sentences.read(kept)
    assert "步骤 send 已不存在。" in sentences.read(kept)


def test_why_a_bulk_action_ended_is_read_in_chinese(operator: Any, in_chinese: None) -> None:
    job = bulk.begin(make_failures(), operator, BulkAction.RETRY, ALL)
    operator.groups.clear()
    job = carry_out(job)
    assert job.stopped_why == "ops may not do this any more."
    assert sentences.read(job.stopped_why) == "ops 不再有权这样做。"


@pytest.mark.parametrize(
    ("kept", "told"),
    [
        ("Managers", "经理"),
        ("member of Managers", "经理的成员"),
        ("member of Editors", "Editors的成员"),
        ("Raise the budget of task_20260917_0042", "提高 task_20260917_0042 的预算"),
        ("Raise the budget of our team", "Raise the budget of our team"),
        ("Missing title; my own words", "Missing title; my own words"),
    ],
)
def test_what_the_product_writes_is_read_in_chinese_and_nothing_else(
    in_chinese: None, kept: str, told: str
) -> None:
    assert sentences.read(kept) == told


def test_sentences_in_a_row_are_read_one_by_one(in_chinese: None) -> None:
    for kept in ("The worker was lost. Not there yet.", "Missing title; 1 broken link"):
        told = sentences.read(kept)
        assert not set("abcdefghijklmnopqrstuvwxyz") & set(told)


def test_the_plan_of_a_task_is_read_in_chinese(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plan, "gettext", {"Look around.": "看一看。"}.get)
    assert plan.translated("Look around.") == "看一看。"
    assert plan.translated("") == ""


def test_a_row_of_the_journal_is_read_in_chinese(in_chinese: None) -> None:
    assert told({"reason": "Taken out of the queue."}) == "已移出队列。"


def test_what_a_person_wrote_stays_as_it_is(in_chinese: None) -> None:
    for text in ("", "We stopped after 2 items, as Ann said.", "Stopped after some items, as ops said.\n"):
        assert sentences.read(text) == text


def test_every_sentence_is_read_back_as_it_was_kept() -> None:
    for one in sentences.ALL:
        for number in (1, 2):
            kept = _filled(one, number)
            assert one.read(kept) == kept


def _filled(one: sentences.Sentence, number: int) -> str:
    holes = list(sentences.HOLE.finditer(one.text))
    filled = [number if hole["kind"] == "d" else "this" for hole in holes]
    named = {hole["name"]: part for hole, part in zip(holes, filled, strict=True) if hole["name"]}
    return one(**named) if named else one(*filled)


def test_every_sentence_is_in_the_catalogue() -> None:
    known = {message.id for message in messages.collect()}
    expected = {(one.text, one.several) if one.several else one.text for one in sentences.ALL}
    assert expected <= known
