"""As whom a command runs: a name or number, looked up in a session's own /etc/passwd and /etc/group.

Both files are the agent's to write. They are read from outside, of bounded size, and lines that are not of the usual
form are left out. What they can say is which of the session's own users a command runs as.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from intercode_sandbox.errors import UserError

NO_USERS = (
    "{} runs every command as one user, and cannot run one as {!r}: "
    "commands of other users need the embedded or the docker sandbox, on Linux, started as root or with a range in "
    "/etc/subuid"
)
READ_LIMIT = 1 << 20
"""Bytes of /etc/passwd and /etc/group that are looked at."""

_GROUPS_LIMIT = 256
_LARGEST_ID = 2**32 - 2

Read = Callable[[str], bytes]
"""Returns the first `READ_LIMIT` bytes of one of the session's files, b"" where it cannot be read."""


@dataclass(frozen=True, slots=True)
class Account:
    """A user of a session. `home` is empty where /etc/passwd names none; accounts are compared without it."""

    uid: int
    gid: int
    groups: tuple[int, ...] = ()
    home: str = field(default="", compare=False)

    @property
    def identity(self) -> str:
        """As the runner reads it: `uid:gid:group,group`, or nothing for its own."""
        return "" if self == Account(0, 0) else f"{self.uid}:{self.gid}:{','.join(map(str, self.groups))}"


def find_account(user: str, read: Read) -> Account | None:
    """Return the account called *user*.

    `name` or `uid`, with `:group` or `:gid` after it where that is to be another one.

    None for a name that is in neither file. A number need not be there; its group is then 0, as with Docker. Without a
    group of its own the user has all groups that /etc/group lists it in.

    Raises:
        UserError: For what is no user's name at all.
    """
    name, colon, group = user.partition(":")
    if not name or (colon and not group) or any(character in user for character in "\0\n/") or ":" in group:
        raise UserError(f"{user!r} is not a user: give a name or a number, and `:group` after it if you like")
    account = _by_name(name, read)
    if account is None or not colon:
        return account
    gid = _number(group) if group.isdecimal() else next((gid for each, gid, _ in _groups(read) if each == group), None)
    return None if gid is None else Account(account.uid, gid, (), account.home)


def _by_name(name: str, read: Read) -> Account | None:
    for fields in _lines(read("/etc/passwd"), 7):
        uid, gid = _number(fields[2]), _number(fields[3])
        if uid is not None and gid is not None and name in (fields[0], fields[2]):
            groups = {group for _, group, members in _groups(read) if fields[0] in members} - {gid}
            return Account(uid, gid, tuple(sorted(groups))[:_GROUPS_LIMIT], fields[5])
    uid = _number(name)
    return None if uid is None else Account(uid, 0)


def _groups(read: Read) -> Iterator[tuple[str, int, list[str]]]:
    """Name, number and members of each group."""
    for fields in _lines(read("/etc/group"), 4):
        gid = _number(fields[2])
        if gid is not None:
            yield fields[0], gid, fields[3].split(",")


def _lines(data: bytes, width: int) -> Iterator[list[str]]:
    for line in data.decode("utf-8", "surrogateescape").split("\n"):
        fields = line.split(":")
        if len(fields) == width and fields[0]:
            yield fields


def _number(text: str) -> int | None:
    """Return an id; None for what is none."""
    is_number = text.isascii() and text.isdecimal() and len(text) <= len(str(_LARGEST_ID))
    return int(text) if is_number and int(text) <= _LARGEST_ID else None
