"""A question shows the results that were there when it was asked; what came since stands apart, closed."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User

from approvals.models import Approval
from taskboard.models import Artifact
from tests.conftest import logged_in
from tests.factories import make_approval

pytestmark = pytest.mark.django_db
LATER = "Artifacts that came after the question"


def make_artifact(asked: Approval, name: str, after: timedelta, **over: Any) -> Artifact:
    assert asked.step
    place = {"task": asked.task, "item": asked.step.item, "place": f"https://example.org/{name}"}
    return Artifact.objects.create(name=name, created_at=asked.requested_at + after, **{**place, **over})


def page(user: User, asked: Approval) -> str:
    return str(logged_in(user).get(asked.get_absolute_url()).content.decode())


def test_what_came_later_stands_apart_and_closed(manager: User) -> None:
    asked = make_approval()
    make_artifact(asked, "report.md", -timedelta(hours=1))
    make_artifact(asked, "at-that-moment.md", timedelta())
    make_artifact(asked, "report.md", timedelta(seconds=1), version=2)
    before, heading, after = page(manager, asked).partition(LATER)
    assert heading
    assert before.rstrip().endswith("</svg>")
    assert '<details class="exact">' in before
    assert "at-that-moment.md" in before
    assert "report.md</bdi></a>" in before
    assert "v2" not in before
    assert "v2" in after


def test_the_newest_of_then_are_not_pushed_out_by_later_ones(manager: User) -> None:
    asked = make_approval()
    make_artifact(asked, "the-one.md", -timedelta(hours=1))
    for number in range(15):
        make_artifact(asked, f"later-{number}.md", timedelta(hours=1))
    assert "the-one.md" in page(manager, asked).partition(LATER)[0]


def test_nothing_is_said_where_nothing_came(manager: User) -> None:
    asked = make_approval()
    make_artifact(asked, "report.md", -timedelta(hours=1))
    assert LATER not in page(manager, asked)
