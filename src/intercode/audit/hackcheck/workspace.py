"""Any folder, and any command that grades it, as a task: the folder is where an agent works, and the command judges.

The task is a folder in Harbor's format, so that the command runs in our sandbox over a copy of what an agent left: the
image's own system, with the folder as it is then. What the command names and lies outside that folder comes in only
when it grades.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from intercode.errors import UserError
from intercode.util.regular_files import read_text

PLACE = "/workspace"
"""Where the folder lies in the sandbox, and where agents and commands begin."""

GRADERS = "/tests/grader"
"""Where the files of the command come to lie, once an agent has ended."""

MOST_FILES, MOST_BYTES = 5_000, 256 << 20
"""What is copied of a folder."""

SECONDS = 60
"""Time limits of an agent, and of the command."""

SKIPPED = (".git", ".venv", "__pycache__", "node_modules")
"""Folders that are no part of a grader."""

STATUS, NUMBER = "status", "number"
"""How the command says what was earned: 0 as its exit status, or a number from 0 to 1 in its last line."""

MISSING = "[ $status -eq 126 ] || [ $status -eq 127 ]"
READS = {
    STATUS: 'if [ $status -eq 0 ]; then echo 1; else echo 0; fi > "$reward"',
    NUMBER: 'printf "%s\\n" "$printed" | tail -n 1 | tr -d "[:blank:]" > "$reward"',
}
FILE = """\
python3 -I - {path} > "$reward" <<'END'
import json, sys
found = json.load(open(sys.argv[1]))
names = ("reward", "score", "passed", "success", "resolved", "correct")
value = found if not isinstance(found, dict) else next(found[name] for name in names if name in found)
print(float(value))
END"""
"""Reads a file of JSON: a number, or an object with one of these names."""

SCRIPTS = {".py": "python3", ".patch": "patch -p1 -i", ".diff": "patch -p1 -i"}
"""What runs a solution, by the end of its name; others are run by bash."""


@dataclass(frozen=True, slots=True)
class GradedWorkspace:
    """A folder and what grades it.

    Attributes:
        workspace: The folder where an agent works.
        grade: The command, for a shell; it begins in the folder.
        solution: A script, or a patch, that does the work; None for none.
        request: What the agent is asked for; or a file that says it.
        reads: `status`, `number`, or the path of a JSON file that the command writes.
        same_machine: Whether the command runs over all that an agent left, its changes of the system included.
    """

    workspace: Path
    grade: str
    solution: Path | None = None
    request: str = ""
    reads: str = STATUS
    same_machine: bool = False

    def write(self, folder: Path) -> tuple[Path, tuple[Path, ...]]:
        """Write the task into *folder*.

        Returns:
            The task's folder, and the files that grade.

        Raises:
            UserError: If something that is named is not there, or is too large.
        """
        if not self.workspace.is_dir():
            raise UserError(f"--workspace {self.workspace}: there is no such folder")
        if not self.grade.strip():
            raise UserError("--grade: the command is empty")
        task = folder / (self.workspace.resolve().name or "workspace")
        copy(self.workspace, task / "environment" / "workspace")
        command, graders = self._command(task / "tests" / "grader")
        keep = "/" if self.same_machine else PLACE
        limits = f"[agent]\ntimeout_sec = {SECONDS}\n[verifier]\ntimeout_sec = {SECONDS}\n"
        texts = {
            "task.toml": f"{limits}keep = [{json.dumps(keep)}]\n",
            "instruction.md": f"{self._request()}\n",
            "environment/Dockerfile": f"FROM debian:12\nCOPY workspace {PLACE}\nWORKDIR {PLACE}\n",
            "tests/test.sh": self._script(command),
        }
        if self.solution is not None:
            texts["solution/solve.sh"] = self._solve(task / "solution")
        for name, text in texts.items():
            (task / name).parent.mkdir(parents=True, exist_ok=True)
            (task / name).write_text(text, encoding="utf-8")
        return task, tuple(graders)

    def _request(self) -> str:
        if not self.request:
            return "Do the work that is asked for here."
        path = Path(self.request) if len(self.request) < 255 and "\n" not in self.request else None
        if path is None or not path.is_file():
            return self.request
        try:
            return read_text(path).strip()
        except (OSError, ValueError) as error:
            raise UserError(f"--request {path}: it cannot be read: {error}") from error

    def _script(self, command: str) -> str:
        reads = READS.get(self.reads) or FILE.format(path=shlex.quote(self.reads))
        return (
            "#!/bin/bash\nreward=/logs/verifier/reward.txt\n"
            f"cd {PLACE}\nprinted=$(bash -c {shlex.quote(command)} 2>&1)\nstatus=$?\n"
            f'printf "%s\\n" "$printed"\nif {MISSING}; then exit; fi\n{reads}\n'
        )

    def _solve(self, folder: Path) -> str:
        assert self.solution is not None
        if not self.solution.is_file():
            raise UserError(f"--solution {self.solution}: there is no such file")
        folder.mkdir(parents=True, exist_ok=True)
        name = f"given{self.solution.suffix}"
        shutil.copyfile(self.solution, folder / name)
        return f"cd {PLACE} && {SCRIPTS.get(self.solution.suffix, '/bin/bash')} /solution/{name}\n"

    def _command(self, into: Path) -> tuple[str, list[Path]]:
        """Return the command with the places of its files in the sandbox, which are copied *into* a folder."""
        command, graders, place = self.grade, list[Path](), self.workspace.resolve()
        for number, word in enumerate(self._named()):
            real = Path(word).resolve()
            if real.is_relative_to(place):
                command = _with(command, word, f"{PLACE}/{real.relative_to(place)}")
                graders += _files(real)
                continue
            top = real if real.is_dir() else real.parent
            without = [place, *([self.solution.resolve()] if self.solution else [])]
            copy(top, into / str(number), without)
            inside = "" if real.is_dir() else f"/{real.name}"
            command = _with(command, word, f"{GRADERS}/{number}{inside}")
            graders += _files(into / str(number))
        return command, graders

    def _named(self) -> Iterator[str]:
        """Yield the files and folders that the command names, but for programs of the system; the longest first."""
        try:
            words = shlex.split(self.grade, comments=False)
        except ValueError as error:
            raise UserError(f"--grade {self.grade!r}: {error}") from error
        found = {word for word in words if os.path.exists(word) and not word.startswith(("/usr/", "/bin/", "/dev/"))}
        for word in sorted(found, key=len, reverse=True):
            # a name alone may be a program's, or one in the workspace, where the command begins
            if "/" in word or not (shutil.which(word) or (self.workspace / word).exists()):
                yield word


def _with(command: str, word: str, place: str) -> str:
    """Return *command* with *place* wherever *word* stands alone in it."""
    return re.sub(rf"(?<![\w./-]){re.escape(word)}(?![\w.-])", lambda match: place, command)


def _files(place: Path) -> list[Path]:
    found = [place] if place.is_file() else sorted(place.rglob("*"))
    return [path for path in found if path.is_file() and not path.is_symlink()]


def copy(top: Path, into: Path, without: list[Path] | None = None) -> None:
    """Copy the folder *top*, with links as links.

    Args:
        top: The folder.
        into: Where to, a folder that is not there yet.
        without: Files and folders that are left out.

    Raises:
        UserError: If it has too many files.
    """
    left, files, size = set(without or ()), 0, 0

    def skip(folder: str, names: list[str]) -> list[str]:
        nonlocal files, size
        skipped = [name for name in names if without is not None and name in SKIPPED]
        skipped += [name for name in names if Path(folder, name).resolve() in left]
        for name in set(names) - set(skipped):
            path = Path(folder, name)
            if not path.is_symlink() and not path.is_dir() and not path.is_file():
                skipped.append(name)  # a pipe would wait for ever
                continue
            files, size = files + 1, size + path.lstat().st_size
        if files > MOST_FILES or size > MOST_BYTES:
            most = f"{MOST_FILES:,} files and {MOST_BYTES >> 20} MiB"
            raise UserError(f"{top} has more than {most}: put what grades into a folder of its own")
        return skipped

    try:
        shutil.copytree(top, into, symlinks=True, ignore=skip)
    except (OSError, shutil.Error) as error:
        raise UserError(f"cannot copy {top}: {error}") from error
