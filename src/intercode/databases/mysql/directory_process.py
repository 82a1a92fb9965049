"""A program in a directory of its own, which goes when the program ends."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from intercode.child_process import ChildProcess
from intercode.databases.mysql.server_directory import ServerDirectory

ENVIRONMENT = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C", "TZ": "UTC"}


class DirectoryProcess(ChildProcess):
    """Runs *argv* as the owner of *directory*, and with no more rights. What it prints goes to the directory's log.

    Neither it nor the directory is left behind, however this process ends.

    Raises:
        OSError: If it cannot be started.
    """

    def __init__(self, directory: ServerDirectory, argv: Sequence[str], *, stdin: Path = Path(os.devnull)) -> None:
        self.directory = directory
        try:
            with (directory.folder / "log").open("ab") as log:
                super().__init__(
                    argv,
                    stdin=stdin,
                    stdout=log,
                    stderr=log,
                    env=ENVIRONMENT,
                    privileges=["--no-new-privs", *directory.drop],
                    cleanup=["rm", "-rf", str(directory.folder)],
                )
        except OSError:
            directory.remove()
            raise

    def close(self) -> None:
        """End it, and wait until it and its directory are gone. Closing twice is harmless."""
        super().close()
        self.directory.remove()

    def forget(self) -> None:
        """In a fork of this process: let go of it, since it belongs to the parent."""
        super().forget()
        self.directory.forget()
