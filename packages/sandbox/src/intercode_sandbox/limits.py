"""What a session may use: time, memory, processes, disk, output, network."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from intercode_sandbox.errors import UserError
from intercode_sandbox.network.hosts import NONE, NetworkPolicy, network_policy

FOR_ALL = (
    "a network is never for all sessions of a sandbox: some hold hidden tests. Give these limits to the environment, "
    "or to start()"
)


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of a session: time, memory, processes, disk, output, and what its programs reach.

    Attributes:
        seconds: The longest time of one command.
        memory: Bytes, for all processes of the session together.
        processes: The most processes at a time.
        disk: Bytes that the session may write.
        inodes: Files and folders that the session may create.
        output: Bytes that are kept of one command's output; the rest is read and counted.
        network: What its programs reach, in sandboxes with `gives_network`: "none", "allow" (every public host) or
            hosts, such as `("pypi.org", "*.example.org", "10.1.2.3:8080")`. It is a proxy for HTTP and HTTPS, which
            programs find by the usual variables (`https_proxy`), and nothing else: see `docs/decisions/network.md`.
        tracing: Whether its programs may trace each other, as debuggers do (gdb, ltrace; not strace, which asks to stop
            programs that are ending).
        judging: Whether it is a judge's own session, in which golds or tests run: its seconds are then of time that
            other sessions cannot slow (`Session.deadline`), and of busy processors it gets more than an agent's.
    """

    seconds: float = 10.0
    memory: int = 1 << 30
    processes: int = 256
    disk: int = 256 << 20
    inodes: int = 65536
    output: int = 1 << 20
    network: str | Sequence[str] | bool = NONE
    tracing: bool = False
    judging: bool = False

    def __post_init__(self) -> None:
        """Check the network, and keep it in one spelling.

        Raises:
            UserError: If it is none.
        """
        if self.network != NONE:
            object.__setattr__(self, "network", network_policy(self.network))

    def __hash__(self) -> int:
        """Of few of them: limits are keys wherever sessions start, and most are alike."""
        return hash((self.seconds, self.memory, self.disk))

    @property
    def network_policy(self) -> NetworkPolicy:
        """Return `network`, as it is kept."""
        return network_policy(self.network)

    @property
    def has_network(self) -> bool:
        """Return whether its programs reach anything but each other."""
        return self.network != NONE

    def check_for_all(self) -> None:
        """Check that they may be those of all sessions that name none.

        Raises:
            UserError: If they have a network.
        """
        if self.has_network:
            raise UserError(FOR_ALL)

    def offline(self) -> Limits:
        """Return the same limits without a network: for sessions that hold what the agent must not see."""
        return self.with_network(NONE)

    def with_network(self, network: str | Sequence[str]) -> Limits:
        """Return the same limits with another network."""
        return replace(self, network=network) if self.network != network else self

    def for_judging(self, network: str | Sequence[str] = NONE) -> Limits:
        """Return the same limits for a session that judges: as `judging` says, with a network of its own, or none."""
        return replace(self, network=network, judging=True)


SCRIPT_LIMITS = Limits(seconds=900, memory=4 << 30, processes=1024, disk=4 << 30, inodes=1 << 20, output=1 << 16)
"""What one command that makes an image may use, such as a RUN of a Dockerfile. What it writes is kept in memory."""
