"""Signs as Standard Webhooks require and sends to checked addresses only: no redirects, no proxy, a short limit."""

import base64
import binascii
import hashlib
import hmac
import secrets
import socket
from collections.abc import Mapping
from dataclasses import dataclass

import httpx
from django.conf import settings
from django.utils.translation import gettext as _

from taskboard.addresses import is_public
from taskboard.errors import BadInput

PREFIX = "whsec_"
SHORTEST, LONGEST = 24, 64
WITHIN = httpx.Timeout(10)


@dataclass(frozen=True)
class Answer:
    """What the other side said; status 0 where nothing came back."""

    status: int
    said: str

    @property
    def accepted(self) -> bool:
        return 200 <= self.status < 300


def new_secret() -> str:
    return PREFIX + base64.b64encode(secrets.token_bytes(32)).decode()


def check_secret(secret: str) -> None:
    """Raises BadInput unless it is one as the specification has it."""
    try:
        key = base64.b64decode(secret.removeprefix(PREFIX), validate=True)
    except binascii.Error:
        key = b""
    if not secret.startswith(PREFIX) or not SHORTEST <= len(key) <= LONGEST:
        raise BadInput(
            _(
                "A secret is whsec_ and the base64 form of 24 to 64 bytes. Leave the field empty to have one made."
            )
        )


def signed(secret: str, message_id: str, timestamp: int, body: str) -> dict[str, str]:
    """The three headers by which the receiver knows that it was us, and when."""
    key = base64.b64decode(secret.removeprefix(PREFIX))
    content = f"{message_id}.{timestamp}.{body}".encode()
    signature = base64.b64encode(hmac.digest(key, content, hashlib.sha256)).decode()
    return {
        "webhook-id": message_id,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": f"v1,{signature}",
    }


def check_address(url: str) -> httpx.URL:
    """Raises BadInput unless it is an http(s) address that may be sent to."""
    try:
        target = httpx.URL(url)
    except (httpx.InvalidURL, ValueError):
        raise BadInput(
            _("This is not an address. Write it as https://hooks.example.org/questions.")
        ) from None
    if target.scheme not in ("http", "https") or not target.host or target.userinfo:
        raise BadInput(_("Use an address with http:// or https:// and without a user name in it."))
    _checked(target)
    return target


def post(url: str, body: str, headers: Mapping[str, str]) -> Answer:
    """One try. Whatever goes wrong is told in words."""
    try:
        target = httpx.URL(url)
        address = _checked(target)
        told = {"Host": target.netloc.decode("ascii"), "Content-Type": "application/json", **headers}
        named = {"sni_hostname": target.raw_host.decode("ascii")}
        there = target.copy_with(host=address)
        with (
            httpx.Client(trust_env=False, timeout=WITHIN) as client,
            client.stream("POST", there, content=body.encode(), headers=told, extensions=named) as response,
        ):  # what else the other side has to say is not read
            said = f"{response.status_code} {response.reason_phrase}".strip()
    except BadInput as refusal:
        return Answer(0, refusal.message)
    except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
        return Answer(0, f"{type(error).__name__}: {error}"[:200])
    return Answer(response.status_code, said[:200])


def _checked(target: httpx.URL) -> str:
    """The address to connect to. Raises BadInput for one inside this network, unless that is allowed."""
    port = target.port or (443 if target.scheme == "https" else 80)
    try:
        found = socket.getaddrinfo(target.host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise BadInput(_("The name %(host)s is not known.") % {"host": target.host[:100]}) from None
    addresses = [str(one[4][0]) for one in found]
    barred = [one for one in addresses if not is_public(one)]
    if barred and not settings.TASKBOARD_ALLOW_PRIVATE_WEBHOOKS:
        raise BadInput(
            _("%(host)s leads to the private address %(address)s, which may not be sent to.")
            % {"host": target.host[:100], "address": barred[0]}
        )
    return addresses[0]
