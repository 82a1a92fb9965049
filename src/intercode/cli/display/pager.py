"""What is longer than the terminal, in the pager that the user has."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from intercode.util.terminal import SafeStream, raw_stream


class _Terminal(io.StringIO):
    """Text that is kept, and drawn as for the terminal that it will be shown on."""

    def isatty(self) -> bool:
        return True


@contextmanager
def page_output(*, enabled: bool) -> Iterator[None]:
    """Keep what is printed, and show it at the end: in `$PAGER`, or `less`, where it has more lines than the terminal.

    Where standard output is no terminal, or there is no pager, it is printed at once.
    """
    argv = os.environ.get("PAGER", "less -FRX").split()
    if not (enabled and sys.stdout.isatty() and argv and shutil.which(argv[0])):
        yield
        return
    terminal, buffer = sys.stdout, _Terminal()
    sys.stdout = SafeStream(buffer)
    try:
        yield
    finally:
        sys.stdout = terminal
        _show(buffer.getvalue(), argv)


def _show(text: str, argv: list[str]) -> None:
    """*text* has been escaped, but for what draws."""
    below = raw_stream(sys.stdout)
    if text.count("\n") < shutil.get_terminal_size().lines:
        below.write(text)
        return
    subprocess.run(argv, input=text.encode("utf-8", "replace"), check=False)
