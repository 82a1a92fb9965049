"""A program in the foreground of a terminal of its own, where keys can be pressed: Ctrl-C reaches its whole group."""

from __future__ import annotations

import os
import pty
import select
import signal
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

CTRL_C = "\x03"
SECONDS = 90.0


class PseudoTerminal:
    """Runs *argv* as the leader of a session whose terminal we hold the other end of."""

    def __init__(self, argv: Sequence[str | Path], *, env: Mapping[str, str] | None = None) -> None:
        self._seen = ""
        self.pid, self._keyboard = pty.fork()
        if self.pid == 0:
            signal.signal(signal.SIGINT, signal.SIG_DFL)  # it may be ignored here, as in what a shell starts with `&`
            os.execvpe(str(argv[0]), [str(word) for word in argv], {**os.environ, "TERM": "dumb", **(env or {})})
        self.status: int | None = None

    def press(self, keys: str) -> None:
        """What a person types."""
        os.write(self._keyboard, keys.encode())

    def wait_for(self, text: str) -> str:
        """All that was printed up to *text*, since the last that was waited for."""
        deadline = time.monotonic() + SECONDS
        while text not in self._seen:
            if not self._read(deadline - time.monotonic()):
                raise AssertionError(f"{text!r} is not in: {self._seen}")
        before, _, self._seen = self._seen.partition(text)
        return before

    def wait(self) -> tuple[int, str]:
        """The exit status, and what else was printed."""
        deadline = time.monotonic() + SECONDS
        while self._read(deadline - time.monotonic()):
            pass
        self.status = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        return self.status, self._seen

    def _read(self, seconds: float) -> bool:
        """Take what is printed; False where nothing more comes, or not in time."""
        if not select.select([self._keyboard], [], [], max(0.0, seconds))[0]:
            return False
        try:
            printed = os.read(self._keyboard, 1 << 16)
        except OSError:  # EIO: nobody holds the other end any more
            return False
        self._seen += printed.decode("utf-8", "replace").replace("\r\n", "\n")
        return bool(printed)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.status is None:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        os.close(self._keyboard)
