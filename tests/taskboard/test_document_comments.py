"""What people said on a task and on its items goes along with its document."""

from typing import Any

import pytest
from django.contrib.auth.models import User

from taskboard import comments, document
from taskboard.errors import BadInput
from taskboard.models import Comment
from tests.conftest import logged_in
from tests.documents import example, load, taken_through

pytestmark = pytest.mark.django_db
AT = "2026-09-17T02:00:00+00:00"
SAID = {"text": "Looks odd", "author": "ops", "at": AT}


def test_comments_on_task_and_item_come_back_in_their_order() -> None:
    given = [SAID, {**SAID, "text": "=1+1 <b>", "item": "page_087"}]
    first = taken_through(example(comments=given))
    assert first["comments"] == given
    assert taken_through(first) == first


def test_a_document_without_comments_does_not_name_them() -> None:
    assert "comments" not in taken_through(example())


def test_what_its_author_took_back_is_told_without_its_words(operator: User) -> None:
    task = load(example())
    comments.withdraw(comments.add(task, operator, "The password is swordfish"), operator)
    (told,) = document.of(task)["comments"]
    assert set(told) == {"author", "at", "withdrawn_at"}
    assert "swordfish" not in "".join(document.stream(task))


def test_an_imported_comment_is_shown_and_belongs_to_nobody_here(operator: User) -> None:
    task = load(example(comments=[{**SAID, "author": operator.username, "item": "page_087"}]))
    comment = Comment.objects.get()
    assert (comment.author, comment.author_name) == (None, "ops")
    page = logged_in(operator).get(f"/tasks/{task.public_id}/items/page_087/").content.decode()
    assert "Looks odd" in page
    assert "Take back one of mine" not in page


@pytest.mark.parametrize(
    ("entry", "place"),
    [
        ({**SAID, "item": "page_999"}, "comments.0.item"),
        ({**SAID, "text": " "}, "comments.0.text"),
        ({"author": "ops", "at": AT}, "comments.0.text"),
        ({**SAID, "text": "x" * 5001}, "comments.0.text"),
        ({"text": "x", "at": AT}, "comments.0.author"),
        ({**SAID, "colour": "red"}, "comments.0"),
    ],
)
def test_a_fault_is_named_by_its_place(entry: dict[str, Any], place: str) -> None:
    with pytest.raises(BadInput, match=f"^{place}: "):
        load(example(comments=[entry]))
    assert not Comment.objects.exists()
