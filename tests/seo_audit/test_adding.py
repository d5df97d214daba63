"""Pages that people add to an audit."""

from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from taskboard.engine import work
from taskboard.errors import BadInput
from taskboard.models import Item, Step, Task
from taskboard.outcomes import NewItem
from taskboard.recount import differences
from taskboard.start import start_task
from taskboard.steering.items import add_items
from taskboard.workflows.seo_audit.models import SitePage
from tests.conftest import logged_in

pytestmark = pytest.mark.django_db(transaction=True)

PAGE = "<html lang=en><head><title>{0}</title></head><body><h1>{0}</h1></body></html>"


@pytest.fixture
def site(tmp_path: Path) -> Path:
    folder = tmp_path / "site"
    folder.mkdir()
    (folder / "index.html").write_text(PAGE.format("Home"))
    return folder


@pytest.fixture
def audit(site: Path, operator: Any) -> Task:
    task = start_task("seo-audit", {"source": str(site), "crawl_delay": "0"}, user=operator)
    work.until_idle(task.pk)
    assert Task.objects.get(pk=task.pk).status == "completed"
    return task


def test_a_page_that_came_later_is_diagnosed(audit: Task, site: Path, operator: Any) -> None:
    (site / "später & co.html").write_text(PAGE.format("Later"))
    added = add_items(audit, [NewItem("später & co.html"), NewItem("index.html")], operator)
    assert (added.number, added.known) == (1, ["index.html"])
    work.until_idle(audit.pk)
    step = Step.objects.get(task=audit, item__key="später & co.html", name="diagnose")
    assert (step.status, (step.outputs or {})["title"]) == ("done", "Later")
    assert SitePage.objects.get(task=audit, path="später & co.html").title == "Later"
    assert list(differences(audit)) == []


def test_a_task_that_names_no_source_takes_no_page_of_the_servers_own_folder(
    audit: Task, operator: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "private.html").write_text(PAGE.format("Private"))
    monkeypatch.chdir(tmp_path)
    Task.objects.filter(pk=audit.pk).update(params={})
    with pytest.raises(BadInput, match="names no source"):
        add_items(Task.objects.get(pk=audit.pk), [NewItem("private.html")], operator)


@pytest.mark.parametrize("name", ["nowhere.html", "../outside.html", "", "\0.html"])
def test_what_is_no_page_is_refused_and_nothing_is_added(
    audit: Task, site: Path, operator: Any, name: str
) -> None:
    (site.parent / "outside.html").write_text(PAGE.format("Outside"))
    with pytest.raises(BadInput):
        add_items(audit, [NewItem(name)], operator)
    assert Item.objects.listed().filter(task=audit).count() == 1


def sent(operator: Any, audit: Task, text: str) -> str:
    sheet = SimpleUploadedFile("a.csv", text.encode())
    answer = logged_in(operator).post(f"{audit.get_absolute_url()}items-to-add/", {"sheet": sheet})
    return str(answer.content.decode())


def test_every_line_of_a_sheet_that_is_no_page_is_told_at_once(audit: Task, operator: Any) -> None:
    text = "key\n=1+1\nindex.html\nhttp://10.0.0.1/x\n../../etc/passwd\nnope%.html\n_task\n"
    html = sent(operator, audit, text)
    assert "<p>Line 7: An item cannot have the key" in html
    html = sent(operator, audit, text.replace("_task\n", ""))
    assert "<li>Line 2: =1+1 cannot be added: there is no such file. Give its path" in html
    assert "<li>Line 4: http://10.0.0.1/x cannot be added: there is no such file." in html
    assert "<li>Line 5: ../../etc/passwd cannot be added: it lies outside of the folder." in html
    assert "<li>Line 6: nope%.html cannot be added: there is no such file." in html
    assert html.count("<li>Line") == 4
    assert Item.objects.listed().filter(task=audit).count() == 1


def test_an_audit_says_what_it_makes_of_instructions(audit: Task, operator: Any) -> None:
    html = logged_in(operator).get(audit.get_absolute_url()).content.decode()
    assert "follows fixed rules: instructions are kept" in html


def test_a_page_on_the_web_is_named_by_its_address(operator: Any, settings: Any) -> None:
    settings.TASKBOARD_ALLOW_PRIVATE_SOURCES = True
    source = "http://127.0.0.1:9/a\nhttp://127.0.0.1:9/b"
    task = start_task("seo-audit", {"source": source, "crawl_delay": "0"}, user=operator)
    work.until_idle(task.pk)
    with pytest.raises(BadInput, match=r"no page of this site\. Give its address, such as http"):
        add_items(task, [NewItem("https://example.org/other")], operator)
    with pytest.raises(BadInput, match="no page of this site"):
        add_items(task, [NewItem("c")], operator)
    add_items(task, [NewItem("/c#top"), NewItem("http://127.0.0.1:9/d"), NewItem("/a")], operator)
    pages = SitePage.objects.filter(task=task).order_by("pk").values_list("path", "url")
    assert list(pages)[2:] == [
        ("c/index.html", "http://127.0.0.1:9/c"),
        ("d/index.html", "http://127.0.0.1:9/d"),
    ]


def test_an_item_that_came_with_a_document_is_read_when_it_is_diagnosed(audit: Task) -> None:
    SitePage.objects.filter(task=audit).delete()
    with work.lifecycle.changing(audit.pk, "test") as change:
        step = Step.objects.get(task=audit, name="diagnose")
        change.count_step("diagnose", "done", "pending")
        change.record("note", item=step.item.key, step="diagnose", data={"to": "pending"})
        Step.objects.filter(pk=step.pk).update(status="pending")
    work.until_idle(audit.pk)
    assert SitePage.objects.get(task=audit).title == "Home"
