"""The command `docker` or `podman`: each question to an engine is a program that runs for a moment.

Its arguments are a list, which no shell on this side reads.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from intercode_sandbox.engine.errors import failure
from intercode_sandbox.errors import SandboxError
from intercode_sandbox.util.operating_system import system_name

PROGRAMS = ("docker", "podman")
MISSING = (
    "containers need the command `docker` or `podman`, and there is none: install Docker Desktop or Podman, or use a "
    "Linux machine by `intercode serve`"
)
DETACHED: Mapping[str, Any] = {
    "start_new_session": True,
    "creationflags": getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),  # of Windows
}
"""Options of `Popen` that keep a program out of reach of a Ctrl-C at our terminal."""


def find_programs() -> list[str]:
    """Return those of `PROGRAMS` that are there, in that order.

    On Windows a batch file of that name is passed over: its arguments would reach the command interpreter.

    Raises:
        SandboxError: If none is.
    """
    ending = ".exe" if system_name() == "Windows" else ""
    found = [path for program in PROGRAMS if (path := shutil.which(f"{program}{ending}"))]
    if not found:
        raise SandboxError(MISSING)
    return found


class Command:
    """How an engine is spoken to. All of it raises SandboxError.

    Args:
        url: An engine that is not the one to which the command speaks anyway.
        program: The command, where it is not the first that is there.
    """

    def __init__(self, url: str = "", program: str = "") -> None:
        self.url, self.program = url, program or find_programs()[0]
        is_podman = "podman" in Path(self.program).name
        self.command = [self.program, *([] if not url else ["--url", url] if is_podman else ["--host", url])]

    def start(self, *arguments: str, stdin: int = subprocess.DEVNULL) -> subprocess.Popen[bytes]:
        """Start one of its commands with pipes to it, out of reach of a Ctrl-C at our terminal."""
        pipe = subprocess.PIPE
        command = [*self.command, *arguments]
        return subprocess.Popen(command, stdin=stdin, stdout=pipe, stderr=pipe, **DETACHED)

    def try_call(self, *arguments: str, blocks: Iterable[bytes] = ()) -> tuple[int, bytes, str]:
        """Run one of its commands, fed with *blocks*: exit status, output, errors."""
        with self.start(*arguments, stdin=subprocess.PIPE) as popen:
            assert popen.stdin is not None
            for block in blocks:  # what goes wrong in making them is the caller's to know
                try:
                    popen.stdin.write(block)
                except OSError:  # it has ended: the status tells why
                    break
            output, errors = popen.communicate()
        return popen.returncode, output, errors.decode("utf-8", "replace").strip()

    def call(self, what: str, *arguments: str, blocks: Iterable[bytes] = ()) -> bytes:
        """Run one of its commands and return its output.

        Raises:
            SandboxError: If it fails; the message says *what* was going on.
        """
        status, output, errors = self.try_call(*arguments, blocks=blocks)
        if status:
            raise failure(what, errors)
        return output

    def version(self) -> str:
        """Return what answers, in words.

        Raises:
            SandboxError: If nothing does.
        """
        said = self.call("looking for a container engine", "version", "--format", "{{.Server.Version}}")
        return f"{Path(self.program).stem} {last_line(said)}"


def last_line(output: bytes) -> str:
    """Return the last line of what a command printed: others may be warnings."""
    return output.decode("utf-8", "replace").strip().rpartition("\n")[2]
