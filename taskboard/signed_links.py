"""Links that were signed for a time, as clouds do for stored files: when that time is over. Pure."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qsl, urlsplit

STAMP = "%Y%m%dT%H%M%SZ"


def ends_at(url: str) -> datetime | None:
    """None where the link does not say: most are good for ever, or tell it to nobody but their server."""
    try:
        told = {name.lower(): value for name, value in parse_qsl(urlsplit(url).query)}
        return _from_a_day(told, "x-amz") or _from_a_day(told, "x-goog") or _of_azure(told) or _of_old(told)
    except (OverflowError, OSError, ValueError):
        return None


def _from_a_day(told: Mapping[str, str], maker: str) -> datetime | None:
    """Amazon and Google: signed then, good for so many seconds."""
    begun, seconds = told.get(f"{maker}-date"), told.get(f"{maker}-expires")
    if not (begun and seconds and f"{maker}-signature" in told):
        return None
    return datetime.strptime(begun, STAMP).replace(tzinfo=UTC) + timedelta(seconds=int(seconds))


def _of_azure(told: Mapping[str, str]) -> datetime | None:
    """Microsoft: good until `se`."""
    if not ("se" in told and "sig" in told):
        return None
    end = datetime.fromisoformat(told["se"])
    return end if end.tzinfo else end.replace(tzinfo=UTC)


def _of_old(told: Mapping[str, str]) -> datetime | None:
    """The older way of several makers: seconds since 1970."""
    if not ("expires" in told and "signature" in told):
        return None
    return datetime.fromtimestamp(int(told["expires"]), UTC)
