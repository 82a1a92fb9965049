"""The floor: commands run by `bash -c` on the host without any sandbox, in a folder in memory. It guards nothing."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path

from benchmarks import file_tree

MEMORY = Path("/dev/shm")


class BareBash:
    """A design of `timing.Design`: a reset writes the tree anew, a diff compares names; `run` is the floor."""

    name = "bare bash"

    def __init__(self) -> None:
        self.folder: Path | None = None

    def reset(self) -> None:
        self.close()
        self.folder = Path(tempfile.mkdtemp(prefix="intercode-bench-", dir=MEMORY if MEMORY.is_dir() else None))
        for path, content in file_tree.files().items():
            place = self.folder / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content)

    def run(self, command: str) -> bytes:
        """Return the merged output of *command*, in which the tree's place is that of the temporary folder."""
        argv, pipe = self.argv(self.here(command)), subprocess.PIPE
        return subprocess.run(argv, stdin=subprocess.DEVNULL, stdout=pipe, stderr=subprocess.STDOUT, cwd="/").stdout

    def here(self, command: str) -> str:
        """Return *command* with the tree where it lies on the host."""
        return command.replace(file_tree.ROOT, f"{self.folder}{file_tree.ROOT}")

    def argv(self, command: str) -> list[str]:
        """Return what runs *command*."""
        return ["bash", "-c", command]

    def diff(self) -> list[str]:
        """Paths that are new or gone."""
        if self.folder is None:
            return []
        here = {str(path.relative_to(self.folder)) for path in self.folder.rglob("*") if path.is_file()}
        return sorted(here ^ file_tree.files().keys())

    def close(self) -> None:
        if self.folder is not None:
            shutil.rmtree(self.folder)
            self.folder = None
