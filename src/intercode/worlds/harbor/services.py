"""Services that go on at the end: where a solution's listen, and how a verifier reaches an agent's from its copy.

Nothing of the agent's runs in the copy. Ports at which the task's own solution leaves a service lead from there to the
same ports of the session, where the agent's go on: what answers is the agent's work, and can do no more than answer.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress

from intercode.errors import SandboxError
from intercode_sandbox.forwarding import PortForwarding
from intercode_sandbox.network.variables import PORT
from intercode_sandbox.sandbox import Session

READY_SECONDS = 5.0
"""How long services are waited for that have been started and do not listen yet."""

QUIET_SECONDS = 2.0
"""A solution's services have all come when for so long no further port was seen."""

LOOK_SECONDS = 0.1

SHOW_SOCKETS = """for file in /proc/net/tcp /proc/net/tcp6; do
    while read -r line; do echo "$line"; done < "$file"
done 2>/dev/null"""

LISTENING = "0A"


def ports_of_solution(session: Session) -> tuple[int, ...]:
    """Return the TCP ports at which programs of *session* answer, in which only a solution ran and still does."""
    found, end = _answering(session), time.monotonic() + READY_SECONDS
    changed = time.monotonic()
    while time.monotonic() < (changed + QUIET_SECONDS if found else end):
        time.sleep(LOOK_SECONDS)
        if (now := _answering(session)) != found:
            found, changed = now, time.monotonic()
    return found


@contextmanager
def services_reached(session: Session, copy: Session, ports: tuple[int, ...]) -> Iterator[None]:
    """Lead from those *ports* of *copy* at which *session* answers to there, for the length of a `with` block.

    Where nobody answers, nobody listens in the copy either: its programs are refused.
    """
    end = time.monotonic() + READY_SECONDS
    with ExitStack() as stack:
        for port in ports:
            while not (answers := _answers(session, port)) and time.monotonic() < end and not session.is_quiet():
                time.sleep(LOOK_SECONDS)
            if answers:
                stack.enter_context(PortForwarding(session, port, listener=copy.listen(port)))
        yield


def _answering(session: Session) -> tuple[int, ...]:
    rows = (line.split() for line in session.run(["/bin/sh", "-c", SHOW_SOCKETS]).text.splitlines())
    ports = {int(row[1].rpartition(":")[2], 16) for row in rows if len(row) > 3 and row[3] == LISTENING}
    return tuple(port for port in sorted(ports - {PORT}) if _answers(session, port))


def _answers(session: Session, port: int) -> bool:
    with suppress(OSError, SandboxError):
        session.connect(port).close()
        return True
    return False
