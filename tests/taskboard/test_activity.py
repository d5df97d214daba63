"""One feed over all tasks."""

from datetime import UTC, datetime, timedelta

import pytest
from django.contrib.auth.base_user import AbstractBaseUser
from django.db import connection
from django.test.utils import CaptureQueriesContext

from taskboard import lifecycle
from taskboard.lists import feed
from taskboard.models import Kind, Profile, Task
from tests.conftest import logged_in
from tests.factories import make_approval, make_task


def tell(task: Task, kind: Kind, actor: str = "ops", at: datetime | None = None, **data: object) -> None:
    with lifecycle.changing(task.pk, actor) as change:
        change.record(kind, data=data, at=at)


def shown(person: AbstractBaseUser, query: str = "") -> str:
    return logged_in(person).get(f"/activity/{query}").content.decode()


def test_it_tells_what_happened_in_all_tasks_the_newest_first(operator: AbstractBaseUser) -> None:
    first, second = make_task(goal="First"), make_task(goal="Second")
    tell(second, Kind.PERSON, did="pause", reason="Sale starts")
    tell(first, Kind.FAILURE, actor="worker 7", error="Timed out")
    page = shown(operator)
    assert page.index("Timed out") < page.index("Sale starts") < page.index("Task created")
    assert "Paused by a person" in page
    assert "a worker" in page


def test_the_ordinary_course_of_steps_is_left_to_the_journals(operator: AbstractBaseUser) -> None:
    task = make_task()
    for kind in (Kind.INTENT, Kind.EXECUTED, Kind.RESULT):
        tell(task, kind, summary="ordinary")
    assert "ordinary" not in shown(operator)


def test_it_is_filtered_by_kind_person_and_task(operator: AbstractBaseUser) -> None:
    one, other = make_task(), make_task()
    tell(one, Kind.PERSON, actor="anna", did="pause", reason="Of anna")
    tell(other, Kind.PERSON, actor="bob", did="pause", reason="Of bob")
    tell(one, Kind.UNKNOWN, error="Answer lost")
    assert "Of anna" in shown(operator, "?by=anna")
    assert "Of bob" not in shown(operator, "?by=anna")
    assert "Of bob" not in shown(operator, f"?task={one.public_id}")
    trouble = shown(operator, "?kind=trouble")
    assert "Answer lost" in trouble
    assert "Of anna" not in trouble
    assert "Nothing matches" in shown(operator, "?task=task_20000101_0001")


def test_questions_have_their_list(operator: AbstractBaseUser) -> None:
    approval = make_approval()
    assert approval.action in shown(operator, "?kind=questions")
    assert approval.action not in shown(operator, "?kind=trouble")


def test_days_are_those_of_the_reader(operator: AbstractBaseUser) -> None:
    Profile.objects.create(user=operator, time_zone="Asia/Seoul")
    tell(make_task(), Kind.NOTE, at=datetime(2026, 9, 10, 15, 30, tzinfo=UTC), text="At night")
    page = shown(operator)
    assert "Friday, 11 September 2026" in page
    assert 'title="2026-09-10 15:30:00 UTC"' in page
    assert "00:30" in page
    assert "KST" in page


def test_older_rows_are_paged_by_key(operator: AbstractBaseUser) -> None:
    task = make_task()
    for n in range(feed.PER_PAGE + 5):
        tell(task, Kind.NOTE, text=f"Note {n:03}")
    visible, seen, before = Task.objects.all(), [], 0
    while True:
        page = feed.read(visible, feed.Wish(), before)
        seen += [row.ordinal for row in page.rows]
        if page.following is None:
            break
        before = page.following
        tell(task, Kind.NOTE, text="meanwhile")
    assert seen == list(range(feed.PER_PAGE + 6, 0, -1))


def test_a_narrow_filter_looks_back_step_by_step(
    operator: AbstractBaseUser, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = make_task()
    tell(task, Kind.PERSON, actor="anna", did="pause", reason="Long ago")
    for _ in range(20):
        tell(task, Kind.NOTE, text="noise")
    monkeypatch.setattr(feed, "AT_ONCE", 10)
    page = feed.read(Task.objects.all(), feed.Wish(by="anna"), 0)
    assert page.rows == []
    assert page.cut
    assert "look further back" in shown(operator, "?by=anna")
    before, steps = page.following, 0
    while not page.rows:
        assert before is not None
        page = feed.read(Task.objects.all(), feed.Wish(by="anna"), before)
        before, steps = page.following, steps + 1
    assert steps == 2
    assert page.rows[0].data["reason"] == "Long ago"


def test_the_number_of_queries_does_not_grow(operator: AbstractBaseUser) -> None:
    client = logged_in(operator)
    for number in (1, 10):
        for _ in range(number):
            make_task()
        with CaptureQueriesContext(connection) as captured:
            client.get("/activity/")
        if number == 1:
            few = len(captured)
    assert len(captured) == few


def test_foreign_text_is_only_text(operator: AbstractBaseUser) -> None:
    hostile = "<img src=x onerror=alert(1)>\u202e"
    tell(make_task(goal=hostile), Kind.NOTE, actor=hostile, text=hostile)
    page = shown(operator)
    assert "<img src=x" not in page
    assert "\u202e" not in page


def test_it_is_empty_and_friendly_at_first(operator: AbstractBaseUser) -> None:
    assert "Nothing has happened yet" in shown(operator)


def test_it_is_not_for_strangers(outsider: AbstractBaseUser) -> None:
    assert logged_in(outsider).get("/activity/").status_code == 403


def test_a_page_and_its_part(operator: AbstractBaseUser) -> None:
    tell(make_task(), Kind.NOTE, at=datetime.now(UTC) - timedelta(days=1), text="Yesterday")
    part = logged_in(operator).get("/activity/", headers={"HX-Request": "true"}).content.decode()
    assert "Yesterday" in part
    assert "<html" not in part


def test_a_resume_is_one_line_and_the_next_one_another(operator: AbstractBaseUser) -> None:
    task = make_task()
    for _ in range(2):
        with lifecycle.changing(task.pk, "ops") as change:
            for number, step in enumerate(("load_state", "write_brief", "go_on"), 6):
                change.record(Kind.RESUME, data={"number": number, "step": step, "found": {"claimable": 3}})
            change.record(Kind.RESUME, data={"nothing_found": ["ask_outside"]})
    for page in (shown(operator), logged_in(operator).get(task.get_absolute_url()).content.decode()):
        assert page.count("<b>Resume") == page.count("<b>Resume: Go on</b>") == 2
        assert "3 steps can be begun" in page
