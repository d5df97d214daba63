"""A code from a phone beside the password (TOTP), and recovery codes for when the phone is gone.

Devices and their counters are django-otp's. Of recovery codes only digests are stored.
"""

import secrets
from collections.abc import Sequence
from typing import Any

import segno
from django.conf import settings
from django.contrib.auth.models import AnonymousUser, User
from django.db import transaction
from django.http import HttpRequest
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _
from django_otp import DEVICE_ID_SESSION_KEY, login, verify_token
from django_otp.plugins.otp_static.models import StaticDevice, StaticToken

from taskboard import audit
from taskboard.errors import BadInput, NotAllowed, WrongState
from taskboard.models import Phone

SALT = "taskboard.login.recovery"
LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"
CODES = 10
BY_PROVIDER = "by_provider"
"""In a session that single sign-on began: the provider has asked for what it wants."""


def must(user: User | AnonymousUser) -> bool:
    """Whether this person's group has to have a second factor."""
    if not (settings.TASKBOARD_TOTP and user.is_authenticated):
        return False
    return user.groups.filter(name__in=settings.TASKBOARD_TOTP_GROUPS).exists()


def device_of(user: User) -> Phone | None:
    """The device that is in use."""
    if not settings.TASKBOARD_TOTP:
        return None
    phone: Phone | None = Phone.objects.filter(user=user, confirmed=True).first()
    return phone


def planned(user: User) -> Phone | None:
    """The device that is being set up."""
    phone: Phone | None = Phone.objects.filter(user=user, confirmed=False).first()
    return phone


def is_through(request: HttpRequest) -> bool:
    """Whether this session has shown its second factor."""
    return DEVICE_ID_SESSION_KEY in request.session or BY_PROVIDER in request.session


def begin(user: User) -> Phone:
    """A new secret to be scanned; it counts once a code of it was typed."""
    if device_of(user):
        raise WrongState(_("There is a second factor already. Switch it off first."))
    with transaction.atomic():
        Phone.objects.filter(user=user, confirmed=False).delete()
        phone: Phone = Phone.objects.create(user=user, name="phone", confirmed=False)
    return phone


def confirm(request: HttpRequest, user: User, code: str) -> list[str]:
    """The scanned secret is in use from now on; returns the recovery codes, which are shown this once."""
    device = planned(user)
    if device is None:
        raise WrongState(_("There is nothing to confirm. Begin again."))
    fits = verify_token(user, device.persistent_id, _digits(code))
    if fits is None:
        raise BadInput(wrong())
    with transaction.atomic():
        fits.confirmed = True
        fits.save(update_fields=["confirmed"])
        codes = _new_codes(user)
        audit.record(user, "second_factor", user, after={"on": True})
    login(request, fits)
    return codes


def renew(user: User, code: str) -> list[str]:
    """New recovery codes; the old ones are void."""
    if not verified(user, code):
        raise BadInput(wrong())
    with transaction.atomic():
        audit.record(user, "second_factor", user, after={"recovery": "new"})
        return _new_codes(user)


def switch_off(user: User, code: str) -> None:
    """Not for those who must have one."""
    if must(user):
        raise NotAllowed(_("Your group has to have a second factor. An administrator can reset it."))
    if not verified(user, code):
        raise BadInput(wrong())
    forget(user, user)


def forget(user: User, actor: User) -> None:
    """Without any: the phone is gone, or the person wants none."""
    with transaction.atomic():
        Phone.objects.filter(user=user).delete()
        StaticDevice.objects.filter(user=user).delete()
        audit.record(actor, "second_factor", user, before={"on": True}, after={"on": False})


def verified(user: User, code: str) -> Any:
    """The device that this code fits, or None; each code fits once, and failures cost a growing pause."""
    device = device_of(user)
    if device and (digits := _digits(code)):
        return verify_token(user, device.persistent_id, digits)
    recovery = StaticDevice.objects.filter(user=user, confirmed=True).first()
    return verify_token(user, recovery.persistent_id, _digest(code)) if recovery else None


def codes_left(user: User) -> int:
    return int(StaticToken.objects.filter(device__user=user).count())


def picture(device: Phone) -> str:
    """The secret as a QR code, as the address of an image."""
    return str(segno.make(device.config_url, error="m").svg_data_uri(scale=4, border=3, light="#fff"))


def as_text(device: Phone) -> Sequence[str]:
    """The secret in groups of four, for a phone without a camera."""
    secret = device.config_url.partition("secret=")[2].partition("&")[0]
    return [secret[at : at + 4] for at in range(0, len(secret), 4)]


def _new_codes(user: User) -> list[str]:
    StaticDevice.objects.filter(user=user).delete()
    device = StaticDevice.objects.create(user=user, name="recovery", confirmed=True)
    codes = [
        "-".join("".join(secrets.choice(LETTERS) for _i in range(5)) for _j in range(2))
        for _n in range(CODES)
    ]
    StaticToken.objects.bulk_create([StaticToken(device=device, token=_digest(code)) for code in codes])
    return codes


def _digits(code: str) -> str:
    """A code of a phone, however it was typed; empty if it is none."""
    bare = "".join(code.split())
    return bare if len(bare) == 6 and bare.isascii() and bare.isdecimal() else ""


def _digest(code: str) -> str:
    bare = "".join(letter for letter in code.lower() if letter in LETTERS)
    return salted_hmac(SALT, bare, algorithm="sha256").hexdigest()[:16]


def wrong() -> str:
    return _(
        "This code does not fit. Take the newest one that the phone shows: each can be used once. After a wrong one,"
        " wait a few seconds."
    )
