"""Guessing passwords costs a pause that grows. It is counted by place, never by name alone: nobody can be locked out.

An attempt counts as failed before the password is looked at and is taken back when it fits, so that many at once
cannot get past. Places are stored as digests, since people type passwords where names belong.
"""

import ipaddress
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.http import HttpRequest
from django.utils.crypto import salted_hmac

from taskboard.login import browsers
from taskboard.models import LoginPause

SALT = "taskboard.login.throttle"
SHORTEST, LONGEST = timedelta(seconds=15), timedelta(minutes=15)
FORGOTTEN = timedelta(hours=24)
"""After this long without a failure, a place starts afresh."""
ROOM_PER_ADDRESS = 10
"""How many times more may fail from one address, under whatever names, than for one name: offices share addresses."""


@dataclass(frozen=True)
class Place:
    """Where attempts come from, and how many may fail there before the next one has to wait."""

    key: str
    allowed: int
    own: bool = True
    """It belongs to whoever logs in, so a success clears it; an address is shared and only gets its attempt back."""


def places(request: HttpRequest, name: str) -> list[Place]:
    """A browser that is known for that name counts by itself; anyone else by address with name, and by address."""
    few = settings.LOGIN_ATTEMPTS
    if number := browsers.known(request, name):
        return [Place(_digest("browser", number), few)]
    address = network(request.META.get("REMOTE_ADDR") or "")
    pair = Place(_digest("pair", address, name.casefold().strip()), few)
    return [pair, Place(_digest("address", address), few * ROOM_PER_ADDRESS, own=False)]


def begin(found: Sequence[Place], now: datetime) -> datetime | None:
    """Count an attempt; or the time until which this place has to wait."""
    with transaction.atomic():
        rows = _locked(found, now)
        # Attempts at once read the clock in another order than they come here, so `until` alone says too little.
        waits = [
            row.until
            for place in found
            if (row := rows[place.key]).failures >= place.allowed and row.until > now
        ]
        if waits:
            return max(waits)
        for place in found:
            row = rows[place.key]
            row.failures = (row.failures if now - row.last_at < FORGOTTEN else 0) + 1
            row.last_at, row.until = now, now + pause(row.failures - place.allowed)
            row.save()
    return None


def succeeded(found: Sequence[Place], now: datetime) -> None:
    """The attempt that was counted was none of a stranger."""
    with transaction.atomic():
        rows = _locked(found, now)
        for place in found:
            row = rows[place.key]
            row.failures = 0 if place.own else max(0, row.failures - 1)
            row.until = now
            row.save()


def pause(over: int) -> timedelta:
    """How long the next attempt waits, `over` failures beyond those that are allowed. Pure."""
    if over < 0:
        return timedelta(0)
    longer: timedelta = SHORTEST * 2 ** min(over, 20)
    return min(longer, LONGEST)


def network(address: str) -> str:
    """An address as it counts: of IPv6 the network, since one visitor has billions of them. Pure."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return address
    if isinstance(parsed, ipaddress.IPv6Address):
        if parsed.ipv4_mapped:
            return str(parsed.ipv4_mapped)
        return str(ipaddress.ip_network((parsed, 64), strict=False))
    return address


def _locked(found: Sequence[Place], now: datetime) -> dict[str, LoginPause]:
    """The rows of these places, locked in one order; missing ones are made."""
    keys = sorted(place.key for place in found)
    new = [LoginPause(place=key, last_at=now, until=now) for key in keys]
    LoginPause.objects.bulk_create(new, ignore_conflicts=True)
    _forget_old(now, keys)
    rows = LoginPause.objects.select_for_update().filter(place__in=keys).order_by("place")
    return {row.place: row for row in rows}


def _forget_old(now: datetime, but: Sequence[str]) -> None:
    """A few at a time, and none that somebody else holds, so that attempts never wait for each other in a circle."""
    old = LoginPause.objects.filter(last_at__lt=now - FORGOTTEN).exclude(place__in=but)
    free = list(old.select_for_update(skip_locked=True).values_list("pk", flat=True)[:100])
    if free:
        LoginPause.objects.filter(pk__in=free).delete()


def _digest(*parts: str) -> str:
    return salted_hmac(SALT, "\0".join(parts), algorithm="sha256").hexdigest()
