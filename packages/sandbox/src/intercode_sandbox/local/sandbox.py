"""Commands run on this machine, unguarded. For trying things out where nothing better can be had.

It does NOT guard: the file system (an absolute path is this machine's own), the network, other processes, users,
memory, the number of processes, disk space. Only time and output are limited. A session is a temporary folder with
the image's upper layers in it; commands start there, and only what is below it is seen by `changes`, `read`, `write`
and `snapshot`. The lowest layer of an image is not used: the machine's own programs stand in for it. What a command
leaves running is found again by a descriptor that it inherited (see `process_marker.py`): a program that closes all of
its descriptors outlives the session.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from secrets import token_hex
from subprocess import PIPE, Popen
from typing import ClassVar

from intercode_sandbox.embedded.user_namespace import HELPER
from intercode_sandbox.errors import UnsafeError
from intercode_sandbox.host.folder_sandbox import FolderSandbox
from intercode_sandbox.host.process import HostProcess, kill_all, start_with_pipes
from intercode_sandbox.host.session import FolderSession
from intercode_sandbox.host.terminal import HostTerminal
from intercode_sandbox.images import Image
from intercode_sandbox.local.process_marker import child_marker, marked_processes
from intercode_sandbox.sandbox import Limits
from intercode_sandbox.util.rooted_paths import open_in, root_descriptor
from intercode_sandbox.util.terminal import OuterTerminal

UNSAFE = (
    "the local sandbox guards nothing: commands run on this machine as you. "
    "Say --i-know-this-is-unsafe (in Python: LocalSandbox(i_know_this_is_unsafe=True)) if that is what you want, "
    "or use the embedded sandbox"
)


class LocalSandbox(FolderSandbox):
    """Runs code unguarded (see the top of this file).

    Raises:
        UnsafeError: Unless told that this is known.
    """

    isolated = False
    gives_network = True
    gives_terminal = True
    first_layer: ClassVar[int] = 1

    def __init__(self, *, i_know_this_is_unsafe: bool = False) -> None:
        if not i_know_this_is_unsafe:
            raise UnsafeError(UNSAFE)
        super().__init__()

    def make_session(self, image: Image, limits: Limits) -> LocalSession:
        return LocalSession(image, limits)


class LocalSession(FolderSession):
    """A temporary folder and what runs in it."""

    def __init__(self, image: Image, limits: Limits) -> None:
        super().__init__(image, limits)
        self.root = str(self.folder)
        self._name = f"intercode-{token_hex(8)}"
        self._numbers = itertools.count()

    def exec(self, argv: Sequence[str], *, cwd: str, env: Mapping[str, str], separate: bool) -> HostProcess:
        place, answer = os.pipe()
        try:
            followed = [str(HELPER), "follow", str(answer), *argv] if HELPER.exists() else argv
            popen, stop = self._start_marked(followed, cwd, env, separate=separate, pass_fds=[answer])
        except BaseException:
            os.close(place)
            raise
        finally:
            os.close(answer)
        return HostProcess(popen, stop, place=place)

    def open_terminal(
        self, argv: Sequence[str], *, cwd: str = "/", env: Mapping[str, str] | None = None
    ) -> HostTerminal:
        self._check_open()
        env = self.environment(env)
        terminal = OuterTerminal(os.open("/dev/ptmx", os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC))
        try:
            argv = [str(HELPER), "terminal", *argv]
            popen, stop = self._start_marked(argv, cwd, env, stdin=terminal.inner)
        except BaseException:
            terminal.close()
            raise
        finally:
            os.close(terminal.inner)
        process = HostTerminal(popen, stop, terminal, self.path_of)
        self._opened.append(process)
        return process

    def _start_marked(
        self, argv: Sequence[str], cwd: str, env: Mapping[str, str], *, separate: bool = False,
        pass_fds: Sequence[int] = (), stdin: int = PIPE,
    ) -> tuple[Popen[bytes], Callable[[], None]]:  # fmt: skip
        """Start *argv*; with it comes what kills all that it has started."""
        name = f"{self._name}-{next(self._numbers)}-"
        with root_descriptor(self.folder) as root:
            folder = open_in(root, cwd, os.O_PATH | os.O_DIRECTORY)
        try:
            with child_marker(name) as marker:
                here = f"/proc/self/fd/{folder}"
                popen = start_with_pipes(
                    argv, env=env, cwd=here, separate=separate, pass_fds=[marker, *pass_fds], stdin=stdin
                )
        finally:
            os.close(folder)
        return popen, partial(kill_all, partial(marked_processes, name))

    def processes(self) -> list[int]:
        return marked_processes(self._name)
