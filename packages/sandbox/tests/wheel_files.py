"""Files of a release, as `scripts/wheels.py` makes them, and clean environments in which they are tried."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import distribution
from pathlib import Path
from zipfile import ZipFile

from packaging.requirements import Requirement

REPOSITORY = Path(__file__).resolve().parents[3]
SANDBOX = REPOSITORY / "packages/sandbox"
PROGRAMS = ("intercode_sandbox/embedded/intercode-helper", "intercode_sandbox/docker/intercode-runner")


def build(folder: Path, *, project: Path = SANDBOX, wheel: str = "", compiler: str = "cc", kind: str = "wheel") -> Path:
    """Build one file of *project* into *folder*, which must be empty; *wheel* is the machine that it is for."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", str(folder)]
    environment = {**os.environ, "INTERCODE_WHEEL": wheel, "CC": compiler}
    done = subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    (found,) = folder.iterdir()
    return found


def zig(machine: str) -> str:
    """Return the command that compiles for *machine*, as CC has it."""
    return f"{sys.executable} -m ziglang cc -target {machine}-linux-musl"


def install(folder: Path, *wheels: Path) -> Path:
    """Make an environment in *folder* that has *wheels* and what they depend on, and nothing else.

    Returns:
        Its Python.
    """
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    packages = next(folder.glob("lib/python*/site-packages"))
    for wheel in wheels:
        with ZipFile(wheel) as archive:
            for each in archive.infolist():
                archive.extract(each, packages)
                (packages / each.filename).chmod(each.external_attr >> 16 & 0o777)
    own = {wheel.name.partition("-")[0].replace("_", "-") for wheel in wheels}
    for name in _needed(own):
        _link(name, packages)
    return folder / "bin/python"


def dependencies(name: str) -> list[str]:
    """Return the names of the packages that the installed package *name* asks for on this system, without extras."""
    asked = map(Requirement, distribution(name).requires or [])
    return [each.name for each in asked if each.marker is None or each.marker.evaluate({"extra": ""})]


def _needed(names: set[str]) -> Iterator[str]:
    """Yield what those packages depend on, and what that depends on, without themselves."""
    seen, queue = set(names), [each for name in names for each in dependencies(name)]
    while queue:
        name = queue.pop()
        if name not in seen:
            seen.add(name)
            yield name
            queue += dependencies(name)


def _link(name: str, packages: Path) -> None:
    """Show an installed package in another environment."""
    tops = {file.parts[0] for file in distribution(name).files or [] if file.parts[0] not in ("..", "__pycache__")}
    for top in tops:
        if not (packages / top).exists():
            (packages / top).symlink_to(Path(str(distribution(name).locate_file(top))))
