"""Starting a task in the browser."""

import re

import pytest
from django.contrib.auth.base_user import AbstractBaseUser
from django.test import Client

import tests.workflows  # noqa: F401 registers the zoo
from taskboard.models import Task
from tests.conftest import logged_in

ADDRESS = "/tasks/new/linear/"
AUDIT = {"approve_over": "20", "crawl_delay": "0", "price_per_page": "0"}


def typed(**over: str) -> dict[str, str]:
    return {"items": "3", "mode": "", "limit_usd": "20", "goal": "", "submit_token": "t" * 32, **over}


def test_people_choose_among_the_workflows(operator: AbstractBaseUser) -> None:
    html = logged_in(operator).get("/tasks/new/").content.decode()
    assert ADDRESS in html
    assert "SEO audit" in html


def test_it_starts_a_task_and_leads_to_its_page(operator: AbstractBaseUser) -> None:
    response = logged_in(operator).post(ADDRESS, typed())
    task = Task.objects.get()
    assert response["Location"] == task.get_absolute_url()
    assert (task.params["items"], task.limit_micro, task.created_by_name) == (3, 20_000_000, "ops")


def test_a_double_submit_starts_one_task(operator: AbstractBaseUser) -> None:
    client = logged_in(operator)
    first, second = client.post(ADDRESS, typed()), client.post(ADDRESS, typed())
    assert Task.objects.count() == 1
    assert first["Location"] == second["Location"]


def test_each_form_brings_its_own_token(operator: AbstractBaseUser) -> None:
    client = logged_in(operator)
    assert token(client) != token(client)


def token(client: Client) -> str:
    found = re.search(r'name="submit_token" value="([^"]{20,})"', client.get(ADDRESS).content.decode())
    assert found
    return found[1]


def test_faults_stand_at_their_fields_and_the_text_is_kept(operator: AbstractBaseUser) -> None:
    response = logged_in(operator).post(ADDRESS, typed(items="many", mode="as typed", limit_usd="-3"))
    html = response.content.decode()
    assert response.status_code == 422
    assert "Enter a whole number." in html
    assert 'value="many"' in html
    assert 'value="as typed"' in html
    assert html.count('aria-invalid="true"') == 2
    assert not Task.objects.exists()


def test_an_unknown_workflow_is_not_found(operator: AbstractBaseUser) -> None:
    assert logged_in(operator).get("/tasks/new/nothing/").status_code == 404


def test_a_form_can_be_filled_in_by_its_address(operator: AbstractBaseUser) -> None:
    assert 'value="17"' in logged_in(operator).get(f"{ADDRESS}?items=17").content.decode()


@pytest.mark.parametrize("source", ["/etc", "/no/such/folder", "http://127.0.0.1/", "file:///etc/passwd"])
def test_a_person_at_a_browser_may_not_name_any_folder(operator: AbstractBaseUser, source: str) -> None:
    asked = {
        "source": source,
        "approve_over": "20",
        "crawl_delay": "0",
        "price_per_page": "0",
        "submit_token": "t",
    }
    response = logged_in(operator).post("/tasks/new/seo-audit/", asked)
    assert response.status_code == 422
    assert 'aria-invalid="true"' in response.content.decode()
    assert not Task.objects.exists()


def test_what_exists_and_what_does_not_get_the_same_answer(operator: AbstractBaseUser) -> None:
    asked = {"approve_over": "20", "crawl_delay": "0", "price_per_page": "0"}
    answers = [
        error_of(
            logged_in(operator).post("/tasks/new/seo-audit/", {**asked, "source": source}).content.decode()
        )
        for source in ("/etc", "/etx")
    ]
    assert answers[0].replace("/etc", "") == answers[1].replace("/etx", "")


def error_of(html: str) -> str:
    found = re.search(r'<ul class="errorlist".*?</ul>', html, re.DOTALL)
    assert found
    return found[0]


@pytest.mark.parametrize(
    ("amount", "sentence"),
    [
        ("-3", "An amount in USD is between 0 and 1,000,000,000."),
        ("1000000001", "An amount in USD is between 0 and 1,000,000,000."),
        ("0.0000001", "Give at most six digits after the point."),
        ("much", "Give an amount in USD, for example 5.50."),
    ],
)
def test_the_budget_is_refused_in_our_own_words(
    operator: AbstractBaseUser, amount: str, sentence: str
) -> None:
    """Its limits are those of the command line."""
    response = logged_in(operator).post(ADDRESS, typed(limit_usd=amount))
    assert response.status_code == 422
    assert sentence in response.content.decode()


def test_a_comma_in_an_amount_is_refused_and_kept(operator: AbstractBaseUser) -> None:
    response = logged_in(operator).post(ADDRESS, typed(limit_usd="5,50"))
    html = response.content.decode()
    assert response.status_code == 422
    assert "Write the amount with a point and no comma" in html
    assert 'value="5,50"' in html
    assert not Task.objects.exists()


def test_the_browser_may_keep_every_field_for_going_back(operator: AbstractBaseUser) -> None:
    html = logged_in(operator).get(ADDRESS).content.decode()
    field = re.search('<input[^>]*name="limit_usd"[^>]*>', html)
    assert field
    assert "autocomplete" not in field[0]
