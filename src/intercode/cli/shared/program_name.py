"""How this command line is called from where the user is."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from pathlib import Path


def program_name() -> str:
    """Return `intercode`, or the path that it was called by where that is not what the shell would find."""
    called = Path(sys.argv[0])
    found = shutil.which("intercode")
    try:
        if called.name != "intercode" or (found and os.path.samefile(found, called)):
            return "intercode"
        return os.path.relpath(called)
    except OSError:  # called by a relative path, from a folder that it has left or that is gone
        return "intercode"


def quote_path(path: Path) -> str:
    """Return *path* as one types it in a shell.

    In quotes where it must be, with a `./` where it would look like a name.
    """
    return shlex.quote(str(path) if path.is_absolute() or path.parts[:1] == ("..",) else f"./{path}")
