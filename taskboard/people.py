"""Users: who administers, that somebody always does, and what of a change to a person takes rights away."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from django.contrib.auth.models import Group, User
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from taskboard import audit, sessions, tokens
from taskboard.cleaning import clean_text
from taskboard.errors import BadInput, WrongState

ADMINISTRATORS = "Administrators"
BUILT_IN = ("Operators", "Managers", ADMINISTRATORS)
NOBODY_LEFT = gettext_lazy(
    "Somebody must be able to administer people: make another person an administrator first."
)


def administrators() -> QuerySet[User]:
    """Those who can come into the admin and change people there."""
    may = Q(is_superuser=True) | Q(groups__in=administering_groups())
    return User.objects.filter(may, is_active=True, is_staff=True).distinct()


def administering_groups() -> QuerySet[Group]:
    right = {"permissions__codename": "change_user", "permissions__content_type__app_label": "auth"}
    return Group.objects.filter(**right)


def would_leave_none(person: User, said: Mapping[str, Any]) -> bool:
    """Whether nobody could administer people any more if this person became what is said."""
    still = {
        name: said.get(name, getattr(person, name)) for name in ("is_active", "is_staff", "is_superuser")
    }
    groups = {group.pk for group in said["groups"]} if "groups" in said else _groups(person)
    may = still["is_superuser"] or groups & set(administering_groups().values_list("pk", flat=True))
    if still["is_active"] and still["is_staff"] and may:
        return False
    return not administrators().exclude(pk=person.pk).exists()


@contextmanager
def changing() -> Iterator[None]:
    """A transaction that changes people: one after the other, and at its end somebody administers."""
    with transaction.atomic():
        list(Group.objects.select_for_update().filter(name=ADMINISTRATORS))
        yield
        if not administrators().exists():
            raise WrongState(str(NOBODY_LEFT))


def switch_off(people: Iterable[User], by: User) -> list[User]:
    """They are logged out at once, their tokens end, and they can do nothing more; their history keeps naming them.
    Nobody switches off oneself, and superusers only a superuser. Returns whom it concerned."""
    with changing():
        chosen = [one for one in people if not why_not_off(one, by)]
        User.objects.filter(pk__in=[one.pk for one in chosen]).update(is_active=False)
        sessions.end(one.pk for one in chosen)
        for one in chosen:
            audit.record(by, "user_off", one, before={"is_active": True}, after={"is_active": False})
        tokens.end_those_of(chosen, by)
    return chosen


def why_not_off(one: User, by: User) -> str:
    """A sentence why this person cannot switch that one off; empty if nothing is against it."""
    if one.pk == by.pk:
        return _("You cannot switch yourself off. Another administrator has to do it.")
    if not one.is_active:
        return _("%(name)s was switched off already.") % {"name": one}
    if one.is_superuser and not by.is_superuser:
        return _("%(name)s is a superuser, whom only a superuser can switch off.") % {"name": one}
    return ""


def make_administrator(name: str, mail: str, password: str, by: str) -> User:
    """A person in the group Administrators who may use the admin; raises BadInput with a sentence."""
    person = User(username=clean_text(name, 150).strip(), email=clean_text(mail, 254).strip(), is_staff=True)
    try:
        person.clean_fields(exclude=["password"])
        validate_password(password, person)
    except ValidationError as refusal:
        raise BadInput(" ".join(refusal.messages)) from refusal
    with transaction.atomic():
        if User.objects.filter(username=person.username).exists():
            raise BadInput(_("There is a person named %(name)s already.") % {"name": person.username})
        person.set_password(password)
        person.save()
        person.groups.add(Group.objects.get(name=ADMINISTRATORS))
        audit.record(by, "administrator", person, after={"email": person.email, "groups": [ADMINISTRATORS]})
    return person


def loses_rights(before: Mapping[str, Any], after: Mapping[str, Any]) -> bool:
    """Whether less is allowed than before; both are fields of a person or of a group."""
    flags = ("is_active", "is_staff", "is_superuser")
    fell = any(before.get(name) and not after.get(name, before.get(name)) for name in flags)
    lists = ("groups", "user_permissions", "permissions")
    return fell or any(_ids(before, name) - _ids(after, name) for name in lists if name in after)


def _ids(fields: Mapping[str, Any], name: str) -> set[int]:
    return {getattr(one, "pk", one) for one in fields.get(name) or ()}


def _groups(person: User) -> set[int]:
    return set(person.groups.values_list("pk", flat=True)) if person.pk else set()
