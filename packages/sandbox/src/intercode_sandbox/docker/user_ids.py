"""Users and groups of files: this machine's numbers as the numbers in a container."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

Range = tuple[int, int, int]
"""The first number in the container, the first one here, and how many there are."""

NOBODY = 65534
"""Who owns what belongs to nobody in the container, as the kernel shows it there."""

ALL = 1 << 32


@dataclass(frozen=True, slots=True)
class UserIds:
    """How a container counts. An engine that root runs counts as this machine does, unless it remaps users."""

    users: tuple[Range, ...]
    groups: tuple[Range, ...]

    def user(self, number: int) -> int:
        """Return a user of this machine as the container counts."""
        return _inside(self.users, number)

    def group(self, number: int) -> int:
        """Return a group of this machine as the container counts."""
        return _inside(self.groups, number)

    def owner(self, file: os.stat_result) -> tuple[int, int]:
        """User and group of a *file*."""
        return self.user(file.st_uid), self.group(file.st_gid)

    def here(self, owner: tuple[int, int]) -> tuple[int, int]:
        """Return a user and a group of the container as this machine counts; -1 for whom it has not."""
        user, group = owner
        return _outside(self.users, user), _outside(self.groups, group)


def user_ids(process: int, user: int, group: int) -> UserIds:
    """Return how the container of *process* counts, whose root is *user* and *group* here.

    Where the process is not in sight the numbers after root's are taken to follow in order.
    """
    try:
        users, groups = (Path(f"/proc/{process}/{kind}_map").read_text() for kind in ("uid", "gid"))
    except OSError:
        return UserIds(((0, user, ALL),), ((0, group, ALL),))
    return UserIds(_ranges(users), _ranges(groups))


def _ranges(text: str) -> tuple[Range, ...]:
    rows = (map(int, line.split()) for line in text.splitlines())
    return tuple((inside, here, count) for inside, here, count in rows)


def _inside(ranges: tuple[Range, ...], number: int) -> int:
    for inside, here, count in ranges:
        if here <= number < here + count:
            return inside + number - here
    return NOBODY


def _outside(ranges: tuple[Range, ...], number: int) -> int:
    for inside, here, count in ranges:
        if inside <= number < inside + count:
            return here + number - inside
    return -1
