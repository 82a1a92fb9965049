"""Give paths of a session back to its image. What does it are the session's programs; what is believed is the host.

The programs may be the agent's by now. So the host first writes back what it can write itself, the loader's files
before all, and looks at the end whether all is as the image has it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import chain

from intercode.env.judging_copy.path_rules import parents
from intercode_sandbox.sandbox import Change, Entry, Session

SHELLS = ("/bin/sh", "/usr/bin/sh")
"""One of them is there, even once a folder in the place of the link /bin is removed."""

NOT_FOUND = 127
SECONDS = 120.0
"""For one of the commands that remove and make what the host cannot."""

LONGEST = 60_000
"""Bytes of paths that one command is given."""

REMOVE = 'for path; do rm -rf -- "$path" 2> /dev/null || : > "$path"; done'
MAKE_FOLDERS = 'for path; do mkdir -p -- "$path"; done'
MAKE_LINKS = 'while [ $# -gt 1 ]; do ln -s -- "$1" "$2"; shift 2; done'
SET_TIMES = 'while [ $# -gt 1 ]; do touch -c -d "$1" -- "$2"; shift 2; done'
"""Of pairs: what a link leads to, or a time, and a path."""

ReadOriginal = Callable[[str, int], bytes]
"""The image's content of a path, so many bytes at most."""


def restore(session: Session, changes: Sequence[Change], read_original: ReadOriginal) -> None:
    """Undo *changes* in *session*, in which nothing else runs, as far as its programs let that be done."""
    for change in changes:
        _write_back(session, change, read_original)
    gone = {each.path for each in changes if each.after is not None and not _is_same_kind(each)}
    _run_for(session, REMOVE, sorted(path for path in gone if gone.isdisjoint(parents(path))))
    lost = [each for each in changes if each.before is not None and (each.after is None or each.path in gone)]
    _run_for(session, MAKE_FOLDERS, [each.path for each in lost if each.before and each.before.type == "directory"])
    for change in lost:
        if change.before is not None and change.before.type == "file":
            _write(session, change.path, change.before, read_original)
    links = ((each.before.digest, each.path) for each in lost if each.before and each.before.type == "symlink")
    _run_for(session, MAKE_LINKS, list(chain.from_iterable(links)))
    for command, paths in _attributes(changes):
        _run_for(session, f'{command} -- "$@"', paths)
    files = ((_moment(each.before), each.path) for each in changes if each.before and each.before.type == "file")
    _run_for(session, SET_TIMES, list(chain.from_iterable(files)))


def is_restored(change: Change | None) -> bool:
    """Return whether what is left of a change that was undone is nothing but a time."""
    if change is None:
        return True
    before, after = change.before, change.after
    return before is not None and after is not None and _without_time(before) == _without_time(after)


def _write_back(session: Session, change: Change, read_original: ReadOriginal) -> None:
    """By the host alone: the old content of a file; none in one that is new, so that no program reads what it says."""
    if change.after is None or change.after.type != "file":
        return
    if change.before is None:
        if not change.path.startswith("/etc/"):
            return  # it is removed soon enough
        with suppress(OSError):
            session.write(change.path, b"")
    elif change.before.type == "file" and change.before.digest != change.after.digest:
        _write(session, change.path, change.before, read_original)


def _write(session: Session, path: str, entry: Entry, read_original: ReadOriginal) -> None:
    with suppress(OSError):  # seen at the end
        session.write(path, read_original(path, entry.size), mode=entry.mode)


def _is_same_kind(change: Change) -> bool:
    """Return whether what is there can stay, with another content or other attributes."""
    before, after = change.before, change.after
    if before is None or after is None or before.type != after.type:
        return False
    return before.type in ("file", "directory") or before.digest == after.digest


def _attributes(changes: Iterable[Change]) -> Iterator[tuple[str, list[str]]]:
    """Commands that give back owners and modes, each with its paths.

    Of five digits, since with fewer the bits for groups stay on folders.
    """
    owners, modes = defaultdict[str, list[str]](list), defaultdict[str, list[str]](list)
    for each in changes:
        if each.before is None:
            continue
        owners[f"chown -h {each.before.uid}:{each.before.gid}"].append(each.path)
        if each.before.type != "symlink":
            modes[f"chmod {each.before.mode:05o}"].append(each.path)
    yield from (*owners.items(), *modes.items())


def _moment(entry: Entry) -> str:
    """Return when a file was last modified, as `touch` takes it."""
    return f"@{entry.mtime_ns // 10**9}.{entry.mtime_ns % 10**9:09}"


def _run_for(session: Session, script: str, arguments: Sequence[str]) -> None:
    """Run *script* for *arguments*, as many at a time as a command takes; pairs are not torn apart."""
    for some in _chunks(arguments):
        _run(session, script, *some)


def _run(session: Session, script: str, *arguments: str) -> None:
    for shell in SHELLS:
        if session.run([shell, "-c", script, "sh", *arguments], timeout=SECONDS).exit_code != NOT_FOUND:
            return


def _chunks(paths: Sequence[str]) -> Iterator[list[str]]:
    chunk, size = list[str](), 0
    for path in paths:
        length = len(path.encode("utf-8", "surrogateescape")) + 1
        if size + length > LONGEST and len(chunk) % 2 == 0 and chunk:
            yield chunk
            chunk, size = [], 0
        chunk.append(path)
        size += length
    if chunk:
        yield chunk


def _without_time(entry: Entry) -> tuple[object, ...]:
    return entry.type, entry.mode, entry.uid, entry.gid, entry.size, entry.digest
