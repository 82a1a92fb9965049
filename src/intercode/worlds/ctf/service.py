"""A task's service: a program in a sandbox of its own that the agent reaches at one name and port.

The agent's network has a loopback device and nothing else. A socket that listens there is made before the agent comes,
and handed to the service's sandbox: what connects to it is accepted over there. No process of ours stands between, none
in the agent's sandbox listens, and there is no other way from one to the other (see `docs/security.md`).
"""

from __future__ import annotations

import time
from contextlib import suppress
from pathlib import Path

from intercode.datasets.challenges import Service
from intercode.errors import SandboxError, UserError
from intercode_sandbox.images import Image
from intercode_sandbox.sandbox import Limits, Process, Sandbox, Session, Snapshot

LOG = "/tmp/service.log"
"""Where in the service's sandbox its standard error goes."""

START_SECONDS = 10.0

_RELAY = Path(__file__).parent / "inside" / "relay.py"


class RunningService:
    """Starts *service* for *agent* when made, with the files of *snapshot* if given; `close` ends it and its sandbox.

    Raises:
        SandboxError: If it does not come up (says what it printed), or sessions have no network of their own. Nothing
            is left behind then.
    """

    def __init__(
        self,
        service: Service,
        agent: Session,
        sandbox: Sandbox,
        image: Image,
        *,
        limits: Limits | None = None,
        snapshot: Snapshot | None = None,
    ) -> None:
        self.service = service
        self.session = sandbox.start(image, limits=limits and limits.offline(), snapshot=snapshot)
        try:
            if snapshot is None:
                self._lay_out()
            self._process = self._start(agent)
            self._wait_until_ready()
            if snapshot is None:  # else the agent's session was told before it was kept
                add_host_alias(agent, service.name)
        except BaseException:
            self.close()
            raise

    def snapshot(self) -> Snapshot:
        """Its files. Connections that are open are not kept.

        Raises:
            UserError: If it is a server, whose memory cannot be kept.
        """
        if self.service.mode == "server":
            raise UserError(
                f"this episode cannot be branched: the service {self.service.name} is a server, and what a server "
                "remembers cannot be kept; a service with mode='connections' can be branched, or begin a new episode"
            )
        return self.session.snapshot()

    def _lay_out(self) -> None:
        service = self.service
        for path, content in service.files.items():
            self.session.write(f"{service.folder}/{path}", content, mode=0o755 if content[:2] == b"#!" else 0o644)

    def _start(self, agent: Session) -> Process:
        service = self.service
        argv = ["python3", "-I", "-S", "-c", _RELAY.read_text(), service.mode, str(service.port), LOG, *service.argv]
        with agent.listen(service.port) as listener:
            return self.session.serve(argv, listener, cwd=service.folder)

    def _wait_until_ready(self) -> None:
        said, end = b"", time.monotonic() + START_SECONDS
        while b"ready\n" not in said:
            said += self._process.receive(0.1)
            if self._process.exit_code is not None or time.monotonic() > end:
                raise SandboxError(f"the service {self.service.name} did not start: {self._last_words(said)}")

    def _last_words(self, said: bytes) -> str:
        with suppress(OSError):  # it may not have come so far
            said += self.session.read(LOG)
        return said.decode("utf-8", "replace").strip().rpartition("\n")[2] or "it said nothing"

    def close(self) -> None:
        """Kill it, and forget its files. Closing twice is harmless."""
        self.session.close()


def add_host_alias(session: Session, name: str) -> None:
    """Let programs in *session* find the host *name*, which is the loopback device."""
    try:
        known = session.read("/etc/hosts")
    except FileNotFoundError:
        known = b"127.0.0.1\tlocalhost\n"
    session.write("/etc/hosts", known + f"127.0.0.1\t{name}\n".encode())
