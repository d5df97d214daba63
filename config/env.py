"""Strict readers of environment variables: a bad value stops the start with one sentence."""

import os
from datetime import time
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from typing import NoReturn
from urllib.parse import urlsplit
from zoneinfo import available_timezones

from environ import FileAwareEnv

env = FileAwareEnv()
YES = {"1", "true", "yes", "on"}
NO = {"0", "false", "no", "off"}


class BadSetting(SystemExit):
    """Ends the program; the sentence is all that is printed."""


def refuse(name: str, value: str, allowed: str) -> NoReturn:
    raise BadSetting(f"The setting {name} is {value!r}, but it must be {allowed}.")


def text(name: str, default: str = "") -> str:
    try:
        return str(env.ENVIRON.get(name, default)).strip()
    except OSError as error:
        raise BadSetting(
            f"The setting {name}_FILE is {os.environ[name + '_FILE']!r}, but that file cannot be read"
            f" ({error.strerror})."
        ) from None


def flag(name: str, default: bool) -> bool:
    value = text(name).lower()
    if value not in YES | NO | {""}:
        refuse(name, value, "1 or 0 (also true or false, yes or no, on or off)")
    return value in YES if value else default


def number(name: str, default: int, lowest: int, highest: int) -> int:
    value = text(name) or str(default)
    if not (value.isascii() and value.isdigit() and lowest <= int(value) <= highest):
        refuse(name, value, f"a whole number from {lowest} to {highest}")
    return int(value)


def choice(name: str, default: str, allowed: list[str]) -> str:
    value = text(name) or default
    if value not in allowed:
        refuse(name, value, " or ".join(allowed))
    return value


def words(name: str, default: str = "") -> list[str]:
    """Words separated by commas."""
    return [word.strip() for word in text(name, default).split(",") if word.strip()]


def pairs(name: str) -> dict[str, str]:
    """Pairs such as `ops-team=Operators`, separated by commas."""
    found = dict(word.partition("=")[::2] for word in words(name))
    if not all(key.strip() and value.strip() for key, value in found.items()):
        refuse(name, ", ".join(words(name)), "a list such as ops-team=Operators,boss=Administrators")
    return {key.strip(): value.strip() for key, value in found.items()}


def folder(name: str, default: Path) -> Path:
    """A folder that exists afterwards, and that we may write to."""
    path = Path(text(name) or default).expanduser().resolve()
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        refuse(name, str(path), f"a folder that can be made and written to ({error.strerror})")
    if not os.access(path, os.W_OK | os.X_OK):
        refuse(name, str(path), "a folder that this user may write to")
    return path


def folders(name: str) -> list[Path]:
    """Folders separated by colons, as in PATH."""
    paths = [Path(part).expanduser().resolve() for part in text(name).split(os.pathsep) if part.strip()]
    for path in paths:
        if not path.is_dir():
            refuse(name, str(path), f"a list of folders that exist, separated by {os.pathsep!r}")
    return paths


def clock(name: str, default: str) -> time:
    """A time of day such as 02:30; the last hour of a day is refused, since what is late would miss its day."""
    value = text(name) or default
    try:
        found = time.fromisoformat(value)
    except ValueError:
        found = time.max
    if found.hour == 23 or found.tzinfo is not None:
        refuse(name, value, "a time of day from 00:00 to 22:59, such as 02:30")
    return found


def zone(name: str, default: str) -> str:
    value = text(name) or default
    if value not in available_timezones():
        refuse(name, value, "the name of a time zone, such as Europe/Paris or UTC")
    return value


def address(name: str, default: str = "") -> str:
    """An http or https address without a slash at its end; may be empty if the default is."""
    value = text(name) or default
    parts = urlsplit(value)
    if value and not (parts.scheme in {"http", "https"} and parts.hostname):
        refuse(name, value, "an address that begins with http:// or https://")
    return value.rstrip("/")


def networks(name: str) -> list[IPv4Network | IPv6Network]:
    """Addresses and networks separated by commas: 10.0.0.7, 10.1.0.0/16."""
    values, found = words(name), []
    for value in values:
        try:
            found.append(ip_network(value))
        except ValueError:
            refuse(name, value, "a list of addresses or networks such as 10.0.0.7 or 10.1.0.0/16")
    return found


def origins(name: str) -> list[str]:
    """Origins such as https://tasks.example.org; `*.example.org` is possible."""
    values = words(name)
    for value in values:
        parts = urlsplit(value)
        if parts.scheme not in {"http", "https"} or not parts.netloc or parts.path:
            refuse(name, value, "a list of origins such as https://tasks.example.org, separated by commas")
    return values
