"""The audit log: every administrative act, with who, what, on what, why, and what stood there before.

    with transaction.atomic():
        ...the act...
        audit.record(request.user, "hold", task, reason="the lawyers asked", after={"until": until})

Called in the same transaction as the act, so that there is never one without the other.
"""

import re
from collections.abc import Mapping
from typing import Any

from django.contrib.auth.base_user import AbstractBaseUser
from django.db.models import Model
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django_stubs_ext import StrOrPromise

from taskboard import origin
from taskboard.cleaning import Cleaner, clean_text
from taskboard.models import AuditEntry

Actor = AbstractBaseUser | str
Target = Model | tuple[str, str]
MASK = "•••"
SYSTEM = "system"
"""The actor of what nobody asked for just now, such as the automatic purge."""
_SECRET = re.compile("password|secret|token|api_?key|credential", re.IGNORECASE)

ACTIONS: Mapping[str, StrOrPromise] = {
    "budget": _("Budget changed"),
    "settle": _("Unknown outcome settled"),
    "hold": _("Put on hold"),
    "release": _("Hold lifted"),
    "hold_rule": _("Hold by search set"),
    "hold_rule_ended": _("Hold by search ended"),
    "purge_planned": _("Purge previewed"),
    "purge_asked": _("Purge asked for"),
    "purge_agreed": _("Purge agreed to"),
    "purge_refused": _("Purge refused"),
    "purge_begun": _("Purge begun"),
    "purge_cancelled": _("Purge stopped"),
    "purge": _("Purged"),
    "retention_policy": _("Keeping time changed"),
    "policy": _("Approval policy changed"),
    "policy_removed": _("Approval policy removed"),
    "absence": _("Absence of a person changed"),
    "freeze": _("Outside system frozen"),
    "thaw": _("Outside system thawed"),
    "secret": _("Secret parameter changed"),
    "user_added": _("Person added"),
    "user_changed": _("Person changed"),
    "user_off": _("Person switched off"),
    "user_on": _("Person switched on"),
    "password": _("Password changed"),
    "group_added": _("Group added"),
    "group_changed": _("Group changed"),
    "administrator": _("Administrator made by a command"),
    "backup": _("Backup made"),
    "restore": _("Backup restored"),
    "standby": _("Made to stand by"),
    "standby_lifted": _("Stand-by ended"),
    "second_factor": _("Second factor changed"),
    "token_made": _("Token made"),
    "token_revoked": _("Token revoked"),
    "added": _("Added in the admin"),
    "changed": _("Changed in the admin"),
    "deleted": _("Deleted in the admin"),
}
"""What acts are called on the page; one that is not listed is shown by its name."""
KINDS: Mapping[str, StrOrPromise] = {
    "task": _("Task"),
    "user": _("Person"),
    "group": _("Group"),
    "policyoverride": _("Approval policy"),
    "retentionpolicy": _("Keeping time"),
    "holdrule": _("Hold by search"),
    "purgeplan": _("Previewed purge"),
    "installation": _("This installation"),
    "backup": _("Backup"),
    "system": _("Outside system"),
    "apitoken": _("Token"),
    "webhook": _("Webhook"),
}
"""What kinds of targets are called there."""


def record(
    actor: Actor, action: str, target: Target, *, reason: str = "", before: Any = None, after: Any = None
) -> AuditEntry:
    """One row. `target` is a model's row, or a kind and a name: ("system", "tracker")."""
    kind, pk, name = _named(target)
    return AuditEntry.objects.create(
        at=timezone.now(),
        actor=clean_text(actor if isinstance(actor, str) else actor.get_username(), 150),
        address=origin.address(),
        action=action,
        target_kind=clean_text(kind, 60),
        target_id=clean_text(pk, 60),
        target=clean_text(name, 200),
        reason=clean_text(reason, 2000),
        before=_fit(before),
        after=_fit(after),
    )


def as_json(entry: AuditEntry) -> dict[str, Any]:
    """A row as it stands in exports: what is empty left out."""
    told = {
        "id": entry.pk, "at": entry.at.isoformat(), "actor": entry.actor, "address": entry.address,
        "action": entry.action, "target_kind": entry.target_kind, "target_id": entry.target_id,
        "target": entry.target, "reason": entry.reason, "before": entry.before, "after": entry.after,
    }  # fmt: skip
    return {name: value for name, value in told.items() if value not in ("", None)}


def masked(value: Any) -> Any:
    """Nothing that is called a password, secret or token gets in, however deep it stands."""
    if isinstance(value, Mapping):
        return {key: MASK if _hides(key, one) else masked(one) for key, one in value.items()}
    return [masked(one) for one in value] if isinstance(value, (list, tuple)) else value


def _hides(key: object, value: Any) -> bool:
    """That there is one (true) or none (empty) may be told."""
    return bool(_SECRET.search(str(key))) and not isinstance(value, bool) and value not in (None, "")


def _fit(value: Any) -> Any:
    return None if value is None else Cleaner().json(masked(value))


def _named(target: Target) -> tuple[str, str, str]:
    if isinstance(target, tuple):
        return target[0], "", target[1]
    return str(target._meta.model_name), "" if target.pk is None else str(target.pk), str(target)
