"""As whom the sandbox runs: the ids that its users have on this machine, and the user namespace that maps them.

- root: a range far above every real user (`ROOT_BASE`), never host uid 0;
- an ordinary user with a range in /etc/subuid and newuidmap: that range, the user being root inside;
- else a single id: programs that chown or change user get EINVAL.
"""

from __future__ import annotations

import getpass
import os
import shutil
import subprocess
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from intercode_sandbox.errors import SandboxError
from intercode_sandbox.runner.compiled import what_is_wrong_with
from intercode_sandbox.util.text import clauses

ROOT_BASE = 0x70000000
RANGE = 65536
HELPER = Path(__file__).with_name("intercode-helper")


Span = tuple[int, int, int]
"""First id inside, first id on the host, how many: a line of a user namespace's map."""

NOBODY = 65534


@dataclass(frozen=True, slots=True)
class SandboxUser:
    """`kind` is root, range or single; `base` is the host id of the sandbox's root."""

    kind: str
    users: tuple[Span, ...]
    groups: tuple[Span, ...]

    @property
    def base(self) -> int:
        """The host id of the sandbox's root."""
        return self.users[0][1]

    @property
    def size(self) -> int:
        """Return how many users the sandbox has."""
        return sum(count for _, _, count in self.users)

    def user_inside(self, host: int) -> int:
        """Return a host user as the sandbox sees it."""
        return self._inside(self.users, host)

    def group_inside(self, host: int) -> int:
        """Return a host group as the sandbox sees it."""
        return self._inside(self.groups, host)

    def _inside(self, spans: tuple[Span, ...], host: int) -> int:
        for inside, outside, count in spans:
            if outside <= host < outside + count:
                return inside + host - outside
        # what root shows of the machine itself (its /usr, a given folder) is mapped when it is mounted: ids as they are
        return host if self.kind == "root" and self.size > 1 else NOBODY


def helper_fault() -> str:
    """Return why the helper cannot be used, with the way out; empty where it can."""
    return what_is_wrong_with(HELPER, "the sandbox helper")


def find_user() -> SandboxUser:
    """Return what this process can have, the best first."""
    if os.geteuid() == 0:
        span = (0, *_root_range())
        return SandboxUser("root", (span,), (span,))
    own_user, own_group = (0, os.geteuid(), 1), (0, os.getegid(), 1)
    users, groups = subordinate("uid"), subordinate("gid")
    if users and groups and shutil.which("newuidmap") and shutil.which("newgidmap"):
        return SandboxUser("range", (own_user, (1, *users)), (own_group, (1, *groups)))
    return SandboxUser("single", (own_user,), (own_group,))


def _root_range() -> tuple[int, int]:
    """First id and count: the range at ROOT_BASE or, in a container without it, the highest ids that there are."""
    lines = Path("/proc/self/uid_map").read_text().splitlines()
    spans = [(int(inside), int(count)) for inside, _, count in map(str.split, lines)]
    if any(start <= ROOT_BASE and start + count >= ROOT_BASE + RANGE for start, count in spans):
        return ROOT_BASE, RANGE
    start, count = max(spans, key=lambda span: span[1])
    if count >= 4 * RANGE:
        return start + count - RANGE, RANGE
    return start + count - 2, 1  # the very last is often `nobody`


def subordinate(kind: str) -> tuple[int, int] | None:
    """First id and count (RANGE - 1 at most) of the caller's longest range in /etc/subuid or /etc/subgid, or None."""
    path = Path(f"/etc/sub{kind}")
    names = {str(os.geteuid())}
    with suppress(KeyError, OSError):  # a user without a name has ranges by number only
        names.add(getpass.getuser())
    lines = path.read_text().splitlines() if path.exists() else []
    fields = [line.split(":") for line in lines if line.count(":") == 2]
    ranges = [(int(start), int(count)) for name, start, count in fields if name in names and count.isdecimal()]
    start, count = max(ranges, key=lambda span: span[1], default=(0, 0))
    return (start, min(count, RANGE - 1)) if count else None


class UserNamespace:
    """A user namespace with a range of ids, held by a descriptor.

    Raises:
        SandboxError: If it cannot be made.
    """

    def __init__(self, who: SandboxUser) -> None:
        if fault := helper_fault():
            raise SandboxError(fault)
        command = [str(HELPER), "userns", *([str(who.base)] if who.kind == "root" else [])]
        pipe = subprocess.PIPE
        with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True) as keeper:
            assert keeper.stdout is not None
            assert keeper.stderr is not None
            if keeper.stdout.readline() != b"ready\n":
                said = keeper.stderr.read().decode().strip()
                raise SandboxError(clauses(f"no user namespace: {said}", "see `intercode doctor`"))
            _write_maps(who, keeper.pid)
            self.descriptor = os.open(f"/proc/{keeper.pid}/ns/user", os.O_RDONLY | os.O_CLOEXEC)

    def close(self) -> None:
        """Let go of it; it lives on while a sandbox uses it."""
        if self.descriptor >= 0:
            os.close(self.descriptor)
            self.descriptor = -1


def _write_maps(who: SandboxUser, pid: int) -> None:
    for kind, spans in (("uid", who.users), ("gid", who.groups)):
        if who.kind == "root":
            Path(f"/proc/{pid}/{kind}_map").write_text("".join("{} {} {}\n".format(*span) for span in spans))
            continue
        command = [f"new{kind}map", str(pid), *(str(number) for span in spans for number in span)]
        done = subprocess.run(command, capture_output=True, text=True, check=False, start_new_session=True)
        if done.returncode:
            raise SandboxError(clauses(f"{command[0]} refused: {done.stderr.strip()}", "see `intercode doctor`"))
