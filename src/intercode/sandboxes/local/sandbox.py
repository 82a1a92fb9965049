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
from collections.abc import Mapping, Sequence
from functools import partial
from secrets import token_hex
from typing import ClassVar

from intercode.errors import UnsafeError
from intercode.sandboxes.base import Limits
from intercode.sandboxes.core.rooted_paths import open_in, root_descriptor
from intercode.sandboxes.host.folder_sandbox import FolderSandbox
from intercode.sandboxes.host.process import HostProcess, kill_all, start_with_pipes
from intercode.sandboxes.host.session import FolderSession
from intercode.sandboxes.images import Image
from intercode.sandboxes.local.process_marker import child_marker, marked_processes

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
    first_layer: ClassVar[int] = 1

    def __init__(self, *, i_know_this_is_unsafe: bool = False) -> None:
        if not i_know_this_is_unsafe:
            raise UnsafeError(UNSAFE)
        super().__init__()

    def make_session(self, image: Image, limits: Limits) -> LocalSession:
        """See `FolderSandbox.make_session`."""
        return LocalSession(image, limits)


class LocalSession(FolderSession):
    """A temporary folder and what runs in it."""

    def __init__(self, image: Image, limits: Limits) -> None:
        super().__init__(image, limits)
        self.root = str(self.folder)
        self._name = f"intercode-{token_hex(8)}"
        self._numbers = itertools.count()

    def exec(self, argv: Sequence[str], *, cwd: str, env: Mapping[str, str], separate: bool) -> HostProcess:
        """See `HostSession.exec`."""
        name = f"{self._name}-{next(self._numbers)}-"
        with root_descriptor(self.folder) as root:
            folder = open_in(root, cwd, os.O_PATH | os.O_DIRECTORY)
        try:
            with child_marker(name) as marker:
                here = f"/proc/self/fd/{folder}"
                popen = start_with_pipes(argv, env=env, cwd=here, separate=separate, pass_fds=[marker])
        finally:
            os.close(folder)
        return HostProcess(popen, partial(kill_all, partial(marked_processes, name)))

    def processes(self) -> list[int]:
        """See `HostSession.processes`."""
        return marked_processes(self._name)
