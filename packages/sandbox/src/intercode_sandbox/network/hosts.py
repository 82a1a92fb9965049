"""Names of hosts: as a task lists them, as requests spell them, and whether one allows the other."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address

from intercode_sandbox.errors import UserError
from intercode_sandbox.network.addresses import is_in_public_range, is_never_allowed, unmapped

Address = IPv4Address | IPv6Address

NONE, ALLOW = "none", "allow"
PORTS = (80, 443)
"""Where a host is reached that is listed without a port."""

MOST = 256
"""Hosts on a list."""

_LABEL = r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?"
_NAME = re.compile(rf"{_LABEL}(?:\.{_LABEL})*")
_NUMBER = re.compile(r"(0x[0-9a-f]*|[0-9]+)")
"""A last label by which other programs take a name for an address: decimal, octal, hexadecimal."""

_PORT = re.compile(r"[1-9][0-9]{0,4}")

WANTED = 'expected "none", "allow" or a list of hosts such as ["pypi.org", "*.example.org", "10.1.2.3:8080"]'


NetworkPolicy = str | tuple[str, ...]
"""As `Limits.network` holds it: "none", "allow", or hosts."""


def network_policy(value: object) -> NetworkPolicy:
    """Return *value* as `Limits.network` holds it: "none", "allow" or the hosts, in one spelling.

    True is "allow", and text names hosts with commas between them.

    Raises:
        UserError: If it is none of these.
    """
    if value is False or value == NONE:
        return NONE
    if value is True or value == ALLOW:
        return ALLOW
    if isinstance(value, str):
        value = [host for host in value.split(",") if host.strip()]
        if not value or not all("." in host or ":" in host for host in value):
            raise UserError(f"a network of {','.join(value)!r}: {WANTED}")
    if not isinstance(value, Sequence) or not all(isinstance(host, str) for host in value):
        raise UserError(f"a network of {value!r}: {WANTED}")
    if len(value) > MOST:
        raise UserError(f"a network of {len(value)} hosts: {MOST} is the most")
    return tuple(sorted({str(HostPattern.of(host)) for host in value})) or NONE


def private_hosts(policy: NetworkPolicy) -> list[str]:
    """Return the entries of a list that are addresses in no range of the internet: only who runs it may name these."""
    if isinstance(policy, str):
        return []
    addresses = {text: address_of(HostPattern.of(text).host) for text in policy}
    return [text for text, address in addresses.items() if address is not None and not is_in_public_range(address)]


def public_policy(value: object) -> NetworkPolicy:
    """Return the same as `network_policy`, for a file that anybody may have written.

    Raises:
        UserError: If it is no network, or names an address that is private.
    """
    policy = network_policy(value)
    if private := private_hosts(policy):
        raise UserError(f"{private[0]} is no public address: who runs this may name it (--network), and no file")
    return policy


def network_title(policy: str | Sequence[str]) -> str:
    """Return *policy* in one line, as a command takes it."""
    return policy if isinstance(policy, str) else ",".join(policy)


@dataclass(frozen=True, slots=True)
class HostPattern:
    """One entry of a list. `host` is a name or an address; `has_subdomains`: all names below it, and not itself.

    `port` is 0 where none was named, which allows `PORTS`.
    """

    host: str
    port: int = 0
    has_subdomains: bool = False

    @classmethod
    def of(cls, text: str) -> HostPattern:
        """Return the entry *text*, such as `pypi.org`, `*.example.org`, `10.1.2.3:8080` or `[2001:db8::1]`.

        Raises:
            UserError: If it is none, or an address where clouds hand out credentials.
        """
        rest, port = _split(text.strip())
        has_subdomains = rest.startswith("*.")
        try:
            name = rest.removeprefix("*.")
            host = normal_host(name if name.isascii() else name.encode("idna").decode())
        except UnicodeError:
            host = ""
        address = address_of(host)
        if not host or (has_subdomains and address is not None) or (port is not None and not 0 < port < 1 << 16):
            raise UserError(f"{text!r} names no host: {WANTED}; addresses are listed one by one")
        if address is not None and is_never_allowed(address):
            raise UserError(f"{text!r} is an address where machines hand out credentials: no session may reach it")
        return cls(host, port or 0, has_subdomains)

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{'*.' * self.has_subdomains}{host}{f':{self.port}' * bool(self.port)}"

    def matches(self, host: str, port: int) -> bool:
        """Return whether it allows *port* of *host*, which is spelled as by `normal_host`."""
        is_port = port == self.port if self.port else port in PORTS
        is_host = host.endswith(f".{self.host}") if self.has_subdomains else host == self.host
        return is_port and is_host


def _split(text: str) -> tuple[str, int | None]:
    """Return the host and the port in *text*; None for no port, -1 for one that is no number."""
    host, colon, port = text.rpartition(":")
    if not colon or text.endswith("]") or (":" in host and not host.endswith("]")):
        return text, None
    return host, int(port) if _PORT.fullmatch(port) else -1


def normal_host(text: str) -> str:
    """Return one spelling of the host *text*: lower case, without a dot at the end, addresses in their shortest form.

    "" for what is no host: also for names that some programs take for an address, such as `0x7f.1` or `2130706433`.
    """
    if text.startswith("[") != text.endswith("]"):
        return ""
    try:
        found = ip_address(text.strip("[]"))
        is_plain = not found.scope_id if isinstance(found, IPv6Address) else not text.startswith("[")
        return str(unmapped(found)) if is_plain else ""
    except ValueError:
        pass
    name = text.lower().removesuffix(".")
    if len(name) > 253 or not _NAME.fullmatch(name) or _NUMBER.fullmatch(name.rpartition(".")[2]):
        return ""
    return name


def address_of(host: str) -> Address | None:
    """Return the address that *host* is, as `normal_host` spells it; None for a name."""
    try:
        return ip_address(host)
    except ValueError:
        return None
