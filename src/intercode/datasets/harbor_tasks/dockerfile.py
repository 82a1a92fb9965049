"""Dockerfiles of the simple kind, read: what they stand on, and what each instruction comes to.

Simple is: one FROM of debian, ubuntu or python, RUN, COPY (or ADD of files), WORKDIR, ENV and ARG. What only concerns
how a container is started or seen (CMD, EXPOSE, LABEL …) plays no part. Anything else is refused, with its line.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from intercode.datasets.folder.paths import inside
from intercode.datasets.formats.record import as_text, bytes_of
from intercode.errors import BadDataError

WITHOUT_EFFECT = ("CMD", "EXPOSE", "LABEL", "MAINTAINER", "STOPSIGNAL", "VOLUME")
BASES = ("debian", "ubuntu", "python")
WAY_OUT = "build it with an engine (docker, podman or buildah): build=engine, as a --dataset-option for instance"

_VARIABLE = re.compile(r"\$(?:(\w+)|\{(\w+)\})")
_CONTINUATION = re.compile(r"\\[ \t]*$")
_APT_OPTIONS_WITH_VALUE = ("-o", "-t", "--target-release", "--option")
_NOT_SPLIT = re.compile(r"""["'`|(){}<>\n]|\$\(""")
"""What makes a command more than a list of simple ones."""


@dataclass(frozen=True, slots=True)
class Run:
    """A command, without the parts of it that only install Debian packages: those are `packages`."""

    command: str
    packages: tuple[str, ...]
    workdir: str
    env: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Copy:
    """Files of the folder, by where they come to lie. `target` ends in `/` where it is a folder."""

    sources: tuple[Path, ...]
    target: str
    mode: int | None


@dataclass(frozen=True, slots=True)
class MakeFolder:
    """A working directory, which is made."""

    path: str


Step = Run | Copy | MakeFolder


@dataclass(frozen=True, slots=True)
class Dockerfile:
    """A simple Dockerfile: `kind` and `tag` are of its base (`debian` and `12-slim`), `env` and `workdir` its end."""

    path: Path
    kind: str
    tag: str
    steps: tuple[Step, ...]
    env: Mapping[str, str]
    workdir: str

    @property
    def packages(self) -> tuple[str, ...]:
        """All Debian packages that its commands install, each once."""
        return tuple(dict.fromkeys(name for step in self.steps if isinstance(step, Run) for name in step.packages))


def read_dockerfile(folder: Path) -> Dockerfile:
    """The Dockerfile in *folder*.

    Raises:
        BadDataError: If it is not simple. Names the line, and the way out.
    """
    return _Reader(folder).read()


class _Reader:
    def __init__(self, folder: Path) -> None:
        self.folder, self.path = folder, inside(folder, "Dockerfile")
        self.base = ""
        self.steps: list[Step] = []
        self.env: dict[str, str] = {}
        self.arguments: dict[str, str] = {}
        self.workdir = "/"

    def read(self) -> Dockerfile:
        if (self.folder / ".dockerignore").exists():
            raise BadDataError(f"{self.folder}/.dockerignore is not understood: {WAY_OUT}")
        readers: Mapping[str, Callable[[int, str], None]] = {
            "FROM": self._from,
            "ARG": self._arg,
            "ENV": self._env,
            "WORKDIR": self._workdir,
            "RUN": self._run,
            "COPY": self._copy,
            "ADD": self._add,
        }
        for line, word, rest in _instructions(as_text(bytes_of(self.path), self.path)):
            if word in WITHOUT_EFFECT:
                continue
            if word not in readers or (word not in ("FROM", "ARG") and not self.base):
                raise self._error(line, f"{word} is not understood here")
            try:
                readers[word](line, rest)
            except ValueError as error:
                raise self._error(line, f"{word}: {error}") from error
        if not self.base:
            raise BadDataError(f"{self.path}: there is no FROM")
        name, _, tag = self.base.partition(":")
        return Dockerfile(self.path, name, tag, tuple(self.steps), self.env, self.workdir)

    def _from(self, line: int, rest: str) -> None:
        words = [word for word in self._substitute(rest).split() if not word.startswith("--")]
        base = words[0].removeprefix("docker.io/").removeprefix("library/").partition("@")[0] if words else ""
        if self.base:
            raise self._error(line, "there is a second FROM")
        if base.partition(":")[0] not in BASES:
            raise self._error(line, f"FROM {base}: only {', '.join(BASES)} can stand here without an engine")
        self.base = base

    def _run(self, line: int, rest: str) -> None:
        if rest.startswith("--") or "<<" in rest:
            raise self._error(line, "RUN with options or here-documents is not understood here")
        command = shlex.join(json.loads(rest)) if rest.startswith("[") else rest
        left, packages = split_apt(command)
        self.steps.append(Run(left, packages, self.workdir, {**self.arguments, **self.env}))

    def _copy(self, line: int, rest: str) -> None:
        words = json.loads(rest) if rest.startswith("[") else shlex.split(rest)
        words = [self._substitute(word) for word in words]
        options = [word for word in words if word.startswith("--")]
        *sources, target = [word for word in words if not word.startswith("--")] or [""]
        if not sources:
            raise self._error(line, "COPY wants what to copy, and where to")
        mode = None
        for option in options:
            name, _, value = option.partition("=")
            if name == "--chmod" and re.fullmatch("0?[0-7]{3}", value):
                mode = int(value, 8)
            elif option not in ("--chown=root", "--chown=root:root", "--chown=0:0", "--link"):
                raise self._error(line, f"COPY {option} is not understood here")
        found = [path for source in sources for path in self._matching_paths(line, source)]
        is_folder = target.endswith(("/", "/.")) or target in (".", "") or len(found) > 1
        place = self._absolute(target)
        self.steps.append(Copy(tuple(found), f"{place}/" if is_folder and place != "/" else place, mode))

    def _add(self, line: int, rest: str) -> None:
        if "://" in rest or re.search(r"\.(tar|tgz|tbz2?|txz|zip)\b|\.t?(gz|bz2|xz)\b|git@", rest):
            raise self._error(line, "ADD of addresses and archives is not understood here")
        self._copy(line, rest)

    def _workdir(self, line: int, rest: str) -> None:
        self.workdir = self._absolute(self._substitute(rest.strip().strip("\"'")))
        self.steps.append(MakeFolder(self.workdir))

    def _env(self, line: int, rest: str) -> None:
        words = shlex.split(rest)
        if words and "=" not in words[0]:
            words = [f"{words[0]}={rest.split(maxsplit=1)[1]}"] if len(words) > 1 else []
        if not words or not all("=" in word for word in words):
            raise self._error(line, "ENV wants NAME=VALUE")
        self.env.update({name: self._substitute(value) for name, _, value in (word.partition("=") for word in words)})

    def _arg(self, line: int, rest: str) -> None:
        name, equals, value = " ".join(shlex.split(rest)).partition("=")
        if not equals:
            raise self._error(line, f"ARG {name} has no value, and none is asked for here")
        self.arguments[name] = self._substitute(value)

    def _matching_paths(self, line: int, source: str) -> list[Path]:
        """The paths that *source* names in the folder, which is all that a build may see."""
        name = source.lstrip("/") or "."
        if any(mark in name for mark in "*?["):
            found = [inside(self.folder, str(path.relative_to(self.folder))) for path in sorted(self.folder.glob(name))]
        else:
            found = [path for path in [inside(self.folder, name)] if path.exists()]
        if not found:
            raise self._error(line, f"COPY: there is no {source} in {self.folder}")
        return found

    def _absolute(self, path: str) -> str:
        parts: list[str] = []
        for part in PurePosixPath(self.workdir, path).parts[1:]:
            parts = parts[:-1] if part == ".." else [*parts, part]
        return "/" + "/".join(parts)

    def _substitute(self, text: str) -> str:
        known = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", **self.arguments, **self.env}
        return _VARIABLE.sub(lambda match: known.get(match[1] or match[2], ""), text)

    def _error(self, line: int, what: str) -> BadDataError:
        return BadDataError(f"{self.path}, line {line}: {what}; {WAY_OUT}")


def _instructions(text: str) -> Iterator[tuple[int, str, str]]:
    """The line, the word and the rest of each instruction, lines that go on joined and comments dropped."""
    whole, began = "", 0
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        began = began if whole else number
        whole += _CONTINUATION.sub("", line)
        if not _CONTINUATION.search(line):
            word, _, rest = whole.strip().partition(" ")
            yield began, word.upper(), rest.strip()
            whole = ""
    if whole:
        word, _, rest = whole.strip().partition(" ")
        yield began, word.upper(), rest.strip()


def split_apt(command: str) -> tuple[str, tuple[str, ...]]:
    """*command* without its simple parts that are about Debian packages, and the packages that these install.

    A version that is asked for (`tmux=3.3a-3`) is not kept. A command that is no plain list of commands stays whole.
    """
    if not re.search(r"\bapt(-get)?\b", command) or _NOT_SPLIT.search(command):
        return command, ()
    left, packages = list[str](), list[str]()
    for part in filter(None, map(str.strip, re.split(r"&&|;", command))):
        found = _apt(shlex.split(part))
        if found is None:
            left.append(part)
        else:
            packages += found
    return " && ".join(left), tuple(packages)


def _apt(words: list[str]) -> list[str] | None:
    """The packages that a simple command installs, none where it only cares for lists; None where it is another."""
    while words and re.fullmatch(r"\w+=\S*", words[0]):
        words = words[1:]
    if words[:2] in (["rm", "-rf"], ["rm", "-r"]) and all(
        w.startswith(("/var/lib/apt", "/var/cache/apt")) for w in words[2:]
    ):
        return []
    if not words or words[0] not in ("apt", "apt-get"):
        return None
    plain, rest = list[str](), iter(words[1:])
    for word in rest:
        if word in _APT_OPTIONS_WITH_VALUE:
            next(rest, "")
        elif not word.startswith("-"):
            plain.append(word.partition("=")[0])
    if plain[:1] == ["install"]:
        return plain[1:]
    return [] if plain[:1] in (["update"], ["clean"], ["autoclean"], ["autoremove"]) else None
