"""Which network addresses a source may lead to: public ones, unless the installation allows others."""

import socket

from django.conf import settings
from django.utils.translation import gettext as _

from taskboard.addresses import is_public
from taskboard.workflows.seo_audit.errors import PrivateAddress, Unreadable


def allowed_addresses(host: str, port: int) -> list[str]:
    """The addresses of a host, each checked; connect to these and to nothing else."""
    found = _look_up(host, port)
    if not settings.TASKBOARD_ALLOW_PRIVATE_SOURCES:
        for address in found:
            _refuse_private(host, address)
    return found


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
