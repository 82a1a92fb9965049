"""What a session has had of its network."""

from __future__ import annotations

from dataclasses import dataclass

MOST_HOSTS = 8
"""Hosts that are named."""


@dataclass(frozen=True, slots=True)
class NetworkUsage:
    """Counts, from the proxy outside.

    Attributes:
        requests: Requests that were passed on; a tunnel (`CONNECT`) is one, whatever goes through it.
        refused: Requests that were not.
        sent: Bytes that left the session.
        received: Bytes that came in.
        unreached: Hosts that were asked for and not reached, or not allowed: the first few, sorted.
    """

    requests: int = 0
    refused: int = 0
    sent: int = 0
    received: int = 0
    unreached: tuple[str, ...] = ()

    def __add__(self, other: NetworkUsage) -> NetworkUsage:
        return NetworkUsage(
            self.requests + other.requests,
            self.refused + other.refused,
            self.sent + other.sent,
            self.received + other.received,
            _few(self.unreached, other.unreached),
        )


def _few(first: tuple[str, ...], more: tuple[str, ...]) -> tuple[str, ...]:
    """Return the hosts of both, each once; those that were known *first* are not crowded out."""
    return tuple(sorted(dict.fromkeys([*first, *more][: max(len(first), MOST_HOSTS)]))) if more else first
