"""The secret of a webhook goes in and never comes out: it is shown once when it was made, and replaced by a new one."""

from html import unescape
from importlib import import_module
from typing import Any

import pytest
from django.apps import apps
from django.contrib.auth.models import Permission, User
from django.db import connection
from django.db.models import TextField, Value
from django.urls import reverse

from approvals.models import Delivery, Webhook
from approvals.telling import webhooks
from taskboard.models import AuditEntry
from tests.approvals.receiver import SECRET, make_webhook
from tests.conftest import logged_in, make_person
from tests.factories import make_approval

pytestmark = pytest.mark.django_db
ADD = reverse("admin:approvals_webhook_add")
FORM = {"name": "chat", "url": "https://192.0.2.1/hook", "payload": "slack", "active": "on"}


@pytest.fixture(autouse=True)
def _private_addresses_will_do(settings: Any) -> None:
    settings.TASKBOARD_ALLOW_PRIVATE_WEBHOOKS = True


def change(hook: Webhook) -> str:
    return reverse("admin:approvals_webhook_change", args=[hook.pk])


def text(response: Any) -> str:
    return unescape(response.content.decode())


def make(**over: Any) -> Webhook:
    return Webhook.objects.create(**{"name": "chat", "url": FORM["url"], "secret": SECRET, **over})


def test_one_that_is_made_is_shown_once(admin: User) -> None:
    client = logged_in(admin)
    saved = text(client.post(ADD, FORM, follow=True))
    secret = Webhook.objects.get().secret
    assert secret.startswith("whsec_")
    assert secret in saved
    for url in (change(Webhook.objects.get()), reverse("admin:approvals_webhook_changelist"), "/admin/"):
        assert secret not in text(client.get(url))


def test_one_that_is_given_is_not_said_back(admin: User) -> None:
    client = logged_in(admin)
    assert SECRET not in text(client.post(ADD, {**FORM, "new_secret": SECRET}, follow=True))
    hook = Webhook.objects.get()
    assert hook.secret == SECRET
    shown = text(client.get(change(hook)))
    assert f"whsec_•••{SECRET[-4:]}" in shown
    assert SECRET not in shown


def test_a_change_keeps_it_unless_a_new_one_is_asked_for(admin: User) -> None:
    hook, client = make(), logged_in(admin)
    client.post(change(hook), {**FORM, "name": "renamed"})
    hook.refresh_from_db()
    assert (hook.name, hook.secret) == ("renamed", SECRET)
    saved = text(client.post(change(hook), {**FORM, "replace_secret": "on"}, follow=True))
    hook.refresh_from_db()
    assert hook.secret != SECRET
    assert hook.secret in saved


def test_a_bad_one_is_refused_and_not_said_back(admin: User) -> None:
    refused = text(logged_in(admin).post(ADD, {**FORM, "new_secret": "whsec_short"}))
    assert "24 to 64 bytes" in refused
    assert "whsec_short" not in refused
    assert not Webhook.objects.exists()


def test_who_may_only_look_sees_the_mask(db: None) -> None:
    reader = make_person("reader", "Operators", is_staff=True)
    reader.user_permissions.add(Permission.objects.get(codename="view_webhook"))
    shown = text(logged_in(reader).get(change(make())))
    assert SECRET not in shown
    assert "whsec_•••" in shown
    assert "Make a new secret" not in shown


def test_neither_audit_log_nor_history_holds_it(admin: User) -> None:
    hook, client = make(), logged_in(admin)
    other = SECRET.replace("LaLaSw", "LaLaSA")
    client.post(change(hook), {**FORM, "new_secret": other})
    client.post(change(hook), {**FORM, "replace_secret": "on"}, follow=True)
    hook.refresh_from_db()
    last = hook.secret
    history = text(client.get(reverse("admin:approvals_webhook_history", args=[hook.pk])))
    client.post(reverse("admin:approvals_webhook_delete", args=[hook.pk]), {"post": "yes"})
    assert list(AuditEntry.objects.order_by("pk").values_list("action", flat=True)) == [
        "changed", "changed", "deleted",
    ]  # fmt: skip
    assert len({SECRET, other, last}) == 3
    audited = str(list(AuditEntry.objects.values()))
    for secret in (SECRET, other, last):
        assert secret not in history
        assert secret not in audited


def stored() -> str:
    """As a copy of the database has it."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT secret FROM approvals_webhook")
        return str(cursor.fetchone()[0])


def test_the_database_holds_it_only_encrypted(db: None) -> None:
    hook = make()
    assert SECRET.removeprefix("whsec_") not in stored()
    hook.refresh_from_db()
    assert hook.secret == SECRET


def test_one_from_before_is_read_as_it_is_and_encrypted_by_the_migration(db: None) -> None:
    hook = make()
    Webhook.objects.update(secret=Value(SECRET, output_field=TextField()))
    assert stored() == SECRET
    hook.refresh_from_db()
    assert hook.secret == SECRET
    migration: Any = import_module("approvals.migrations.0010_seal_webhook_secrets")
    migration.seal(apps, None)
    assert stored().startswith("sealed:")
    migration.unseal(apps, None)
    assert stored() == SECRET


def test_an_older_key_still_opens_it(settings: Any) -> None:
    hook = make()
    settings.SECRET_KEY_FALLBACKS = [settings.SECRET_KEY]
    settings.SECRET_KEY = "another key " * 6
    hook.refresh_from_db()
    assert hook.secret == SECRET


def test_without_the_key_nothing_goes_out_unsigned_and_a_new_one_mends_it(settings: Any) -> None:
    hook = make_webhook("http://127.0.0.1:9/hook")
    make_approval()
    settings.SECRET_KEY = "another key " * 6
    assert webhooks.collect(hook.created_at.replace(year=2100)) == 1
    assert webhooks.send(hook.created_at.replace(year=2101)) == 0
    assert "give the webhook a new one" in str(Delivery.objects.get().tries)
    Webhook.objects.update(secret=SECRET)
    hook.refresh_from_db()
    assert hook.secret == SECRET
