"""createadmin: the first administrator of an installation."""

from io import StringIO
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command

from taskboard.models import AuditEntry
from tests.conftest import logged_in

pytestmark = pytest.mark.django_db
GOOD = "a long and odd phrase"


def create(*words: str) -> str:
    out = StringIO()
    call_command("createadmin", *words, stdout=out)
    return out.getvalue()


def test_it_makes_a_person_who_may_administer(settings: Any) -> None:
    settings.TASKBOARD_ADMIN_PASSWORD = GOOD
    assert GOOD not in create("anna", "--mail", "anna@example.org")
    anna = User.objects.get(username="anna")
    assert (anna.email, anna.is_staff, anna.is_superuser) == ("anna@example.org", True, False)
    assert anna.check_password(GOOD)
    assert logged_in(anna).get("/admin/auth/user/").status_code == 200
    entry = AuditEntry.objects.get()
    assert (entry.action, entry.target, entry.actor) == ("administrator", "anna", "manage.py createadmin")
    assert GOOD not in str(vars(entry))


def test_a_generated_password_is_shown_once() -> None:
    told = create("anna", "--generate")
    assert User.objects.get(username="anna").check_password(told.split(": ")[-1].strip())


@pytest.mark.parametrize("weak", ["short", "password123", "8457392012", "anna-anna"])
def test_weak_passwords_are_refused(settings: Any, weak: str) -> None:
    settings.TASKBOARD_ADMIN_PASSWORD = weak
    with pytest.raises(CommandError, match=r"password"):
        create("anna-anna")
    assert not User.objects.exists()


def test_a_name_is_taken_once_and_only_names_are_names(settings: Any) -> None:
    settings.TASKBOARD_ADMIN_PASSWORD = GOOD
    create("anna")
    with pytest.raises(CommandError, match="There is a person named anna already"):
        create("anna")
    for name in ("", "two words", "x" * 200):
        with pytest.raises(CommandError):
            create(name)
    assert User.objects.count() == 1


def test_nobody_is_asked_where_nobody_sits() -> None:
    with pytest.raises(CommandError, match="set TASKBOARD_ADMIN_PASSWORD, or use --generate"):
        create("anna")


def test_it_may_be_run_at_every_start(settings: Any) -> None:
    settings.TASKBOARD_ADMIN_PASSWORD = GOOD
    create("anna", "--if-none")
    assert "There is an administrator already" in create("bob", "--if-none")
    User.objects.filter(username="anna").update(is_active=False)
    create("bob", "--if-none")
    assert list(User.objects.values_list("username", flat=True).order_by("username")) == ["anna", "bob"]
