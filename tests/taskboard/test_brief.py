"""The brief: small however large the task, facts apart from words, kept to be compared."""

from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone
from hypothesis import example, given
from hypothesis import strategies as st

from approvals.decisions import decide
from taskboard import brevity, lifecycle, workflow
from taskboard.engine.item_brief import MOST_BYTES as OWN
from taskboard.engine.item_brief import with_own_rows
from taskboard.errors import BadInput, NotAllowed
from taskboard.models import Brief, Checkpoint, Kind, Risk, Task
from taskboard.resume import brief, facts
from taskboard.resume.run import resume_task
from taskboard.steering.brief_line import add_line
from tests import doubt_workflows  # noqa: F401 registers them
from tests.conftest import logged_in
from tests.factories import NOW, make_approval, make_asking_step, make_item, make_step, make_task

pytestmark = pytest.mark.django_db
TEXTS = st.text(st.characters(codec="utf-8"), max_size=60) | st.sampled_from(
    ["汉" * 9000, "x" * 9000, "a\nb", ""]
)


def written(task: Task) -> str:
    return brief.write(Task.objects.get(pk=task.pk))


@pytest.mark.django_db(transaction=False)
@given(st.lists(TEXTS, max_size=30), st.integers(0, 7000))
@example(["汉" * 3000] * 3, 100)
def test_sections_keep_to_any_size(texts: list[str], most: int) -> None:
    sections = [brevity.section(f"S{n}", [text]) for n, text in enumerate(texts)]
    most = max(most, 2 * len(sections))
    assert len(brevity.fit(sections, most).encode()) <= most


def test_a_long_section_pushes_no_short_one_out() -> None:
    text = brevity.fit(["short", "汉" * 5000, "also short"], 1000)
    assert text.startswith("short\n\n汉")
    assert text.endswith("…\n\nalso short")
    assert 990 <= len(text.encode()) <= 1000


def test_with_the_rows_of_its_item_it_is_at_most_six_kilobytes() -> None:
    huge = "汉字 and words " * 2000
    task = make_task(goal=huge, plan=[huge] * 9, says=huge, brief_note=f"ops: {huge}")
    item = make_item(task, "key " + "汉" * 190)
    with lifecycle.changing(task.pk, "ops") as change:
        for _ in range(30):
            change.record(Kind.NOTE, item=item.key, step="look", data={"text": huge, "reason": huge})
    text = written(task)
    own = with_own_rows(text, task.pk, item.key)
    assert len(text.encode()) <= brief.MOST_BYTES - OWN
    assert text in own
    assert len(own.encode()) <= 6144


def test_only_what_was_found_outside_is_told_as_found() -> None:
    task = make_task()
    with lifecycle.changing(task.pk, "worker") as change:
        for key, found in (("page_001", {}), ("page_002", {"found": True})):
            change.record(
                Kind.RESULT, item=key, step="send", data={"to": "done", "external_id": "T-1", **found}
            )
    assert "page_002.send: it had happened T-1" in written(task)
    assert "page_001.send" not in written(task)


def test_decisions_stand_in_it_word_for_word(operator: Any, manager: Any) -> None:
    step = make_asking_step(created_by=operator)
    from_people = "Not this month: the “Q4” budget is spent, ask again in January."
    reject(step, manager, from_people)
    assert f"— “{from_people}”" in written(step.task)


def reject(step: Any, person: Any, why: str) -> None:
    approval = make_approval(step)
    decide(approval.pk, person, "reject", why, approval.payload_sha256)


def test_what_the_server_knows_is_apart_from_what_the_software_wrote() -> None:
    task = make_task(says="almost done, trust me", brief_note="ops: mind the logo")
    make_step(make_item(task), "send", status="done", idempotency_key="k", external_id="T-1")
    Risk.objects.create(task=task, text="may be slow", raised_by="step look", raised_at=NOW)
    known, _, rest = written(task).partition("# What people said")
    people, _, software = rest.partition("# What the software wrote")
    assert "page_001.send T-1" in known
    assert "mind the logo" in people
    assert "almost done" in software
    assert "may be slow" in software


def test_a_line_is_kept_and_shown_as_theirs(operator: Any) -> None:
    task = make_task()
    text = add_line(task, operator, "Mind\nthe logo")
    assert "## Lines that people added\n- ops: Mind the logo" in text
    task.refresh_from_db()
    assert (task.brief, task.brief_note) == (text, "ops: Mind the logo")
    row = Checkpoint.objects.get(task=task, kind="person")
    assert (row.actor, row.data["text"]) == ("ops", "Mind the logo")


def test_beyond_ten_lines_the_oldest_gives_way(operator: Any) -> None:
    task = make_task()
    for number in range(12):
        text = add_line(task, operator, f"line {number}.")
    assert "line 1." not in text
    assert "line 2." in text
    assert "line 11." in text


@pytest.mark.parametrize("line", ["", " \n ", "x" * 501])
def test_nothing_and_too_much_are_refused(operator: Any, line: str) -> None:
    with pytest.raises(BadInput):
        add_line(make_task(), operator, line)


def test_a_line_may_be_as_long_as_is_said(operator: Any) -> None:
    assert f"- ops: {'x' * 400}" in add_line(make_task(), operator, "x" * 500)


def test_a_fact_is_told_as_old_from_the_age_that_its_step_names() -> None:
    task, now = make_task(workflow="fan"), timezone.now()
    for hours in (3, 5, 6):
        item = make_item(task)
        make_step(item, "read", status="done", checked_at=now - timedelta(hours=hours))
        make_step(item, "left")
    assert list(facts.too_old(task, workflow.get("fan"), now)) == [("read", 2)]


def test_only_operators_add_lines(manager: Any) -> None:
    with pytest.raises(NotAllowed):
        add_line(make_task(), manager, "a")


def test_each_resume_keeps_one_and_only_the_newest_stay(operator: Any) -> None:
    task = make_task(workflow="linear")
    make_step(make_item(task), "look")
    for _ in range(brief.KEPT + 3):
        resume_task(Task.objects.get(pk=task.pk), "ops")
    numbers = list(Brief.objects.filter(task=task).values_list("number", flat=True))
    assert numbers == list(range(4, brief.KEPT + 4))
    last = brief.last_kept(task)
    assert last is not None
    assert last.text == Task.objects.get(pk=task.pk).brief


def test_the_command_prints_adds_and_compares(operator: Any) -> None:
    task, out = make_task(goal="Tidy up"), StringIO()

    def run(*words: str) -> str:
        out.truncate(out.seek(0))
        call_command("brief", task.public_id, *words, stdout=out)
        return out.getvalue()

    with pytest.raises(CommandError, match=r"No brief of .* was kept yet"):
        run("--last")
    assert "- Tidy up" in run()
    assert "ops: hello" in run("--add=hello", "--as=ops")
    assert "ops: hello" in run("--last")
    Task.objects.update(says="I am at it")
    assert "+- I am at it" in run("--diff")
    with pytest.raises(CommandError, match="Say whose line it is"):
        run("--add=hello")


def test_the_page_shows_it_and_what_changed(operator: Any, manager: Any) -> None:
    task = make_task(goal="Tidy <up>")
    address = f"{task.get_absolute_url()}brief/"
    client = logged_in(operator)
    assert "None was kept yet" in client.get(address).content.decode()
    assert client.post(f"{address}add/", {"text": "Mind the logo"})["Location"] == address
    Task.objects.update(says="I am at it")
    html = client.get(address).content.decode()
    assert "Tidy &lt;up&gt;" in html
    assert "ops: Mind the logo" in html
    assert "<ins><bdi>+- I am at it</bdi></ins>" in html
    assert "Add a line" not in logged_in(manager).get(address).content.decode()
    assert client.get(f"{task.get_absolute_url()}brief.md").content.decode() == written(task)


def test_with_javascript_only_the_text_is_sent(operator: Any) -> None:
    task = make_task()
    headers = {"HX-Request": "true"}
    answer = logged_in(operator).post(
        f"{task.get_absolute_url()}brief/add/", {"text": "Mind"}, headers=headers
    )
    assert 'hx-target="#text"' in answer.content.decode()
    assert "ops: Mind" in answer.content.decode()
