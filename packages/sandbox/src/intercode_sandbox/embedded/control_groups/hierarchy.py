"""The hierarchy of control groups of version 2: in which of its folders groups of ours can be made."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from intercode_sandbox.embedded.control_groups.groups import ControlGroupError, remove_group, write_file

NEEDED = ("memory", "pids")
WANTED = (*NEEDED, "cpu")
VACATED = "intercode-others"
"""Where processes go that are in the way (see `_vacate`)."""

READ_ONLY = (
    "start the container with a control group tree that it may write to (Podman: --security-opt unmask=/sys/fs/cgroup; "
    "Docker: --privileged, or --cgroupns=private with -v /sys/fs/cgroup:/sys/fs/cgroup:rw)"
)


def is_mounted() -> bool:
    """Return whether this process's memory is accounted for by control groups of version 2 (if by any)."""
    try:
        return "memory" in _read(_own_folder() / "cgroup.controllers").split()
    except (OSError, ControlGroupError):
        return False


def usable_parent() -> Path:
    """Return where a subtree can be made by hand.

    In our own group, if it is ours to divide, or in one above that is divided.

    Raises:
        ControlGroupError: If there is none. Says why.
    """
    own = _own_folder()
    for folder in _upwards(own):
        if os.access(folder / "cgroup.procs", os.W_OK) and is_divided(folder):
            return folder
    if not os.access(own / "cgroup.subtree_control", os.W_OK):
        raise ControlGroupError(f"the control group {own} is not ours to write to", READ_ONLY)
    if not set(NEEDED) <= set(_read(own / "cgroup.controllers").split()):
        raise ControlGroupError(f"the control group {own} has no controllers {' and '.join(NEEDED)}", READ_ONLY)
    try:
        divide(own)
    except OSError:  # busy: a group that is divided holds no processes
        _vacate(own)
    return own


def _upwards(folder: Path) -> Iterator[Path]:
    """Yield a group and those above it, as far as we see them."""
    while (folder / "cgroup.controllers").exists():
        yield folder
        folder = folder.parent


def is_divided(folder: Path) -> bool:
    """Return whether the groups below *folder* have the controllers that are needed."""
    return set(NEEDED) <= set(_read(folder / "cgroup.subtree_control").split())


def divide(folder: Path) -> None:
    """Give the groups below *folder* controllers.

    Raises:
        OSError: While there are processes in it.
    """
    available = set(_read(folder / "cgroup.controllers").split())
    write_file(folder / "cgroup.subtree_control", " ".join(f"+{name}" for name in WANTED if name in available))


def _vacate(folder: Path) -> None:
    """Move all processes of a group (one delegated to us, or a container's own) into a leaf of it, and divide it.

    What their group allows them stays as it was. They are not moved back: the next of our programs finds it divided.
    """
    leaf = folder / VACATED
    try:
        leaf.mkdir(exist_ok=True)
        for _ in range(10):  # they may start others meanwhile
            for process in _read(folder / "cgroup.procs").split():
                with suppress(ProcessLookupError):
                    write_file(leaf / "cgroup.procs", process)
            with suppress(OSError):
                return divide(folder)
    except OSError as error:
        raise ControlGroupError(
            f"the control group {folder} cannot be divided ({error.strerror})", READ_ONLY
        ) from error
    raise ControlGroupError(f"the control group {folder} cannot be divided: its processes do not leave it", READ_ONLY)


def sweep(above: Path) -> list[Path]:
    """Remove the subtrees that killed programs left in *above*, and return them: empty ones, no other container's."""
    removed = []
    for stale in above.glob("intercode-*-*"):
        owner = re.fullmatch(r"intercode-(\d+)-\d+", stale.name)
        if owner and not Path("/proc", owner[1]).exists() and "populated 0" in _read(stale / "cgroup.events"):
            _remove_tree(stale)
            removed.append(stale)
    return removed


def sweep_above() -> list[Path]:
    """Return the same wherever this process could have made one.

    Raises:
        ControlGroupError: If there are no groups at all.
    """
    return [stale for above in _upwards(_own_folder()) if os.access(above, os.W_OK) for stale in sweep(above)]


def _remove_tree(path: Path) -> bool:
    with suppress(FileNotFoundError):
        for child in path.iterdir():
            if child.is_dir():
                _remove_tree(child)
    return remove_group(path)


def _own_folder() -> Path:
    return folder_of("self")


def folder_of(process: int | str) -> Path:
    """Return the folder of a process's group.

    Raises:
        ControlGroupError: Where version 2 is not mounted.
    """
    lines = Path(f"/proc/{process}/cgroup").read_text().splitlines()
    path = next((line[3:] for line in lines if line.startswith("0::")), None)
    folder = Path("/sys/fs/cgroup") / (path or "").lstrip("/")
    if path is None or "/.." in path or not (folder / "cgroup.controllers").exists():
        raise ControlGroupError("no control groups of version 2 are mounted at /sys/fs/cgroup", READ_ONLY)
    return folder


def _read(path: Path) -> str:
    return path.read_text()
