"""What `git status --short` would print at `/` of a published container, told from outside by what has changed.

The published reward asks a program inside the agent's container. Here the list of changes answers, but where the
agent meddled with what git goes by (`touches_git`): then the caller runs the real program, to be fooled just as the
published benchmark is. The text is that of git 2.34, as on Ubuntu 22.04, and of every later version up to now.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from intercode.worlds.bash.scoring.git_tracked import TrackedFiles, is_ignored, parents
from intercode_sandbox.sandbox import Change, Entry

_EXECUTABLE = 0o100
"""git keeps one bit of a file's mode: whether its owner may execute it."""


def git_status(changes: Iterable[Change], tracked: TrackedFiles) -> str:
    """Return the text: tracked files that were modified (` M`), replaced (` T`) or deleted (` D`), then `??` entries.

    Empty directories, ignored names and anything but files and symbolic links are invisible; an untracked directory
    is one entry, `dir/`, and none where it took the place of a tracked file. *tracked* is that of the image which
    *changes* are against.
    """
    visible = [change for change in changes if not is_ignored(change.path)]
    if not visible:
        return ""
    known = {change.path: _code(change) for change in visible if _can_be_tracked(change.before)}
    added = {_collapse(change.path, tracked) for change in visible if _can_be_tracked(change.after)}
    untracked = {path for path in added if path.rstrip("/") not in known}
    lines = [f" {code} {quote_path(path)}\n" for path, code in _by_bytes(known.items()) if code]
    return "".join(lines + [f"?? {quote_path(path)}\n" for path, _ in _by_bytes((path, "") for path in untracked)])


def _code(change: Change) -> str:
    """Return what git says of the working copy of a tracked path; empty where it sees no difference."""
    before, after = change.before, change.after
    if before is None or after is None or after.type == "directory":
        return "D"
    if (before.type == "symlink") != (after.type == "symlink"):
        return "T"
    executable = before.type == "file" and (before.mode ^ after.mode) & _EXECUTABLE
    content = (before.type, before.size, before.digest) != (after.type, after.size, after.digest)
    return "M" if content or executable else ""


def _can_be_tracked(entry: Entry | None) -> bool:
    return entry is not None and entry.type in ("file", "symlink")


def _collapse(path: str, tracked: TrackedFiles) -> str:
    """Return the highest untracked directory above *path*, with its slash, or *path* itself."""
    return next((f"{above}/" for above in parents(path) if above not in tracked.directories), path)


def _by_bytes(codes: Iterable[tuple[str, str]]) -> list[tuple[bytes, str]]:
    """Paths as git has them, relative to `/`, in the order of their bytes."""
    return sorted((path[1:].encode("utf-8", "surrogateescape"), code) for path, code in codes)


_ESCAPES = {7: "\\a", 8: "\\b", 9: "\\t", 10: "\\n", 11: "\\v", 12: "\\f", 13: "\\r", 34: '\\"', 92: "\\\\"}


_PLAIN = re.compile(rb"[!#-\[\]-~]*")


def quote_path(path: bytes) -> str:
    """*path* as git prints it: as a C string where it holds a blank, quote, backslash, control or byte above 126."""
    if _PLAIN.fullmatch(path):
        return path.decode("ascii")
    plain = "".join(_ESCAPES.get(byte) or (chr(byte) if 32 <= byte < 127 else f"\\{byte:03o}") for byte in path)
    return f'"{plain}"' if b" " in path or plain.encode() != path else plain


_REPOSITORY_FILES = frozenset([".gitignore", ".gitattributes", ".gitmodules"])
_SETTINGS = ("/root/.gitconfig", "/root/.config/git", "/etc/gitconfig", "/etc/gitattributes", "/etc/ld.so.preload")
_PROGRAMS = frozenset(["git", "bash"])
_PROGRAM_TREE = re.compile(r"/(usr/(local/)?)?(s?bin|lib[^/]*)(/|$)")


def touches_git(changes: Iterable[Change]) -> bool:
    """Return whether *changes* may make the real `git status --short` say something else than `git_status` does.

    So it is when they reach into a repository's own directory, or its ignore and attribute files, where git looks;
    into git's settings; when they put a `git` or `bash` where programs are, or alter a program or library there; or
    when they put a link in a directory's place (git cannot tell what was below a link that leads in a circle).
    """
    return any(_steers_git(change) for change in changes)


def _steers_git(change: Change) -> bool:
    parts = change.path.split("/")
    if parts[1] == ".git" or change.path.startswith(_SETTINGS):
        return True
    if _PROGRAM_TREE.match(change.path):
        is_altered = change.before is not None and change.before.type != "directory"
        return is_altered or parts[-1] in _PROGRAMS
    if change.before and change.after and (change.before.type, change.after.type) == ("directory", "symlink"):
        return not is_ignored(change.path)
    if ".git" in parts:
        return not is_ignored("/".join(parts[: parts.index(".git")]))
    return parts[-1] in _REPOSITORY_FILES and not is_ignored(change.path)
