"""Our sandboxes as designs of `timing.Design`, on the same tree as the others."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from benchmarks import file_tree
from intercode_sandbox.images import Image, find
from intercode_sandbox.images.files_layer import FilesLayer
from intercode_sandbox.sandbox import Change, Result, Sandbox, Session


def image(base: Path | None) -> Image:
    """Return the tree on top of the root file system *base* (a folder or tar; None: this machine's own programs)."""
    root = find(str(base)) if base else find("host")
    return replace(root.with_layers(FilesLayer(file_tree.files())), name="benchmark")


class Ours:
    """One session at a time, of a sandbox that several workers may share."""

    def __init__(self, sandbox: Sandbox, image: Image, name: str = "intercode, embedded") -> None:
        self._sandbox, self._image, self.name = sandbox, image, name
        self._session: Session | None = None

    @property
    def session(self) -> Session:
        """The session of the episode that is going on."""
        assert self._session is not None
        return self._session

    def reset(self) -> None:
        self._session = self._sandbox.start(self._image)

    def run(self, command: str) -> Result:
        return self.session.run(["/bin/bash", "-c", command])

    def diff(self) -> list[Change]:
        return self.session.changes()

    def close(self) -> None:
        self.session.close()
