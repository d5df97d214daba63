"""What people do to a task in the browser."""

import pytest
from django.contrib.auth.base_user import AbstractBaseUser
from django.test import Client

import tests.workflows  # noqa: F401 registers the zoo
from taskboard.models import ItemStatus, Kind, StepStatus, TaskStatus
from tests.conftest import logged_in, make_person
from tests.factories import make_item, make_step, make_task

HTMX = {"HX-Request": "true"}


def test_pause_without_javascript_comes_back_to_the_page(operator: AbstractBaseUser) -> None:
    task = make_task()
    response = logged_in(operator).post(f"{task.get_absolute_url()}pause/", follow=True)
    task.refresh_from_db()
    assert task.status == TaskStatus.PAUSED
    assert response.redirect_chain == [(task.get_absolute_url(), 302)]
    assert b"Paused." in response.content


def test_pause_with_htmx_answers_what_changed_and_a_toast(operator: AbstractBaseUser) -> None:
    task = make_task()
    html = logged_in(operator).post(f"{task.get_absolute_url()}pause/", headers=HTMX).content.decode()
    assert '<hx-partial hx-target="#actions" hx-swap="outerMorph">' in html
    assert '<hx-partial hx-target="#state" hx-swap="innerMorph">' in html
    assert '<hx-partial hx-target="#toasts" hx-swap="beforeend">' in html
    assert "resume/" in html
    assert "<html" not in html


def test_what_the_state_does_not_allow_is_a_conflict_with_a_sentence(operator: AbstractBaseUser) -> None:
    task = make_task(status=TaskStatus.COMPLETED)
    response = logged_in(operator).post(f"{task.get_absolute_url()}pause/", headers=HTMX)
    assert response.status_code == 409
    assert b"cannot become Paused" in response.content
    assert response["HX-Retarget"] == "#toasts"


def test_cancel_keeps_the_reason(operator: AbstractBaseUser) -> None:
    task = make_task()
    make_step(make_item(task))
    logged_in(operator).post(f"{task.get_absolute_url()}cancel/", {"reason": "Wrong site"})
    task.refresh_from_db()
    assert (task.status, task.reason) == (TaskStatus.CANCELLED, "Wrong site")


def test_a_manager_changes_the_budget(manager: AbstractBaseUser) -> None:
    task = make_task(limit_micro=1_000_000)
    logged_in(manager).post(f"{task.get_absolute_url()}budget/", {"limit_usd": "7.35"})
    task.refresh_from_db()
    assert task.limit_micro == 7_350_000


@pytest.mark.parametrize("typed", ["-1", "NaN", "a lot", "1e99"])
def test_a_budget_that_is_no_amount_is_refused(manager: AbstractBaseUser, typed: str) -> None:
    task = make_task(limit_micro=1_000_000)
    response = logged_in(manager).post(
        f"{task.get_absolute_url()}budget/", {"limit_usd": typed}, headers=HTMX
    )
    task.refresh_from_db()
    assert (response.status_code, task.limit_micro) == (422, 1_000_000)


@pytest.mark.parametrize(
    ("verb", "group"), [("pause", "Managers"), ("cancel", "Managers"), ("budget", "Operators")]
)
def test_who_has_not_the_right_is_refused(db: None, verb: str, group: str) -> None:
    task = make_task()
    client = logged_in(make_person("other", group))
    assert client.post(f"{task.get_absolute_url()}{verb}/", headers=HTMX).status_code == 403
    task.refresh_from_db()
    assert (task.status, task.limit_micro) == (TaskStatus.RUNNING, None)


@pytest.mark.parametrize("verb", ["pause", "resume", "cancel", "budget"])
def test_nothing_changes_on_get(admin: AbstractBaseUser, verb: str) -> None:
    assert logged_in(admin).get(f"{make_task().get_absolute_url()}{verb}/").status_code == 405


def test_a_forged_form_is_refused(operator: AbstractBaseUser) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(operator, backend="django.contrib.auth.backends.ModelBackend")
    assert client.post(f"{make_task().get_absolute_url()}pause/").status_code == 403


def test_a_failed_step_is_tried_again(operator: AbstractBaseUser) -> None:
    task = make_task(workflow="linear")
    item = make_item(task, "a/b", status=ItemStatus.FAILED)
    step = make_step(item, "look", status=StepStatus.FAILED, error="refused")
    response = logged_in(operator).post(f"{task.get_absolute_url()}steps/look/retry/a/b/", headers=HTMX)
    step.refresh_from_db()
    assert (response.status_code, step.status) == (200, StepStatus.PENDING)
    assert task.journal.filter(kind=Kind.PERSON, step="look").exists()


def test_skipping_needs_a_reason(operator: AbstractBaseUser) -> None:
    task = make_task(workflow="linear")
    item = make_item(task, "a", status=ItemStatus.FAILED)
    step = make_step(item, "look", status=StepStatus.FAILED)
    response = logged_in(operator).post(f"{task.get_absolute_url()}steps/look/skip/a/", headers=HTMX)
    step.refresh_from_db()
    assert (response.status_code, step.status) == (422, StepStatus.FAILED)
    logged_in(operator).post(f"{task.get_absolute_url()}steps/look/skip/a/", {"reason": "not needed"})
    step.refresh_from_db()
    assert step.status == StepStatus.SKIPPED


@pytest.mark.parametrize("headers", [HTMX, {}])
def test_a_resume_in_vain_says_that_it_stays_blocked(
    operator: AbstractBaseUser, headers: dict[str, str]
) -> None:
    task = make_task(workflow="linear", status=TaskStatus.BLOCKED, out_of_budget=True, limit_micro=1)
    make_step(make_item(task), "look")
    address = f"{task.get_absolute_url()}resume/"
    html = logged_in(operator).post(address, headers=headers, follow=True).content.decode()
    assert "It stays blocked: the budget is used up. Raise it, or answer the question." in html
    assert "Resumed." not in html
