"""People in the admin: somebody always administers, and what is changed stands in the audit log."""

import threading
from typing import Any

import pytest
from django.contrib.auth.models import Group, Permission, User
from django.db import connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from approvals.models import PolicyOverride
from taskboard import people, tokens
from taskboard.errors import WrongState
from taskboard.models import ApiToken, AuditEntry
from tests.conftest import logged_in, make_person
from tests.factories import make_finished_task
from tests.retention_rows import make_full_task

pytestmark = pytest.mark.django_db
LEFT = "Somebody must be able to administer people"


@pytest.fixture
def at_admin(admin: Any) -> Client:
    return logged_in(admin)


def pks(*names: str) -> list[str]:
    return [str(pk) for pk in Group.objects.filter(name__in=names).values_list("pk", flat=True)]


def change(client: Client, person: Any, groups: list[str], **over: str) -> Any:
    fields = {
        "username": person.username,
        "is_active": "on",
        "is_staff": "on" if person.is_staff else "",
        **over,
    }
    form: dict[str, Any] = {name: value for name, value in fields.items() if value}
    return client.post(reverse("admin:auth_user_change", args=[person.pk]), {**form, "groups": groups})


def last() -> AuditEntry:
    return AuditEntry.objects.latest("pk")


@pytest.mark.parametrize("over", [{"is_active": ""}, {"is_staff": ""}])
def test_the_last_administrator_stays_one(at_admin: Client, admin: Any, over: dict[str, str]) -> None:
    response = change(at_admin, admin, pks("Administrators"), **over)
    assert response.status_code == 200
    assert LEFT in response.content.decode()
    assert LEFT in change(at_admin, admin, pks("Operators")).content.decode()
    admin.refresh_from_db()
    assert (admin.is_active, admin.is_staff, admin.groups.get().name) == (True, True, "Administrators")


def test_with_a_second_one_the_first_may_go(at_admin: Client, admin: Any) -> None:
    make_person("second", "Administrators", is_staff=True)
    assert change(at_admin, admin, pks("Operators")).status_code == 302
    assert admin.groups.get().name == "Operators"


def test_two_who_switch_each_other_off_at_once_do_not_both_succeed(admin: Any) -> None:
    second: Any = make_person("second", "Administrators", is_staff=True)
    assert people.switch_off([second], admin) == [second]
    with pytest.raises(WrongState, match=LEFT):
        people.switch_off([admin], second)
    assert list(people.administrators()) == [admin]


@pytest.mark.django_db(transaction=True)
def test_nor_at_the_very_same_moment(admin: Any) -> None:
    second: Any = make_person("second", "Administrators", is_staff=True)
    gun, said = threading.Barrier(2), list[str]()

    def switch_off(other: User, by: User) -> None:
        try:
            gun.wait(10)
            people.switch_off([other], by)
            said.append("done")
        except WrongState as refused:
            said.append(refused.message)
        finally:
            connection.close()

    pairs = ((admin, second), (second, admin))
    threads = [threading.Thread(target=switch_off, args=pair) for pair in pairs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert sorted(said) == [str(people.NOBODY_LEFT), "done"]
    assert people.administrators().count() == 1


def test_what_was_changed_of_a_person_is_told(at_admin: Client, operator: Any) -> None:
    assert change(at_admin, operator, pks("Managers"), email="new@example.org").status_code == 302
    entry = last()
    assert (entry.actor, entry.action, entry.target) == ("admin", "user_changed", "ops")
    assert entry.before == {"email": "ops@example.org", "groups": ["Operators"]}
    assert entry.after == {"email": "new@example.org", "groups": ["Managers"]}


def test_a_group_that_is_made_or_changed_is_told(at_admin: Client, admin: Any) -> None:
    User.objects.filter(pk=admin.pk).update(is_superuser=True)
    form = {"name": "Readers", "permissions": [Permission.objects.get(codename="view_task").pk]}
    assert at_admin.post(reverse("admin:auth_group_add"), form).status_code == 302
    assert (last().action, last().target, last().actor) == ("group_added", "Readers", "admin")
    told = last().after["permissions"]
    assert "view" in str(told)
    address = reverse("admin:auth_group_change", args=[Group.objects.get(name="Readers").pk])
    assert at_admin.post(address, {"permissions": []}).status_code == 302
    assert last().action == "group_changed"
    assert (last().before, last().after) == ({"permissions": told}, {"permissions": []})


def test_switching_off_and_on_have_their_own_words(at_admin: Client, operator: Any) -> None:
    change(at_admin, operator, pks("Operators"), email="ops@example.org", is_active="")
    assert (last().action, last().target) == ("user_off", "ops")
    operator.refresh_from_db()
    change(at_admin, operator, pks("Operators"), email="ops@example.org")
    assert last().action == "user_on"
    chosen = {"action": "switch_off", "_selected_action": [operator.pk]}
    at_admin.post(reverse("admin:auth_user_changelist"), chosen)
    assert (last().action, last().target, last().actor) == ("user_off", "ops", "admin")


def test_a_person_who_stays_is_named_with_the_reason(at_admin: Client, admin: Any, operator: Any) -> None:
    chosen = {"action": "switch_off", "_selected_action": [admin.pk, operator.pk]}
    page = at_admin.post(reverse("admin:auth_user_changelist"), chosen, follow=True).content.decode()
    assert "You cannot switch yourself off." in page
    assert "1 person was switched off." in page
    page = at_admin.post(reverse("admin:auth_user_changelist"), chosen, follow=True).content.decode()
    assert "ops was switched off already." in page
    assert "switched off." not in page


def test_a_superuser_is_switched_off_by_none_but_a_superuser(admin: Any) -> None:
    root = User.objects.create_superuser("root", password="correct horse battery")
    assert people.switch_off([root], admin) == []
    assert "whom only a superuser can switch off" in people.why_not_off(root, admin)
    other = User.objects.create_superuser("other", password="correct horse battery")
    assert people.switch_off([root], other) == [root]


def test_tokens_end_in_the_moment_of_the_switching_off(admin: Any, operator: Any) -> None:
    tokens.make(operator, "report", timezone.localdate())
    people.switch_off([operator], admin)
    token = ApiToken.objects.get()
    assert (token.revoked_at is not None, token.revoked_by_name) == (True, "admin")


@pytest.mark.parametrize("way", ["list", "form", "shell"])
def test_tokens_do_not_come_back_with_their_person(at_admin: Client, operator: Any, way: str) -> None:
    text = tokens.make(operator, "report", timezone.localdate())[1]
    if way == "list":
        chosen = {"action": "switch_off", "_selected_action": [operator.pk]}
        at_admin.post(reverse("admin:auth_user_changelist"), chosen)
    elif way == "form":
        change(at_admin, operator, pks("Operators"), is_active="")
    else:
        User.objects.filter(pk=operator.pk).update(is_active=False)
    operator.refresh_from_db()
    assert not operator.is_active
    change(at_admin, operator, pks("Operators"))
    operator.refresh_from_db()
    assert operator.is_active
    assert tokens.holder(text, timezone.now()) is None
    told = AuditEntry.objects.get(action="token_revoked")
    assert (told.actor, told.before) == ("admin", {"owner": "ops"})


def test_a_new_person_is_told_without_the_password(at_admin: Client) -> None:
    secret = "quite another battery"
    form = {"username": "new", "password1": secret, "password2": secret, "usable_password": "true"}
    assert at_admin.post(reverse("admin:auth_user_add"), form).status_code == 302
    assert (last().action, last().target) == ("user_added", "new")
    assert secret not in str(vars(last()))


def test_a_password_set_for_somebody_is_told(at_admin: Client, operator: Any) -> None:
    secret = "quite another battery"
    address = reverse("admin:auth_user_password_change", args=[operator.pk])
    wrong = {"password1": secret, "password2": "x", "usable_password": "true"}
    assert at_admin.post(address, wrong).status_code == 200
    assert not AuditEntry.objects.exists()
    assert at_admin.post(address, {**wrong, "password2": secret}).status_code == 302
    assert (last().action, last().target) == ("password", "ops")


def test_nobody_whom_history_names_is_deleted(at_admin: Client, admin: Any, manager: Any) -> None:
    """DATA-03: on the page and by the list's actions, also for a superuser."""
    task = make_full_task(created_by=manager, created_by_name="manager")
    root = logged_in(User.objects.create_superuser("root", password="correct horse battery"))
    for client in (at_admin, root):
        address = reverse("admin:auth_user_delete", args=[manager.pk])
        assert client.post(address, {"post": "yes"}).status_code == 403
        chosen = {"action": "delete_selected", "_selected_action": [manager.pk], "post": "yes"}
        client.post(reverse("admin:auth_user_changelist"), chosen)
    task.refresh_from_db()
    assert (task.created_by, task.created_by_name) == (manager, "manager")


def test_groups_that_are_needed_stay_under_their_names(operator: Any) -> None:
    root = logged_in(User.objects.create_superuser("root", password="correct horse battery"))
    empty, used = Group.objects.create(name="Empty"), Group.objects.create(name="Used")
    operator.groups.add(used)
    for group, status in ((used, 403), (Group.objects.get(name="Managers"), 403), (empty, 302)):
        address = reverse("admin:auth_group_delete", args=[group.pk])
        assert root.post(address, {"post": "yes"}).status_code == status, group
    assert (last().action, last().target) == ("deleted", "Empty")
    root.post(reverse("admin:auth_group_change", args=[used.pk]), {"name": "Renamed"})
    used.refresh_from_db()
    assert used.name == "Used"


def test_no_group_change_leaves_nobody_to_administer(admin: Any) -> None:
    root = User.objects.create_superuser("root", password="correct horse battery")
    client, group = logged_in(root), Group.objects.get(name="Administrators")
    User.objects.filter(pk=root.pk).update(is_superuser=False)
    root.groups.add(group)
    group.permissions.add(*group.permissions.model.objects.filter(codename="change_group"))
    response = client.post(reverse("admin:auth_group_change", args=[group.pk]), {"permissions": []})
    assert response.status_code == 409
    assert LEFT in response.content.decode()
    assert group.permissions.filter(codename="change_user").exists()


def test_rules_for_questions_are_told(at_admin: Client) -> None:
    form = {"workflow": "linear", "step": "look", "group": "Managers", "needed": "2", "then_needed": "1"}
    assert at_admin.post(reverse("admin:approvals_policyoverride_add"), form).status_code == 302
    assert (last().action, last().target, last().after["needed"]) == ("policy", "linear.look", 2)
    rule = PolicyOverride.objects.get()
    address = reverse("admin:approvals_policyoverride_change", args=[rule.pk])
    assert at_admin.post(address, {**form, "needed": "3"}).status_code == 302
    assert (last().before, last().after) == ({"needed": 2}, {"needed": 3})
    chosen = {"action": "delete_selected", "_selected_action": [rule.pk], "post": "yes"}
    at_admin.post(reverse("admin:approvals_policyoverride_changelist"), chosen)
    assert (last().action, last().target, last().before["needed"]) == ("policy_removed", "linear.look", 3)


def test_a_page_leads_to_the_admin_and_back(at_admin: Client, operator: Any) -> None:
    task = make_finished_task()
    address = reverse("admin:taskboard_task_change", args=[task.pk])
    assert address in at_admin.get(task.get_absolute_url()).content.decode()
    assert address not in logged_in(operator).get(task.get_absolute_url()).content.decode()
