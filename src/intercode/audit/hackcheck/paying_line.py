"""Which line of a reward's file has returned a score: watched while an episode is judged."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from linecache import getline
from os.path import realpath
from pathlib import Path
from types import FrameType
from typing import Any


@dataclass
class PayingLine:
    """The last line of *file* that returned anything; 0 where none did."""

    file: Path | None
    line: int = 0

    @cached_property
    def _real(self) -> str:
        return realpath(self.file) if self.file else ""

    @property
    def text(self) -> str:
        """Return the file's name, the line's number, and the line; "" where nothing was seen."""
        if not self.line or self.file is None:
            return ""
        return f"{self.file.name}, line {self.line}: {getline(str(self.file), self.line).strip()}"

    def _on_call(self, frame: FrameType, event: str, argument: Any) -> Any:
        return self._on_line if realpath(frame.f_code.co_filename) == self._real else None

    def _on_line(self, frame: FrameType, event: str, argument: Any) -> Any:
        if event == "return":
            self.line = frame.f_lineno
        return self._on_line


@contextmanager
def watch(file: Path | None) -> Iterator[PayingLine]:
    """Watch the functions of *file* in this thread. Nothing is watched where a debugger or a coverage tool already is.

    Args:
        file: The reward's file; None for none.
    """
    found = PayingLine(file)
    if file is None or sys.gettrace() is not None:
        yield found
        return
    sys.settrace(found._on_call)
    try:
        yield found
    finally:
        sys.settrace(None)
