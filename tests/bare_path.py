"""A PATH that lacks some programs, for tests of what happens on a machine without them."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def path_without(*names: str) -> Iterator[Path]:
    """A folder with links to all programs of the PATH but those; not below /tmp, which sandboxes cover."""
    with tempfile.TemporaryDirectory(dir="/var/tmp") as name:
        folder = Path(name)
        folder.chmod(0o755)
        for part in dict.fromkeys(os.environ["PATH"].split(":")):
            for program in Path(part).iterdir() if Path(part).is_dir() else ():
                if program.name not in names and not (folder / program.name).is_symlink():
                    (folder / program.name).symlink_to(program)
        yield folder
