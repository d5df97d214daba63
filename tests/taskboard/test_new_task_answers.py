"""What the form of a new task answers: what it would take, what exists already, what a sheet holds."""

from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.base_user import AbstractBaseUser
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from taskboard import workflow
from taskboard.estimate import look_ahead
from taskboard.models import Task, TaskStatus
from tests.conftest import logged_in
from tests.factories import make_approval, make_asking_step, make_item, make_task

AUDIT = "/tasks/new/seo-audit/"
LINEAR = "/tasks/new/linear/"


def audit(**over: Any) -> dict[str, Any]:
    told = {"source": "sample", "approve_over": "20", "crawl_delay": "0", "price_per_page": "0.02"}
    return {**told, "limit_usd": "", "submit_token": "a" * 32, **over}


def linear(**over: str) -> dict[str, str]:
    return {"items": "3", "mode": "", "limit_usd": "", "submit_token": "t" * 32, **over}


# --- The estimate ---------------------------------------------------------------------------------


def test_a_check_tells_items_cost_and_basis_and_starts_nothing(operator: AbstractBaseUser) -> None:
    response = logged_in(operator).post(AUDIT, audit(check="1"))
    html = response.content.decode()
    assert response.status_code == 200
    assert "41 HTML files in the folder." in html
    assert "$0.82" in html
    assert "Questions cannot be foretold" in html
    assert not Task.objects.exists()


def test_a_budget_that_will_not_do_is_told(operator: AbstractBaseUser) -> None:
    html = logged_in(operator).post(AUDIT, audit(check="1", limit_usd="0.50")).content.decode()
    assert "more than the budget of $0.50" in html


def test_questions_are_foretold_by_the_latest_tasks(db: None) -> None:
    step = make_asking_step()
    make_approval(step)
    for _ in range(3):
        make_item(step.task)
    Task.objects.filter(pk=step.task_id).update(status=TaskStatus.COMPLETED, spent_micro=2_000_000)
    spec = workflow.get("asking")
    counted = workflow.Counted(20, "Twenty.")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(spec.owner), "estimate", lambda self, params: counted, raising=False)
        seen = look_ahead(spec, {"items": 20})
    assert (seen.questions, seen.cost, seen.past.tasks) == (5, Decimal(10), 1)


def test_a_workflow_that_does_not_count_says_so(operator: AbstractBaseUser) -> None:
    html = logged_in(operator).post(LINEAR, linear(check="1")).content.decode()
    assert "does not count beforehand" in html
    assert 'form="new-task" name="start"' in html


def test_a_source_that_cannot_be_counted_is_refused_at_its_field(
    operator: AbstractBaseUser, settings: Any, tmp_path: Path
) -> None:
    settings.TASKBOARD_SOURCES = [str(tmp_path)]
    (tmp_path / "map.xml").write_text("<?xml version='1.0'?><urlset/>")
    response = logged_in(operator).post(AUDIT, audit(source=str(tmp_path / "map.xml"), check="1"))
    assert response.status_code == 422
    assert "The source names no page" in response.content.decode()


# --- Work that exists -----------------------------------------------------------------------------


def test_back_and_start_makes_no_twin(operator: AbstractBaseUser) -> None:
    """DUP-09: a form opened anew has a token of its own, and the work is known all the same."""
    client = logged_in(operator)
    client.post(LINEAR, linear())
    second = client.post(LINEAR, linear(submit_token="u" * 32))
    task = Task.objects.get()
    assert second.status_code == 409
    assert f"Task {task.public_id} of ops is at this already" in second.content.decode()
    assert client.post(LINEAR, linear(go_on="1"))["Location"] == task.get_absolute_url()


def test_a_form_that_was_sent_before_leads_to_its_task(operator: AbstractBaseUser) -> None:
    client = logged_in(operator)
    client.post(LINEAR, linear())
    again = client.post(LINEAR, linear(items="4"), follow=True)
    assert "This form has started this task already" in again.content.decode()
    assert Task.objects.count() == 1


def test_finished_work_is_linked_and_started_anew_only_when_asked(operator: AbstractBaseUser) -> None:
    params = {"items": 3, "mode": ""}
    former = make_task(
        workflow="linear", params=params, status=TaskStatus.COMPLETED, finished_at=timezone.now()
    )
    client = logged_in(operator)
    html = client.post(LINEAR, linear(check="1")).content.decode()
    assert f"Task {former.public_id} did this already" in html
    assert client.post(LINEAR, linear()).status_code == 409
    client.post(LINEAR, linear(anew="1"))
    assert Task.objects.get(continues=former).params == params


def test_work_in_progress_cannot_be_started_anew(operator: AbstractBaseUser) -> None:
    make_task(workflow="linear", params={"items": 3, "mode": ""}, updated_at=timezone.now())
    response = logged_in(operator).post(LINEAR, linear(anew="1"))
    assert response.status_code == 409
    assert 'name="anew"' not in response.content.decode()


def test_work_left_long_ago_is_continued_or_started_anew(operator: AbstractBaseUser) -> None:
    task = make_task(workflow="linear", params={"items": 3, "mode": ""}, status=TaskStatus.PAUSED)
    Task.objects.update(updated_at=timezone.now() - timedelta(days=9))
    client = logged_in(operator)
    html = client.post(LINEAR, linear()).content.decode()
    assert 'name="anew"' in html
    client.post(LINEAR, linear(go_on="1"))
    task.refresh_from_db()
    assert task.status != TaskStatus.PAUSED


# --- A sheet --------------------------------------------------------------------------------------


def sheet(text: str | bytes) -> SimpleUploadedFile:
    return SimpleUploadedFile("pages.csv", text.encode() if isinstance(text, str) else text, "text/csv")


def test_a_sheet_is_shown_before_anything_starts(operator: AbstractBaseUser) -> None:
    text = "\ufeffURL;Label\r\nhttps://93.184.216.34/a;A\r\nhttps://93.184.216.34/b;B\r\n"
    response = logged_in(operator).post(AUDIT, audit(sheet=sheet(text), start="1"))
    html = response.content.decode()
    assert response.status_code == 200
    assert "2 addresses in the list." in html
    assert "<bdi>https://93.184.216.34/b</bdi>" in html
    assert "https://93.184.216.34/a\nhttps://93.184.216.34/b</textarea>" in html
    assert not Task.objects.exists()


def test_every_fault_of_a_sheet_stands_at_the_field_with_its_line(operator: AbstractBaseUser) -> None:
    response = logged_in(operator).post(AUDIT, audit(sheet=sheet("url\na\n\n,\na\nb,c\n"), check="1"))
    html = response.content.decode()
    assert response.status_code == 422
    assert "<li>Line 5: the key &#x27;a&#x27; stands in line 2 already.</li>" in html
    assert "<li>Line 6: 2 cells, but there are 1 columns.</li>" in html


def test_addresses_of_a_sheet_that_cannot_be_used_stand_at_the_sheet(operator: AbstractBaseUser) -> None:
    text = "key\n=1+1\nhttps://93.184.216.34/a\nhttp://10.0.0.1/x\nnope.html\n"
    html = logged_in(operator).post(AUDIT, audit(source="", sheet=sheet(text))).content.decode()
    assert "<li>Line 2: =1+1 cannot be used: " in html
    assert "<li>Line 4: http://10.0.0.1/x cannot be used: 10.0.0.1 is a private address" in html
    assert "<li>Line 5: nope.html cannot be used: " in html
    assert "Line 3" not in html
    assert html.count('aria-invalid="true"') == 1
    assert "nope.html</textarea>" not in html


@pytest.mark.parametrize("more", ["", "news.html,News\n"])
def test_names_of_pages_in_a_sheet_are_no_addresses_and_stand_at_the_sheet(
    operator: AbstractBaseUser, more: str
) -> None:
    text = f"key,name\nabout.html,About\n{more}"
    html = logged_in(operator).post(AUDIT, audit(source="", sheet=sheet(text))).content.decode()
    faults = html.split('id="id_sheet_error"')[1].split("</ul>")[0]
    assert "Line 2: " in faults
    assert "about.html" in faults
    assert ("Line 3: “news.html” is no address (http:// or https://)." in faults) == bool(more)
    assert 'id="id_source_error"' not in html


def test_a_sheet_that_cannot_be_read_stands_in_for_an_empty_source(operator: AbstractBaseUser) -> None:
    html = logged_in(operator).post(AUDIT, audit(source="", sheet=sheet("key\na\na\n"))).content.decode()
    assert "<li>Line 3: the key" in html
    assert "Say which site to audit" not in html


def test_a_sheet_of_cp1252_is_refused_clearly(operator: AbstractBaseUser) -> None:
    """ENC-06."""
    raw = "url\nhttps://example.org/caf\u00e9".encode("cp1252")
    html = logged_in(operator).post(AUDIT, audit(sheet=sheet(raw), check="1")).content.decode()
    assert "Line 2 holds bytes that are not UTF-8." in html


def test_a_workflow_without_a_list_takes_no_sheet(operator: AbstractBaseUser) -> None:
    assert 'type="file"' not in logged_in(operator).get(LINEAR).content.decode()
