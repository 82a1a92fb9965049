"""Addresses of servers that people run themselves: on this machine, or in a network of their own."""

from __future__ import annotations

from ipaddress import ip_address
from urllib.parse import urlsplit

SUFFIXES = (".internal", ".lan", ".local", ".localhost")
"""How names end that no public name server knows."""


def is_local(url: str) -> bool:
    """Return whether the server at *url* is on this machine or in a private network."""
    host = (urlsplit(url).hostname or "").rstrip(".")
    try:
        return ip_address(host).is_private
    except ValueError:  # a name; one without a dot is found in one's own network only
        return bool(host) and ("." not in host or host.endswith(SUFFIXES))
