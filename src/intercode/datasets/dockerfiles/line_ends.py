"""Ends of lines as DOS and Windows write them, by which scripts fail in ways that name anything but the reason."""

from __future__ import annotations

from pathlib import Path

from intercode.errors import BadDataError

DOS = "{path} has the line ends of DOS (CR LF), and no shell here runs that: sed -i 's/\\r$//' {path}"
"""How a file is refused."""

LONGEST = 1 << 16
"""Bytes of a script that are looked at."""


def refuse_dos(path: Path) -> None:
    """Refuse a script of a shell whose lines end in CR LF.

    Raises:
        BadDataError: If they do. Names the file and the way out.
    """
    with path.open("rb") as file:
        if b"\r\n" in file.read(LONGEST):
            raise BadDataError(DOS.format(path=path))
