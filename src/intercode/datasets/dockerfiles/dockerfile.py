"""Dockerfiles, read: what they stand on, and what each instruction comes to.

Understood are stages on debian, ubuntu or python, RUN, COPY (or ADD of files), WORKDIR, ENV, ARG, USER and SHELL. What
only concerns how a container is started or seen (CMD, EXPOSE, LABEL …) plays no part. Anything else is refused, with
its line.
"""

from __future__ import annotations

import json
import platform
import re
import shlex
from collections.abc import Callable, Mapping
from pathlib import Path, PurePosixPath

from intercode.datasets.dockerfiles.ignored import Ignored
from intercode.datasets.dockerfiles.instructions import BrokenTextError, Instruction, instructions
from intercode.datasets.dockerfiles.line_ends import DOS
from intercode.datasets.dockerfiles.steps import SHELL, Copy, CopyFrom, Dockerfile, MakeFolder, Run, Step, Write
from intercode.datasets.folder.paths import inside
from intercode.datasets.formats.record import as_text, bytes_of
from intercode.errors import BadDataError
from intercode_sandbox.images.uv_layer import IMAGE as UV

WITHOUT_EFFECT = ("CMD", "EXPOSE", "LABEL", "MAINTAINER", "STOPSIGNAL", "VOLUME")
BASES = ("debian", "ubuntu", "python")
ALIASES = {
    "ghcr.io/laude-institute/t-bench/ubuntu-24-04": "ubuntu:24.04",
    "ghcr.io/laude-institute/t-bench/python-3-13": "python:3.13-slim-bookworm",
}
"""Images that only name a distribution, by their names without tags."""

WAY_OUT = "build it with an engine (docker, podman or buildah): build=engine, as a --dataset-option for instance"
ROOT = ("", "root", "0", "root:root", "0:0")

_VARIABLE = re.compile(r"\$(?:(\w+)|\{(\w+)(?::([-+])([^}]*))?\})")
_HARMLESS_MOUNT = re.compile(r"--mount=(?:.*,)?type=(?:cache|tmpfs)(?:,.*)?")
_MERGED = re.compile(r"^/(bin|sbin|lib|lib32|lib64|libx32)(?=/|$)")
"""Links to folders of /usr: a layer that had a folder in such a place would hide all that is in it."""

_MACHINES = {"x86_64": "amd64", "aarch64": "arm64"}
_ALL_DOCUMENT = re.compile(r"<<-?[\"']?\w+[\"']?")


def read_dockerfile(folder: Path) -> Dockerfile:
    """Return the Dockerfile in *folder*.

    Raises:
        BadDataError: If something in it is not understood. Names the line, and the way out.
    """
    return _Reader(folder).read()


class _Reader:
    def __init__(self, folder: Path) -> None:
        self.folder, self.path = folder, inside(folder, "Dockerfile")
        self.ignored = Ignored(folder)
        machine = _MACHINES.get(platform.machine(), platform.machine())
        self.globals = {"TARGETOS": "linux", "TARGETARCH": machine, "TARGETPLATFORM": f"linux/{machine}"}
        self.stages: dict[str, Dockerfile] = {}
        self.count = self.user_line = 0
        self._begin("", "", "")

    def _begin(self, name: str, kind: str, tag: str) -> None:
        self.name, self.kind, self.tag = name, kind, tag
        self.steps: list[Step] = []
        self.env: dict[str, str] = {}
        self.arguments: dict[str, str] = {}
        self.workdir, self.user = "/", ""
        self.shell: tuple[str, ...] = SHELL

    def read(self) -> Dockerfile:
        readers: Mapping[str, Callable[[Instruction], None]] = {
            "FROM": self._from,
            "ARG": self._arg,
            "ENV": self._env,
            "WORKDIR": self._workdir,
            "RUN": self._run,
            "COPY": self._copy,
            "ADD": self._add,
            "USER": self._user,
            "SHELL": self._shell,
        }
        text = as_text(bytes_of(self.path), self.path)
        if "\r" in text:
            raise BadDataError(DOS.format(path=self.path))
        try:
            for each in instructions(text):
                if each.word in WITHOUT_EFFECT:
                    continue
                if each.word not in readers or (each.word not in ("FROM", "ARG") and not self.kind):
                    raise self._error(each.line, f"{each.word} is not understood here")
                try:
                    readers[each.word](each)
                except ValueError as error:
                    raise self._error(each.line, f"{each.word}: {error}") from error
        except BrokenTextError as error:
            raise self._error(error.line, str(error)) from error
        if not self.kind:
            raise BadDataError(f"{self.path}: there is no FROM")
        if self.user not in ROOT:
            raise self._error(self.user_line, f"USER {self.user} comes last, and agents and verifiers are root here")
        return self._stage()

    def _stage(self) -> Dockerfile:
        end = (self.env, self.workdir, self.user, self.shell)
        return Dockerfile(self.path, self.kind, self.tag, tuple(self.steps), *end)

    def _from(self, each: Instruction) -> None:
        words = [word for word in self._substitute(each.rest, self.globals).split() if not word.startswith("--")]
        name = words[2] if [word.upper() for word in words[1:2]] == ["AS"] and len(words) > 2 else ""
        if self.kind:
            self.count += 1
            self.stages |= dict.fromkeys((str(self.count - 1), self.name.lower()), self._stage())
        below = self.stages.get(words[0].lower()) if words else None
        if below is not None:
            self._begin(name, below.kind, below.tag)
            self.steps, self.env, self.workdir = list(below.steps), dict(below.env), below.workdir
            self.user, self.shell = below.user, below.shell
            return
        base = words[0].removeprefix("docker.io/").removeprefix("library/").partition("@")[0] if words else ""
        base = ALIASES.get(base.partition(":")[0], base)
        kind, _, tag = base.partition(":")
        if kind not in BASES:
            raise self._error(each.line, f"FROM {base}: only {', '.join(BASES)} can stand here without an engine")
        self._begin(name, kind, tag)

    def _run(self, each: Instruction) -> None:
        if refused := [option for option in each.options if not _HARMLESS_MOUNT.fullmatch(option)]:
            raise self._error(each.line, f"RUN with options ({refused[0]}) is not understood here")
        command = _exec_form(each.rest) or each.rest
        if each.documents and _ALL_DOCUMENT.fullmatch(each.rest):
            command = _script(each.documents[0].content)
        else:
            command += "".join(f"\n{document.content}{document.name}\n" for document in each.documents)
        place, env = f"{self.path}, line {each.line}", {**self.arguments, **self.env}
        user = "" if self.user in ROOT else self.user
        self.steps.append(Run(command, self.workdir, env, place, user, self.shell))

    def _copy(self, each: Instruction) -> None:
        rest = each.rest
        words = json.loads(rest) if rest.startswith("[") else shlex.split(rest)
        *sources, target = [self._substitute(word) for word in words] or [""]
        if not sources:
            raise self._error(each.line, "COPY wants what to copy, and where to")
        mode, stage = None, ""
        for option in each.options:
            name, _, value = option.partition("=")
            if name == "--chmod" and re.fullmatch("0?[0-7]{3}", value):
                mode = int(value, 8)
            elif name == "--from" and value:
                stage = self._substitute(value)
            elif option not in ("--chown=root", "--chown=root:root", "--chown=0:0", "--link"):
                raise self._error(each.line, f"COPY {option} is not understood here")
        is_folder = target.endswith(("/", "/.")) or target in (".", "") or len(sources) > 1
        if stage:
            self._copy_from(each, stage, sources, self._place(target, is_folder=is_folder))
            return
        documents = {document.name: document for document in each.documents}
        files = [source for source in sources if source.lstrip("<-") not in documents]
        for name, document in documents.items():
            content = document.content if document.literal else self._substitute(document.content)
            place = self._place(target, is_folder=is_folder)
            self.steps.append(Write(place + name if place.endswith("/") else place, content.encode(), mode))
        if found := [path for source in files for path in self._matching_paths(each.line, source)]:
            place = self._place(target, is_folder=is_folder or len(found) > 1)
            self.steps.append(Copy(tuple(found), place, mode, self.ignored))

    def _copy_from(self, each: Instruction, stage: str, sources: list[str], target: str) -> None:
        known = self.stages.get(stage.lower())
        if known is None and stage.partition(":")[0] != UV:
            raise self._error(each.line, f"COPY --from={stage}: there is no such stage, and no image but {UV}")
        if any(mark in source for source in sources for mark in "*?["):
            raise self._error(each.line, "COPY --from with patterns is not understood here")
        if any(option.startswith("--chmod") for option in each.options):
            raise self._error(each.line, "COPY --from with --chmod is not understood here")
        self.steps.append(CopyFrom(known or stage, tuple(f"/{source.lstrip('/')}" for source in sources), target))

    def _add(self, each: Instruction) -> None:
        if "://" in each.rest or re.search(r"\.(tar|tgz|tbz2?|txz|zip)\b|\.t?(gz|bz2|xz)\b|git@", each.rest):
            raise self._error(each.line, "ADD of addresses and archives is not understood here")
        self._copy(each)

    def _workdir(self, each: Instruction) -> None:
        self.workdir = self._absolute(self._substitute(each.rest.strip("\"'")))
        self.steps.append(MakeFolder(self.workdir))

    def _env(self, each: Instruction) -> None:
        words = shlex.split(each.rest)
        if words and "=" not in words[0]:
            words = [f"{words[0]}={each.rest.split(maxsplit=1)[1]}"] if len(words) > 1 else []
        if not words or not all("=" in word for word in words):
            raise self._error(each.line, "ENV wants NAME=VALUE")
        self.env.update({name: self._substitute(value) for name, _, value in (word.partition("=") for word in words)})

    def _arg(self, each: Instruction) -> None:
        scope = self.arguments if self.kind else self.globals
        for word in shlex.split(each.rest):
            name, equals, value = word.partition("=")
            if not equals and name not in self.globals:
                raise self._error(each.line, f"ARG {name} has no value, and none is asked for here")
            scope[name] = self._substitute(value) if equals else self.globals[name]

    def _user(self, each: Instruction) -> None:
        self.user, self.user_line = self._substitute(each.rest), each.line

    def _shell(self, each: Instruction) -> None:
        words = json.loads(each.rest)
        if not isinstance(words, list) or not words or not all(isinstance(word, str) for word in words):
            raise self._error(each.line, 'SHELL wants a list such as ["/bin/bash", "-c"]')
        self.shell = tuple(words)

    def _matching_paths(self, line: int, source: str) -> list[Path]:
        """Return the paths that *source* names in the folder, which is all that a build may see."""
        name = source.lstrip("/") or "."
        if any(mark in name for mark in "*?["):
            found = [inside(self.folder, str(path.relative_to(self.folder))) for path in sorted(self.folder.glob(name))]
        else:
            found = [path for path in [inside(self.folder, name)] if path.exists()]
        found = [path for path in found if path.is_dir() or not self.ignored(path)]
        if not found:
            raise self._error(line, f"COPY: there is no {source} in {self.folder}")
        return found

    def _place(self, target: str, *, is_folder: bool) -> str:
        place = _MERGED.sub(r"/usr/\1", self._absolute(target))
        return f"{place}/" if is_folder and place != "/" else place

    def _absolute(self, path: str) -> str:
        parts: list[str] = []
        for part in PurePosixPath(self.workdir, path).parts[1:]:
            parts = parts[:-1] if part == ".." else [*parts, part]
        return "/" + "/".join(parts)

    def _substitute(self, text: str, scope: Mapping[str, str] | None = None) -> str:
        usual = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"}
        known = {**usual, **self.arguments, **self.env} if scope is None else scope

        def value(match: re.Match[str]) -> str:
            found, sign, other = known.get(match[1] or match[2], ""), match[3], match[4]
            if sign == "+":
                return other if found else ""
            return found or other or ""

        return _VARIABLE.sub(value, text)

    def _error(self, line: int, what: str) -> BadDataError:
        return BadDataError(f"{self.path}, line {line}: {what}; {WAY_OUT}")


def _exec_form(rest: str) -> str:
    """Return the command that a list in JSON stands for; "" for any other text, which is the shell's, `[ -e x ]` too.

    Raises:
        ValueError: For a list that is broken.
    """
    if not rest.startswith("["):
        return ""
    try:
        return shlex.join(json.loads(rest))
    except ValueError:
        if rest.startswith(("[ ", "[[ ")):
            return ""
        raise


def _script(content: str) -> str:
    """Return the command that a here-document is: its lines, or a program of theirs where they name its interpreter."""
    if not content.startswith("#!"):
        return content
    end = "END"
    while end in content:
        end += "_"
    written = f"program=$(mktemp) && cat > \"$program\" <<'{end}'\n{content}{end}\n"
    return f'{written}chmod +x "$program" && "$program"; status=$?; rm -f "$program"; exit $status'
