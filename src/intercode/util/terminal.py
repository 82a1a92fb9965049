"""Text on a terminal: what a sandbox, a model, a data set or a stored run holds must not steer it.

`SafeStream` is the one place through which the program's text goes: `protect` puts it before standard output and
standard error. What draws colours and moves the cursor itself (`cli/display/console.py`) writes to the stream below,
and escapes each piece of text on the way.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any, TextIO, cast

_PICTURES = {code: 0x2400 + code for code in range(32) if chr(code) not in "\n\t"} | {0x7F: 0x2421}
"""Control characters, and the pictures that stand for them: a terminal obeys the former."""

_NO_PICTURE = (
    *range(0x80, 0xA0),  # control characters with the eighth bit: U+009B begins a command as Escape and `[` do
    *range(0x202A, 0x202F),  # these and the next turn the direction of writing, so that a line reads otherwise
    *range(0x2066, 0x206A),
)

_TABLE = _PICTURES | dict.fromkeys(_NO_PICTURE, 0xFFFD)


def escape_control_characters(text: str) -> str:
    """Return *text* as a terminal may have it, whatever it holds."""
    if text.isascii() and text.isprintable():
        return text
    return text.translate(_TABLE).encode("utf-8", "replace").decode()


class SafeStream:
    """A text stream that writes everything as `visible` has it; all else is the stream's below."""

    def __init__(self, stream: TextIO) -> None:
        self.below = stream

    def write(self, text: str) -> int:
        """Write *text*, escaped. Returns how much of it was written: all."""
        self.below.write(escape_control_characters(text))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        """Write *lines*, each escaped."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.below, name)


def protect() -> None:
    """Have everything that this process prints from here on escaped. Doing it twice is harmless."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is not None and not isinstance(stream, SafeStream):
            setattr(sys, name, SafeStream(stream))


def raw_stream(stream: TextIO) -> TextIO:
    """Return the stream below *stream*, for who escapes text itself; *stream* where there is none below."""
    return stream.below if isinstance(cast(object, stream), SafeStream) else stream  # type: ignore[attr-defined]
