"""What a Dockerfile comes to: steps, one for each instruction that changes files, on a base."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from intercode.datasets.dockerfiles.ignored import Ignored

SHELL = ("/bin/sh", "-c")


@dataclass(frozen=True, slots=True)
class Run:
    """A command for a shell. `place` is where it is written, for people: the file and the line."""

    command: str
    workdir: str
    env: Mapping[str, str]
    place: str = ""
    user: str = ""
    shell: tuple[str, ...] = SHELL


@dataclass(frozen=True, slots=True)
class Copy:
    """Files of the folder, by where they come to lie. `target` ends in `/` where it is a folder."""

    sources: tuple[Path, ...]
    target: str
    mode: int | None
    ignored: Ignored | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Write:
    """A here-document, which comes to lie at `path`."""

    path: str
    content: bytes
    mode: int | None


@dataclass(frozen=True, slots=True)
class CopyFrom:
    """Paths of another stage, or of another image by its name. `target` as in `Copy`."""

    stage: Dockerfile | str
    sources: tuple[str, ...]
    target: str


@dataclass(frozen=True, slots=True)
class MakeFolder:
    """A working directory, which is made."""

    path: str


Step = Run | Copy | CopyFrom | MakeFolder | Write


@dataclass(frozen=True, slots=True)
class Dockerfile:
    """A stage of one, mostly the last: `kind` and `tag` are of its base (`debian`, `12-slim`), the rest of its end."""

    path: Path
    kind: str
    tag: str
    steps: tuple[Step, ...]
    env: Mapping[str, str]
    workdir: str
    user: str = ""
    shell: tuple[str, ...] = SHELL
