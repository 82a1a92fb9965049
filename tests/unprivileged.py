"""Run tests as an ordinary user, from tests that run as root.

The user is one that the machine does not have, without any right. What it needs and may not reach (an interpreter below
root's home, say) is shown to it in a mount namespace of its own, where a made-up /etc/passwd knows it, and /etc/subuid
gives it a range of users or not. Nothing of the machine is changed, and nothing is left: the processes end with their
process namespace, the mounts with their mount namespace, the files with a temporary folder.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
FIRST_USER, USERS = 61184, 4000
"""Ids from here on belong to nobody on Debian and its relatives."""

RANGE = (0x68000000, 65536)
"""Of subordinate users: far from what the machine may have given to others."""

_NAMESPACES = ("unshare", "--mount", "--propagation", "private", "--pid", "--fork", "--kill-child", "--mount-proc")


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a run of pytest ended, and what it printed."""

    exit_code: int
    text: str


def missing(*, subordinate: bool) -> str:
    """Why tests cannot be run as an ordinary user here; empty if they can."""
    if os.geteuid() != 0:
        return "the tests themselves run as an ordinary user"
    programs = ["unshare", "mount", "setpriv", *(["newuidmap", "newgidmap"] if subordinate else [])]
    absent = [name for name in programs if shutil.which(name) is None]
    absent += [f"/etc/{name}" for name in ("subuid", "subgid") if subordinate and not Path("/etc", name).exists()]
    if absent:
        return f"this machine has no {', '.join(absent)}"
    done = subprocess.run([*_NAMESPACES, "true"], capture_output=True, text=True, check=False)
    return f"root may not do here what it takes: {done.stderr.strip()}" if done.returncode else ""


def run_tests(
    selection: Sequence[str],
    *,
    subordinate: bool,
    groups: Sequence[int] = (),
    environment: Mapping[str, str] | None = None,
    timeout: float = 600,
) -> Outcome:
    """Run pytest with *selection* (paths and options) as an ordinary user, with a range of subordinate users or not.

    *groups* are those that the user is in beside its own, *environment* is added to the little there is.
    """
    with tempfile.TemporaryDirectory(prefix="u-", dir="/tmp") as name:
        folder, user = Path(name), _free_user()
        folder.chmod(0o755)
        start = _start(folder, user, selection, groups, environment or {})
        commands = (*_made_reachable(folder), *_settings(folder, user, subordinate), start)
        done = subprocess.run(
            [*_NAMESPACES, "sh", "-c", "set -e\n" + "\n".join(commands)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=timeout,
            check=False,
        )
        return Outcome(done.returncode, done.stdout.decode("utf-8", "replace"))


def _free_user() -> int:
    """An id that no user, group or process of this machine has."""
    taken = set()
    for path in Path("/proc").glob("[0-9]*"):
        with suppress(FileNotFoundError, ProcessLookupError):  # it has just ended
            taken.add(path.stat().st_uid)
    for name in ("passwd", "group"):
        lines = Path("/etc", name).read_text().splitlines()
        taken |= {int(line.split(":")[2]) for line in lines if line.count(":") >= 3}
    start = FIRST_USER + os.getpid() % (USERS // 2)
    return next(user for user in range(start, FIRST_USER + USERS) if user not in taken)


def _made_reachable(folder: Path) -> Iterator[str]:
    """Commands that let others than root reach the interpreter and this repository, where a folder above is closed."""
    needed = sorted({Path(sys.base_prefix), Path(sys.prefix), REPOSITORY})
    above = {path: closed for path in needed if (closed := _closed_above(path))}
    stages = {path: folder / f"stage{number}" for number, path in enumerate(above)}
    for path, stage in stages.items():
        stage.mkdir()
        yield shlex.join(["mount", "--bind", str(path), str(stage)])
    for closed in sorted(set(above.values())):
        yield shlex.join(["mount", "-t", "tmpfs", "-o", "mode=755", "none", str(closed)])
    for path, stage in stages.items():
        yield shlex.join(["mkdir", "-p", str(path)])
        yield shlex.join(["mount", "--bind", str(stage), str(path)])


def _closed_above(path: Path) -> Path | None:
    """The topmost folder above *path* that only its owner may enter."""
    return next((folder for folder in reversed(path.parents) if not folder.stat().st_mode & 0o001), None)


def _settings(folder: Path, user: int, subordinate: bool) -> Iterator[str]:
    """Commands that make the user known, with its range, in this mount namespace only."""
    ranges = f"ordinary:{RANGE[0]}:{RANGE[1]}\n" if subordinate else ""
    more = {"passwd": f"ordinary:x:{user}:{user}::{folder}/home:/bin/sh\n", "group": f"ordinary:x:{user}:\n"}
    for name in ("passwd", "group", "subuid", "subgid"):
        real, shown = Path("/etc", name), folder / name
        if real.exists():
            shown.write_text(real.read_text() + more[name] if name in more else ranges)
            yield f"mount --bind {shown} {real}"


def _start(folder: Path, user: int, selection: Sequence[str], groups: Sequence[int], more: Mapping[str, str]) -> str:
    """The command that becomes the user and runs pytest, with nothing of root's environment."""
    home = folder / "home"
    home.mkdir()
    os.chown(home, user, user)
    environment = {
        "HOME": home,
        "TMPDIR": home,
        "INTERCODE_CACHE": home / "cache",
        "HYPOTHESIS_STORAGE_DIRECTORY": home / "hypothesis",
        "PATH": os.environ["PATH"],
        "PYTHONDONTWRITEBYTECODE": 1,
        "LANG": "C.UTF-8",
        **more,
    }
    in_groups = ["--groups", ",".join(map(str, groups))] if groups else ["--clear-groups"]
    become = ["setpriv", "--reuid", str(user), "--regid", str(user), *in_groups]
    settings = [f"{name}={value}" for name, value in environment.items()]
    pytest = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *selection]
    # not by exec: process 1, the shell, has to collect orphans that die
    go, run = shlex.join(["cd", str(REPOSITORY)]), shlex.join([*become, "env", "-i", *settings, *pytest])
    return f"{go}; {run} || exit $?; exit 0"
