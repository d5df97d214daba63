"""The lists of the admin: each opens for administrators and for nobody else, and none reads a whole table."""

import re
from types import SimpleNamespace
from typing import Any

import pytest
from django.apps import apps
from django.contrib import admin as django_admin
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from taskboard.admin import keyed
from taskboard.admin.audited import AuditedAdmin
from taskboard.admin.keyed import KeyedChangeList
from taskboard.admin.readonly import ReadOnlyAdmin
from taskboard.models import Checkpoint, Item, Step
from tests.admin_rows import make_everything
from tests.conftest import logged_in, make_person
from tests.factories import make_item, make_step, make_task
from tests.many_rows import fill_items, fill_journal, touched

pytestmark = pytest.mark.django_db
REGISTERED = sorted(django_admin.site._registry, key=lambda model: model._meta.label)
OURS = [model for model in REGISTERED if isinstance(django_admin.site._registry[model], ReadOnlyAdmin)]
TOLD_BY_ITS_VERB = {"otp_totp.TOTPDevice"}
MANY = 20_000
FEW = 5_000
"""A page may touch so many rows: far more than it shows, far fewer than there are."""


@pytest.fixture
def at_admin(admin: Any) -> Client:
    return logged_in(admin)


def address(model: Any, view: str = "changelist", *of: Any) -> str:
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_{view}", args=of)


def listed(client: Client, model: Any, query: str = "") -> tuple[list[int], KeyedChangeList]:
    response = client.get(address(model) + query)
    assert response.status_code == 200, response
    shown = response.context["cl"]
    return [row.pk for row in shown.result_list], shown


def test_every_model_of_ours_is_there() -> None:
    for label in ("taskboard", "approvals", "seo_audit"):
        for model in apps.get_app_config(label).get_models():
            assert model in REGISTERED or model._meta.proxy, model


def test_each_opens_for_those_with_the_right_and_for_nobody_else(
    at_admin: Client, admin: Any, operator: Any
) -> None:
    make_everything(admin)
    at_ops, request = logged_in(operator), SimpleNamespace(user=admin)
    stranger = logged_in(make_person("stranger", is_staff=True))
    for model, shown in django_admin.site._registry.items():
        first: Any = model._base_manager.order_by("pk").first()
        may_see, may_add = shown.has_view_permission(request), shown.has_add_permission(request)  # type: ignore[arg-type]
        for page, allowed in ((address(model), may_see), (address(model, "add"), may_add)):
            assert at_admin.get(page).status_code == (200 if allowed else 403), page
            assert stranger.get(page).status_code == 403, page
            assert at_ops.get(page).status_code == 302, page
        if first is not None:
            change = address(model, "change", first.pk)
            assert at_admin.get(change).status_code == (200 if may_see else 403), change


def test_the_way_to_the_site_leads_to_a_page(at_admin: Client, admin: Any) -> None:
    make_everything(admin)
    led = set()
    for model in REGISTERED:
        first = model._base_manager.order_by("pk").first()
        if first is None:
            continue
        page = at_admin.get(address(model, "change", first.pk))
        if page.status_code == 200 and (link := page.context["absolute_url"]):
            assert at_admin.get(link, follow=True).status_code == 200, (model, link)
            led.add(model._meta.label)
    assert {"taskboard.Task", "taskboard.Checkpoint", "approvals.Vote", "taskboard.WorkflowVersion"} <= led


def test_whatever_can_be_changed_there_is_told_in_the_audit_log() -> None:
    request: Any = SimpleNamespace(user=User(is_superuser=True, is_staff=True, is_active=True))
    for model, shown in django_admin.site._registry.items():
        rights = (shown.has_add_permission, shown.has_change_permission, shown.has_delete_permission)
        told = isinstance(shown, AuditedAdmin) or model._meta.label in TOLD_BY_ITS_VERB
        assert told or not any(may(request) for may in rights), model


def test_no_list_counts_or_looks_for_the_choices_of_a_filter(at_admin: Client, admin: Any) -> None:
    make_everything(admin)
    for model in OURS:
        with CaptureQueriesContext(connection) as captured:
            assert at_admin.get(address(model), {"q": "task_20260917_0001"}).status_code == 200, model
            assert at_admin.get(address(model)).status_code == 200, model
        for query in captured:
            assert "COUNT(" not in query["sql"].upper(), query["sql"]
            small = '"taskboard_workflowversion"' in query["sql"]
            assert "DISTINCT" not in query["sql"] or small, query["sql"]
        assert django_admin.site._registry[model].date_hierarchy is None, model


def test_other_lists_count_up_to_a_limit(at_admin: Client) -> None:
    for model in set(REGISTERED) - set(OURS):
        with CaptureQueriesContext(connection) as captured:
            assert at_admin.get(address(model)).status_code == 200, model
        for query in captured:
            counted = re.search(r"COUNT\(.*LIMIT \d+", query["sql"])
            assert "COUNT(" not in query["sql"] or counted, query["sql"]


def test_a_list_is_paged_by_key(at_admin: Client) -> None:
    task = make_task()
    fill_journal(task, 120)
    all_of_them = list(Checkpoint.objects.order_by("-pk").values_list("pk", flat=True))
    seen, query, pages = [], "", 0
    while pages < 9:
        rows, shown = listed(at_admin, Checkpoint, query)
        fill_journal(task, 3)  # rows that come in between move nothing
        seen, query, pages = seen + rows, shown.older, pages + 1
        if not query:
            break
    assert seen == all_of_them
    assert shown.newest == "?"


def test_a_filter_looks_through_some_rows_at_a_time(
    at_admin: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keyed, "AT_ONCE", 100)
    task = make_task()
    fill_journal(task, 2, "decided")
    wanted = list(Checkpoint.objects.filter(kind="decided").order_by("-pk").values_list("pk", flat=True))
    fill_journal(task, 350)
    seen, query, pages = [], "?kind__exact=decided", 0
    while query and len(seen) < len(wanted):  # below them lie the keys of the tests before, on PostgreSQL
        rows, shown = listed(at_admin, Checkpoint, query)
        seen, query, pages = seen + rows, shown.older, pages + 1
    assert seen == wanted
    assert 3 < pages < 10


def test_a_search_finds_a_task_an_item_of_it_and_other_keys(at_admin: Client) -> None:
    task, other = make_task(), make_task()
    step = make_step(make_item(task, "shop/page 1"), idempotency_key="the key")
    make_step(make_item(task, "b"))
    make_step(make_item(other, "shop/page 1"))
    assert listed(at_admin, Step, f"?q={task.public_id}+shop/page+1")[0] == [step.pk]
    assert listed(at_admin, Step, "?q=the+key")[0] == [step.pk]
    assert len(listed(at_admin, Step, f"?q={task.public_id}")[0]) == 2
    assert len(listed(at_admin, Item, "?q=shop/page+1")[0]) == 2
    assert listed(at_admin, Step, "?q=nothing+like+this")[0] == []
    assert "Nothing here" in at_admin.get(address(Step) + "?q=nothing").content.decode()


@pytest.mark.parametrize(
    "query", ["?p=abc", "?p=-3", f"?p={10**30}", "?q=\0", "?q=%F0", "?o=1.2", "?all=1", "?p=1"]
)
def test_odd_addresses_show_a_list(at_admin: Client, query: str) -> None:
    fill_journal(make_task(), 60)
    assert at_admin.get(address(Checkpoint) + query).status_code == 200


def test_many_rows_are_not_read_for_one_page(at_admin: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keyed, "AT_ONCE", 500)
    small, large = make_task(), make_task()
    fill_journal(small, 40)
    fill_items(small, 40)
    fill_journal(large, MANY)
    fill_items(large, MANY)
    at_admin.get(address(Checkpoint))  # what is read once per process
    last = Checkpoint.objects.earliest("pk").pk + 300
    queries = [
        "", f"?p={last}", f"?q={small.public_id}", f"?q={small.public_id}+page_7", "?q=nowhere", "?kind__exact=decided",
    ]  # fmt: skip
    for model, asked in ((Checkpoint, queries), (Item, [*queries[:5], "?q=item_77"]), (Step, queries[:5])):
        for query in asked:
            with touched() as found:
                listed(
                    at_admin, model, query.replace("page_7", "item_7") if model is not Checkpoint else query
                )
            assert found.rows < FEW, (model, query, found.rows)
    with touched() as found:
        Checkpoint.objects.filter(actor="nobody").exists()
    assert found.rows > MANY / 2, "the measure would notice a table that is read as a whole"
