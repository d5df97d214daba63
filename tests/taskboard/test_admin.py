"""The admin shows everything, changes no history, and deletes nobody."""

from typing import Any

import pytest
from django.apps import apps
from django.contrib import admin as django_admin
from django.contrib.auth.models import Group, User
from django.test import Client
from django.urls import reverse

from taskboard.admin.readonly import ReadOnlyAdmin
from taskboard.models import Checkpoint, PurgeRecord, Task
from taskboard.retention import purge
from tests.admin_rows import make_everything
from tests.conftest import logged_in
from tests.retention_rows import make_full_task

pytestmark = pytest.mark.django_db
APPS = ("taskboard", "approvals", "seo_audit")
MODELS = [one for label in APPS for one in apps.get_app_config(label).get_models() if not one._meta.proxy]
SETTINGS = {"approvals.Webhook", "approvals.PolicyOverride"}
"""What administrators set there; everything else is for reading."""


@pytest.fixture
def at_admin(admin: Any) -> Client:
    return logged_in(admin)


def address(model: Any, view: str, *of: Any) -> str:
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_{view}", args=of)


def test_every_model_can_be_listed_and_read(at_admin: Client, admin: Any) -> None:
    make_everything(admin)
    for model in MODELS:
        first = model._base_manager.order_by("pk").first()
        assert first is not None, f"tests/admin_rows.py makes no row of {model._meta.label}."
        assert at_admin.get(address(model, "changelist"), {"q": "task_20260917"}).status_code == 200, model
        listed = at_admin.get(address(model, "changelist"))
        assert first in listed.context["cl"].result_list, model
        assert at_admin.get(address(model, "change", first.pk)).status_code == 200, model


def test_it_has_the_icon_of_the_site(at_admin: Client) -> None:
    for address in ("/admin/", "/admin/auth/user/", "/admin/auth/user/add/"):
        assert 'rel="icon"' in at_admin.get(address).content.decode(), address


def test_nothing_of_it_can_be_changed_there(at_admin: Client, admin: Any) -> None:
    make_everything(admin)
    for model in MODELS:
        if model._meta.label in SETTINGS:
            continue
        assert at_admin.get(address(model, "add")).status_code == 403, model
        first = model._base_manager.order_by("pk").first()
        for view in ("change", "delete"):
            refused = at_admin.post(address(model, view, first.pk), {"post": "yes"})
            assert refused.status_code == 403, (model, view)


def test_a_superuser_cannot_change_history_either() -> None:
    task = make_full_task()
    root = logged_in(User.objects.create_superuser("root", password="correct horse battery"))
    row = Checkpoint.objects.filter(task=task).earliest("ordinal")
    assert root.post(address(Checkpoint, "delete", row.pk), {"post": "yes"}).status_code == 403
    assert root.post(address(Task, "changelist"), {"action": "delete_selected", "_selected_action": task.pk})
    assert Task.objects.filter(pk=task.pk).exists()


def test_lists_do_not_count_everything() -> None:
    for model in MODELS:
        shown = django_admin.site._registry[model]
        assert isinstance(shown, ReadOnlyAdmin) or shown.show_full_result_count is False, model


def test_lists_need_few_queries(at_admin: Client, django_assert_max_num_queries: Any) -> None:
    make_full_task(items=8)
    for model in MODELS:
        with django_assert_max_num_queries(12):
            at_admin.get(address(model, "changelist"))


def test_a_task_leads_to_its_page(at_admin: Client) -> None:
    task = make_full_task()
    step = task.steps.first()
    assert step is not None
    shown = at_admin.get(address(type(step), "change", step.pk)).content.decode()
    assert step.item.get_absolute_url() in shown


def test_others_do_not_get_in(operator: Any, manager: Any) -> None:
    for person in (operator, manager):
        assert logged_in(person).get("/admin/").status_code == 302


def test_people_are_switched_off_not_deleted(at_admin: Client, operator: Any) -> None:
    page = at_admin.get(address(User, "change", operator.pk)).content.decode()
    assert "People are never deleted here" in page
    assert at_admin.post(address(User, "delete", operator.pk), {"post": "yes"}).status_code == 403
    chosen = {"action": "switch_off", "_selected_action": [operator.pk]}
    assert at_admin.post(address(User, "changelist"), chosen).status_code == 302
    operator.refresh_from_db()
    assert not operator.is_active


def test_nobody_switches_off_oneself_or_a_superuser(at_admin: Client, admin: Any) -> None:
    root = User.objects.create_superuser("root", password="correct horse battery")
    chosen = {"action": "switch_off", "_selected_action": [root.pk, admin.pk]}
    at_admin.post(address(User, "changelist"), chosen)
    assert User.objects.filter(is_active=True).count() == 2


def test_a_person_who_is_switched_off_is_logged_out(operator: Any) -> None:
    client = logged_in(operator)
    User.objects.filter(pk=operator.pk).update(is_active=False)
    assert client.get("/").status_code == 302


def test_an_administrator_cannot_become_a_superuser(at_admin: Client, admin: Any) -> None:
    groups = [str(pk) for pk in Group.objects.filter(name="Administrators").values_list("pk", flat=True)]
    form = {
        "username": "admin",
        "email": "new@example.org",
        "is_active": "on",
        "is_staff": "on",
        "groups": groups,
    }
    response = at_admin.post(address(User, "change", admin.pk), {**form, "is_superuser": "on"})
    assert response.status_code == 302
    admin.refresh_from_db()
    assert (admin.email, admin.is_superuser) == ("new@example.org", False)


def test_an_administrator_cannot_take_over_a_superuser(at_admin: Client) -> None:
    root = User.objects.create_superuser("root", password="correct horse battery")
    password = reverse("admin:auth_user_password_change", args=[root.pk])
    assert at_admin.post(password, {"password1": "x" * 20, "password2": "x" * 20}).status_code == 403
    assert at_admin.post(address(User, "change", root.pk), {"username": "root"}).status_code == 403


def test_a_record_of_a_purge_stays_readable(at_admin: Client) -> None:
    record = purge.purge_task(make_full_task().pk, "admin")
    page = at_admin.get(address(PurgeRecord, "change", record.pk)).content.decode()
    assert record.archive_sha256 in page
