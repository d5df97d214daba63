"""Changes in the working copy: found, proven, undone, and never in each other's way."""

import threading
from pathlib import Path
from typing import Any

import pytest
from django.db import connections

from taskboard.models import Task
from taskboard.outcomes import Absent, Ask, CannotTell, Done, Found, GoBack, NotVerified, Skip, Verified
from taskboard.workflows.seo_audit import files, fixes, rewriting
from taskboard.workflows.seo_audit.diagnosis import diagnose
from taskboard.workflows.seo_audit.models import SiteChange
from taskboard.workflows.seo_audit.working_copy import open_copy
from tests.seo_audit.steps import Ctx, html, indexed, make_folder

pytestmark = pytest.mark.django_db
TEXT = "<p>A paragraph that is long enough to be a description of this page, and then some more words.</p>"
PAGES = {
    "a.html": html("Shared title", f"<h1>Cups</h1>{TEXT}"),
    "b.html": html("Shared title", f"<h1>Plates</h1>{TEXT}"),
    "c.html": html(None, f'<h1>Bowls for soup</h1>{TEXT}<a href="a.html">a</a><a href="b.html">b</a>'),
}


@pytest.fixture(autouse=True)
def _storage(tmp_path: Path, settings: Any) -> None:
    storage = {
        "BACKEND": "django.core.files.storage.FileSystemStorage",
        "OPTIONS": {"location": tmp_path / "files"},
    }
    settings.STORAGES = {**settings.STORAGES, "default": storage}


@pytest.fixture
def task(tmp_path: Path) -> Task:
    return indexed(make_folder(tmp_path / "site", PAGES))


def fix_ctx(task: Task, path: str) -> Ctx:
    """The context of `apply_fix` on that page."""
    ctx = Ctx(task, path)
    ctx.outputs["diagnose"] = diagnose(ctx).outputs
    return ctx


def titles_ctx(task: Task) -> Ctx:
    """The context of `rewrite_titles`, approved."""
    ctx = Ctx(task, "_task", "rewrite_titles")
    ask = rewriting.approval(None, ctx)
    assert ask is not None
    ctx.approved = ask.payload
    return ctx


def done(outcome: Any) -> Done:
    assert isinstance(outcome, Done), outcome
    return outcome


@pytest.mark.parametrize(
    ("findings", "ticket", "reason"),
    [
        ([], False, "Nothing to mend."),
        ([{"code": "title.long"}], False, "Only minor findings"),
        ([{"code": "title.duplicate"}], True, "seen to together with the pages that share it"),
        ([{"code": "links.broken"}], True, "cannot be changed by machine"),
    ],
)
def test_a_page_that_is_left_alone_says_why(
    task: Task, findings: list[dict[str, str]], ticket: bool, reason: str
) -> None:
    ctx = Ctx(task, "a.html")
    ctx.outputs["diagnose"] = {"findings": findings, "ticket": ticket}
    outcome = fixes.apply(ctx)
    assert isinstance(outcome, Skip)
    assert reason in outcome.reason


def test_a_fix_is_written_found_and_verified(task: Task) -> None:
    ctx = fix_ctx(task, "c.html")
    assert fixes.find(None, ctx) == Absent()
    outcome = done(fixes.apply(ctx))
    assert outcome.outputs["title"] == "Bowls for soup"
    assert isinstance(fixes.find(None, ctx), Found)
    assert isinstance(fixes.verify(None, ctx, outcome), Verified)
    assert b"+  <title>Bowls for soup</title>" in ctx.artifacts["c.html.diff"]


def test_the_source_is_never_written(task: Task) -> None:
    fixes.apply(fix_ctx(task, "c.html"))
    assert (Path(task.params["source"]) / "c.html").read_text() == PAGES["c.html"]


def test_a_file_that_somebody_else_changed_is_not_taken_for_ours(task: Task) -> None:
    ctx = fix_ctx(task, "c.html")
    files.write(files.changed_name(task.public_id, "c.html"), html("Strange").encode())
    assert isinstance(fixes.find(None, ctx), CannotTell)
    assert isinstance(fixes.verify(None, ctx, Done()), NotVerified)


def test_undo_puts_the_former_page_back(task: Task) -> None:
    ctx = fix_ctx(task, "c.html")
    fixes.apply(ctx)
    fixes.undo(None, ctx)
    assert fixes.find(None, ctx) == Absent()
    assert files.read(files.changed_name(task.public_id, "c.html")) is None


@pytest.mark.parametrize("titles_first", [True, False])
def test_both_kinds_of_change_end_in_one_file_in_either_order(task: Task, titles_first: bool) -> None:
    fix, titles = fix_ctx(task, "a.html"), titles_ctx(task)
    steps = [lambda: rewriting.rewrite(titles), lambda: fixes.apply(fix)]
    for step in steps if titles_first else reversed(steps):
        step()
    copy = open_copy(fix, "a.html")
    assert copy.shows({"title": "Cups", "description": fixes.planned(fix).texts["description"]})  # type: ignore[union-attr]
    assert isinstance(fixes.find(None, fix), Found)
    assert isinstance(rewriting.find(None, titles), Found)
    fixes.undo(None, fix)
    assert isinstance(rewriting.find(None, titles), Found)
    assert copy.shows({"title": "Cups"})


@pytest.mark.django_db(transaction=True)
def test_two_changes_at_the_same_moment_are_both_kept(task: Task) -> None:
    copies = [open_copy(Ctx(task, "a.html", step), "a.html") for step in ("apply_fix", "rewrite_titles")]
    start = threading.Barrier(2)

    def put(number: int) -> None:
        start.wait()
        try:
            copies[number].put({("title", "description")[number]: "A text of some length"})
        finally:
            connections.close_all()

    for _round in range(5):
        SiteChange.objects.all().delete()
        threads = [threading.Thread(target=put, args=(number,)) for number in (0, 1)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert copies[0].shows({"title": "A text of some length", "description": "A text of some length"})


def test_a_busy_page_is_asked_about_and_the_answer_is_what_is_written(task: Task) -> None:
    task.params["approve_over"] = 1
    ctx = fix_ctx(task, "a.html")
    ask = fixes.approval(None, ctx)
    assert isinstance(ask, Ask)
    assert ask.consequence == "Rewrites the description of /a.html, linked from 1 page."
    assert (ask.editable, ask.impact) == (("description",), 1)
    assert fixes.approval(None, ctx) == ask
    ctx.approved = {**ask.payload, "description": " What the manager  wrote "}
    outcome = done(fixes.apply(ctx))
    assert outcome.outputs == {"description": "What the manager wrote"}
    assert isinstance(fixes.verify(None, ctx, outcome), Verified)


def asked_again(task: Task, words: str) -> Ask:
    """The question on the page after a request for changes."""
    task.params["approve_over"] = 1
    ctx = Ctx(task, "a.html", revision=2, instructions=[words])
    ctx.outputs["diagnose"] = diagnose(ctx).outputs
    ask = fixes.approval(None, ctx)
    assert ask is not None
    return ask


def told(ask: Ask) -> str:
    return next(fact["text"] for fact in ask.evidence if fact["label"] == "Your request")


def test_a_text_that_a_request_for_changes_names_is_proposed_word_for_word(task: Task) -> None:
    ask = asked_again(task, "Too long.\nDescription: Cups  from the harbour\ntitle： Cups")
    assert (ask.payload["description"], ask.payload["title"]) == ("Cups from the harbour", "Cups")
    assert "Description: Cups from the harbour" in ask.after
    assert told(ask) == "Taken word for word: Description, Title."


@pytest.mark.parametrize("words", ["Make it shorter", f"Description: {'long ' * 60}", "Description:"])
def test_other_words_are_answered_and_not_guessed_at(task: Task, words: str) -> None:
    ctx = fix_ctx(task, "a.html")
    before = asked_again(task, words)
    assert before.payload["description"] == fixes.planned(ctx).texts["description"]  # type: ignore[union-attr]
    assert told(before).endswith("such as: Description: …")


def test_a_page_with_few_links_is_not_asked_about(task: Task) -> None:
    assert fixes.approval(None, fix_ctx(task, "a.html")) is None


def test_a_page_that_changed_after_the_approval_goes_back(task: Task) -> None:
    task.params["approve_over"] = 1
    ctx = fix_ctx(task, "a.html")
    ask = fixes.approval(None, ctx)
    assert ask is not None
    ctx.approved = ask.payload
    make_folder(Path(task.params["source"]), {"a.html": html("Another title", "<h1>New</h1>")})
    assert isinstance(fixes.apply(ctx), GoBack)
    assert files.read(files.changed_name(task.public_id, "a.html")) is None


def test_nothing_to_change_by_machine_is_skipped(tmp_path: Path) -> None:
    task = indexed(make_folder(tmp_path, {"a.html": html(body='<h1>x</h1><img src="a.svg">')}))
    assert isinstance(fixes.apply(fix_ctx(task, "a.html")), Skip)


def test_duplicate_titles_always_need_a_person(task: Task) -> None:
    ctx = titles_ctx(task)
    ask = rewriting.approval(None, ctx)
    assert ask is not None
    assert ask.action == "Rewrite 1 group of duplicate titles"
    assert ask.payload["titles"] == {"a.html": "Cups", "b.html": "Plates"}
    outcome = done(rewriting.rewrite(ctx))
    assert isinstance(rewriting.verify(None, ctx, outcome), Verified)
    rewriting.undo(None, ctx)
    assert rewriting.find(None, ctx) == Absent()


def test_titles_that_a_request_for_changes_names_are_proposed_unless_another_page_has_them(
    task: Task,
) -> None:
    words = ["a.html: Cups and mugs\nb.html: Bowls for soup", "b.html: Plates of stoneware\nnowhere.html: x"]
    ask = rewriting.approval(None, Ctx(task, "_task", "rewrite_titles", revision=2, instructions=words))
    assert ask is not None
    assert ask.payload["titles"] == {"a.html": "Cups and mugs", "b.html": "Plates of stoneware"}
    assert told(ask) == "Taken word for word: a.html, b.html."
    same = ["b.html: Cups"]
    ask = rewriting.approval(None, Ctx(task, "_task", "rewrite_titles", revision=2, instructions=same))
    assert ask is not None
    assert ask.payload["titles"]["b.html"] == "Plates"
    assert told(ask).endswith("such as: a.html: …")


def test_a_page_that_changed_keeps_its_title_and_that_is_said(task: Task) -> None:
    ctx = titles_ctx(task)
    make_folder(Path(task.params["source"]), {"b.html": html("Quite another")})
    assert done(rewriting.rewrite(ctx)).outputs == {"pages": 1, "left": 1}
    assert "b.html keeps its title" in ctx.risks[0]


def test_a_site_without_duplicates_has_nothing_to_rewrite(tmp_path: Path) -> None:
    ctx = Ctx(indexed(make_folder(tmp_path, {"a.html": html()})), "_task", "rewrite_titles")
    assert rewriting.approval(None, ctx) is None
    assert isinstance(rewriting.rewrite(ctx), Skip)
