"""What an agent did to a repository, read from outside: file by file, and nothing of its git is asked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256

from intercode.datasets.repositories import ROOT, TestSpec
from intercode.env.state_hash import substance
from intercode_sandbox.sandbox import Change, Entry, Session

LARGEST = 16 << 20
"""Bytes of a file that can be part of a fix, and of all of them together."""

MOST = 5000
"""Files that a fix may have."""


@dataclass(frozen=True, slots=True)
class WrittenFile:
    """A file as the agent left it; `mode` is 755 or 644, all that git knows. `new`: the image has none there."""

    path: str
    mode: int
    content: bytes
    new: bool


@dataclass(frozen=True, slots=True)
class AgentPatch:
    """Changed files and removed paths, from the repository's root; `left_out` says what is no part of it, and why."""

    written: tuple[WrittenFile, ...] = ()
    removed: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Return whether there is nothing to try."""
        return not self.written and not self.removed

    @property
    def digest(self) -> str:
        """Equal for equal fixes."""
        return sha256(repr((self.written, self.removed)).encode("utf-8", "surrogateescape")).hexdigest()


def in_repository(changes: Sequence[Change]) -> list[Change]:
    """Those of *changes* that are below the repository's root and more than a matter of time, paths made relative."""
    found = []
    for change in changes:
        path = change.path.removeprefix(f"{ROOT}/")
        if path != change.path and substance(change.before) != substance(change.after):
            found.append(Change(path, change.before, change.after))
    return found


def read_patch(session: Session, spec: TestSpec) -> AgentPatch:
    """Return the fix in *session*: what differs from the image, without what *spec* keeps.

    Links, devices and the like, folders as such, and files that cannot be read or are too large, are left out.
    """
    counting = [change for change in in_repository(session.changes()) if not spec.keeps(change.path)]
    removed = tuple(change.path for change in counting if _is_removed(change))
    written, left_out, room = list[WrittenFile](), list[str](), LARGEST
    for change, entry in _files(counting):
        content = _content(session, change.path, entry, room) if len(written) < MOST else None
        if content is None:
            left_out.append(change.path)
            continue
        room -= len(content)
        written.append(WrittenFile(change.path, 0o755 if entry.mode & 0o100 else 0o644, content, change.before is None))
    left_out += [change.path for change in counting if change.after and change.after.type not in ("file", "directory")]
    return AgentPatch(tuple(written), removed, tuple(left_out))


def _is_removed(change: Change) -> bool:
    """Gone, or something else now: what stood there has to make way."""
    before, after = change.before, change.after
    return before is not None and (after is None or after.type != before.type)


def _files(changes: Sequence[Change]) -> Iterator[tuple[Change, Entry]]:
    return ((change, change.after) for change in changes if change.after is not None and change.after.type == "file")


def _content(session: Session, path: str, entry: Entry, room: int) -> bytes | None:
    """Return the file's content; None where it is too large for what room there is, or cannot be read."""
    if entry.size > room or entry.digest in ("cut", "unreadable"):
        return None
    try:
        content = session.read(f"{ROOT}/{path}", limit=room + 1)
    except OSError:
        return None
    return content if len(content) <= room else None
