"""What people say about a task and its items."""

from typing import Any

import pytest
from django.contrib.auth.base_user import AbstractBaseUser

from taskboard import comments
from taskboard.errors import BadInput, NotAllowed, WrongState
from taskboard.live import Channel
from taskboard.models import Comment, Item, Kind, PurgeRecord, Task
from taskboard.recount import differences
from taskboard.views.entries import entries
from taskboard.views.regions import look
from tests.conftest import logged_in
from tests.factories import NOW, make_item, make_task

pytestmark = pytest.mark.django_db


@pytest.fixture
def task() -> Task:
    return make_task()


@pytest.fixture
def item(task: Task) -> Item:
    return make_item(task, "a/b c")


def page(user: AbstractBaseUser, place: Any) -> str:
    return str(logged_in(user).get(place.get_absolute_url()).content.decode())


def test_it_is_shown_to_everybody_and_journaled(operator: Any, manager: Any, item: Item) -> None:
    comments.add(item.task, manager, " The owner is on holiday.\nAsk again on Monday. ", item)
    assert "Ask again on Monday." in page(operator, item)
    assert "Ask again on Monday." in page(operator, item.task)
    row = item.task.journal.get(kind=Kind.COMMENT)
    assert (row.actor, row.item_key) == ("manager", item.key)
    assert row.data["text"] == "The owner is on holiday.\nAsk again on Monday."
    assert list(differences(item.task)) == []


def test_those_of_the_task_are_not_those_of_an_item(operator: Any, item: Item) -> None:
    comments.add(item.task, operator, "About the whole")
    html = page(operator, item)
    assert "About the whole" not in html
    assert "Nobody has said anything yet." in html


@pytest.mark.parametrize(
    ("text", "sentence"), [("  ", "Write something first"), ("x" * 5001, "at most 5000 characters")]
)
def test_it_refuses_nothing_and_too_much(operator: Any, task: Task, text: str, sentence: str) -> None:
    with pytest.raises(BadInput, match=sentence):
        comments.add(task, operator, text)
    response = logged_in(operator).post(
        f"{task.get_absolute_url()}comments/add/", {"text": text}, headers={"HX-Request": "true"}
    )
    assert response.status_code == 422
    assert sentence in response.content.decode()
    assert not Comment.objects.exists()


def test_odd_characters_are_stored_and_made_visible(operator: Any, task: Task) -> None:
    comments.add(task, operator, "a\x00b \u202egnp <script>alert(1)</script> \ud800")
    html = page(operator, task)
    assert "U+202E" in html
    assert "<script>alert(1)" not in html
    assert "&lt;script&gt;" in html


def test_its_author_takes_it_back_and_the_journal_keeps_it(operator: Any, manager: Any, task: Task) -> None:
    comment = comments.add(task, operator, "Nonsense")
    with pytest.raises(NotAllowed, match="Only its author"):
        comments.withdraw(comment, manager)
    comments.withdraw(comment, operator)
    with pytest.raises(WrongState, match="already"):
        comments.withdraw(comment, operator)
    html = page(operator, task)
    assert "Taken back by its author." in html
    assert "Nonsense" not in html.split('id="comments"')[1].split('id="checkpoints"')[0]
    assert task.journal.filter(data__text="Nonsense").exists()


def test_only_own_ones_are_offered_to_be_taken_back(operator: Any, manager: Any, task: Task) -> None:
    comments.add(task, manager, "Mine")
    assert "Take back one of mine" not in page(operator, task)
    assert "Take back one of mine" in page(manager, task)


def test_the_forms_work_without_javascript(operator: Any, item: Item) -> None:
    client = logged_in(operator)
    answer = client.post(f"{item.task.get_absolute_url()}comments/add/{item.key}/", {"text": "Seen"})
    assert answer["Location"] == item.get_absolute_url()
    comment = Comment.objects.get(item=item)
    answer = client.post(f"{item.task.get_absolute_url()}comments/take-back/", {"comment": comment.pk})
    assert answer["Location"] == item.get_absolute_url()
    comment.refresh_from_db()
    assert comment.withdrawn_at


def test_with_javascript_the_list_and_an_empty_field_come_back(operator: Any, task: Task) -> None:
    address = f"{task.get_absolute_url()}comments/add/"
    html = (
        logged_in(operator).post(address, {"text": "Seen"}, headers={"HX-Request": "true"}).content.decode()
    )
    for target in ("#comments", "#comment-field", "#my-comments", "#toasts"):
        assert f'hx-target="{target}"' in html


@pytest.mark.parametrize("number", ["", "x", "99", "1" * 30])
def test_a_comment_that_is_none_is_refused_with_a_sentence(operator: Any, task: Task, number: str) -> None:
    answer = logged_in(operator).post(f"{task.get_absolute_url()}comments/take-back/", {"comment": number})
    assert answer.status_code in (404, 422)


def test_strangers_and_outsiders_say_nothing(client: Any, outsider: Any, task: Task) -> None:
    address = f"{task.get_absolute_url()}comments/add/"
    assert client.post(address, {"text": "x"}).status_code == 302
    assert logged_in(outsider).post(address, {"text": "x"}).status_code == 403
    assert not Comment.objects.exists()


def test_a_name_outlives_its_user(operator: Any, manager: Any, task: Task) -> None:
    comments.add(task, manager, "I was here")
    manager.delete()
    html = page(operator, task)
    assert "I was here" in html
    assert "manager" in html


def test_nobody_comments_on_what_is_being_purged(operator: Any, task: Task) -> None:
    times = dict.fromkeys(("created_at", "finished_at", "purged_at"), NOW)
    PurgeRecord.objects.create(public_id=task.public_id, **times)
    with pytest.raises(WrongState, match="being purged"):
        comments.add(task, operator, "Wait")


@pytest.mark.django_db(transaction=True)
def test_every_viewer_gets_it_at_once(operator: Any, item: Item) -> None:
    comments.add(item.task, operator, "Look at this", item)
    channels = [
        Channel("task", item.task_id, 0, "en", "UTC"),
        Channel("item", item.task_id, item.pk, "en", "UTC"),
    ]
    seen = look(dict.fromkeys(channels))
    for channel in channels:
        assert "Look at this" in seen[channel].regions["#comments"]


def test_the_journal_shows_the_words_and_not_a_number(task: Task, operator: Any) -> None:
    comments.add(task, operator, "The tracker was down")
    newest = task.journal.order_by("-ordinal")[0]
    assert entries(task, [newest])[0].told == "The tracker was down"
