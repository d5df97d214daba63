"""Which network addresses everyone can reach, and which are private ones in disguise."""

import ipaddress

NAT64 = ipaddress.ip_network("64:ff9b::/96")
IP = ipaddress.IPv4Address | ipaddress.IPv6Address


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
