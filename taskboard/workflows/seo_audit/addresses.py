"""Which network addresses a source may lead to: public ones, unless the installation allows others."""

import ipaddress
import socket

from django.conf import settings
from django.utils.translation import gettext as _

from taskboard.workflows.seo_audit.errors import PrivateAddress, Unreadable

NAT64 = ipaddress.ip_network("64:ff9b::/96")
IP = ipaddress.IPv4Address | ipaddress.IPv6Address


def allowed_addresses(host: str, port: int) -> list[str]:
    """The addresses of a host, each checked; connect to these and to nothing else."""
    found = _look_up(host, port)
    if not settings.TASKBOARD_ALLOW_PRIVATE_SOURCES:
        for address in found:
            _refuse_private(host, address)
    return found


def is_public(address: str) -> bool:
    """Reachable by everyone, and not a private address in disguise."""
    ip: IP = ipaddress.ip_address(address.partition("%")[0])
    return all(part.is_global and not part.is_multicast for part in (ip, *_inside(ip)))


def _inside(ip: IP) -> list[IP]:
    """The IPv4 addresses that an IPv6 address only wraps."""
    if isinstance(ip, ipaddress.IPv4Address):
        return []
    wrapped = [ip.ipv4_mapped, ip.sixtofour, *(ip.teredo or ())]
    if ip in NAT64:
        wrapped.append(ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF))
    return [part for part in wrapped if part is not None]


def _look_up(host: str, port: int) -> list[str]:
    try:
        answers = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise Unreadable(_("the name %(host)s is not known") % {"host": host[:100]}) from error
    return list(dict.fromkeys(str(answer[4][0]) for answer in answers))


def _refuse_private(host: str, address: str) -> None:
    if host == address and not is_public(address):
        raise PrivateAddress(_("%(host)s is a private address, which may not be read") % {"host": host})
    if not is_public(address):
        raise PrivateAddress(
            _("%(host)s leads to the private address %(address)s, which may not be read")
            % {"host": host[:100], "address": address}
        )
