"""Addresses that no name may lead to: this machine's own, those of the networks that it is in, and private ones.

The ranges of documentation (such as 203.0.113.0/24) are not among them: they are nobody's, and what a test bed keeps
there stands for the internet.
"""

from __future__ import annotations

import socket
import struct
from contextlib import suppress
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from pathlib import Path

Address = IPv4Address | IPv6Address

_NOT_PUBLIC = tuple(
    ip_network(text)
    for text in (
        "0.0.0.0/8",  # this network
        "10.0.0.0/8",  # private, as the next ones
        "172.16.0.0/12",
        "192.168.0.0/16",
        "100.64.0.0/10",  # carriers' own
        "127.0.0.0/8",  # loopback
        "169.254.0.0/16",  # link-local
        "192.0.0.0/24",  # protocols
        "192.88.99.0/24",  # relays of 6to4
        "198.18.0.0/15",  # benchmarks
        "224.0.0.0/3",  # multicast, reserved, broadcast
    )
)
_PUBLIC_6 = ip_network("2000::/3")
_NOT_PUBLIC_6 = tuple(ip_network(text) for text in ("2001::/23", "2002::/16"))
"""Protocols (Teredo and others) and 6to4, in which other addresses are wrapped."""

_TRANSLATED = IPv6Network("64:ff9b::/96")
"""Addresses of IPv4, where a network has only IPv6."""

_NEVER = tuple(
    ip_network(text)
    for text in (
        "169.254.0.0/16",
        "fe80::/10",
        "100.100.100.200/32",
        "168.63.129.16/32",
        "192.0.0.192/32",
        "fd00:ec2::/32",
        "fd20:ce::/32",
    )
)
"""Where clouds hand out credentials, and all that is link-local."""

_ROUTES, _ROUTES_6 = Path("/proc/net/route"), Path("/proc/net/ipv6_route")
_UP, _GATEWAY = 1, 2


def unmapped(address: Address) -> Address:
    """Return the address of IPv4 that is wrapped in one of IPv6 (`::ffff:127.0.0.1`), or the same."""
    if isinstance(address, IPv6Address):
        if address.ipv4_mapped is not None:
            return address.ipv4_mapped
        if address in _TRANSLATED:
            return IPv4Address(int(address) & 0xFFFFFFFF)
    return address


def is_never_allowed(address: Address) -> bool:
    """Return whether *address* may not be reached even where a task names it."""
    plain = unmapped(address)
    return plain == IPv4Address("168.63.129.16") or any(plain in network for network in _NEVER)


def is_in_public_range(address: Address) -> bool:
    """Return whether *address* is in a range of the internet, whoever has it."""
    plain = unmapped(address)
    if is_never_allowed(plain):
        return False
    if isinstance(plain, IPv4Address):
        return not any(plain in network for network in _NOT_PUBLIC)
    return plain in _PUBLIC_6 and not any(plain in network for network in _NOT_PUBLIC_6)


def is_public(address: Address) -> bool:
    """Return whether *address* is one of the internet, and neither this machine's nor of a network that it is in."""
    plain = unmapped(address)
    return is_in_public_range(plain) and not is_own(plain) and not any(plain in network for network in neighbours())


def is_own(address: Address) -> bool:
    """Return whether *address* is this machine's own: what is sent there would come from there. Nothing is sent."""
    family = socket.AF_INET if address.version == 4 else socket.AF_INET6
    with socket.socket(family, socket.SOCK_DGRAM) as probe, suppress(OSError):
        probe.connect((str(address), 9))
        return ip_address(probe.getsockname()[0]) == address
    return False


def neighbours() -> list[IPv4Network | IPv6Network]:
    """Return the networks that this machine reaches without a router: its neighbours may trust whoever is near."""
    return [*_neighbours_4(), *_neighbours_6()]


def _neighbours_4() -> list[IPv4Network]:
    found = []
    for line in _lines(_ROUTES)[1:]:
        _, target, _, flags, _, _, _, mask, *_ = line.split()
        words = [IPv4Address(struct.pack("=I", int(word, 16))) for word in (target, mask)]
        if int(flags, 16) & (_UP | _GATEWAY) == _UP and int(words[1]):
            found.append(IPv4Network(f"{words[0]}/{words[1]}", strict=False))
    return found


def _neighbours_6() -> list[IPv6Network]:
    found = []
    for line in _lines(_ROUTES_6):
        target, length, _, _, gateway, _, _, _, flags, *_ = line.split()
        if int(length, 16) and not int(gateway, 16) and int(flags, 16) & (_UP | _GATEWAY) == _UP:
            found.append(IPv6Network((int(target, 16), int(length, 16)), strict=False))
    return found


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text().splitlines()
    except OSError:  # a machine without that protocol
        return []
