"""Make docs/pictures/run.svg: a moving picture of a real run, as its terminal shows it.

The command runs in a pseudo-terminal. Each change of its screen is a frame. The picture plays the frames in the time
that they took (waits are cut short) and starts again. It begins with the last frame, so that it is full at once; a
viewer without animation shows that one, too. The picture fetches nothing.
"""

from __future__ import annotations

import os
import pty
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from html import escape
from itertools import groupby
from pathlib import Path

import pyte
from pyte.screens import Char

PICTURE = Path(__file__).parents[1] / "docs" / "pictures" / "run.svg"
COMMAND = "intercode run --parallel 6 --agent scripted --agent-option script=starter_bash --image debian"
COLUMNS, ROWS = 104, 15
PAUSE = 0.15
"""Seconds between two frames at least."""

IDLE = 1.0
"""Seconds after which a screen on which nothing happens is cut short."""

HOLD = 6.0
"""Seconds that the last frame stays."""

FINDINGS = 4
"""The exit status of a command that did its work and has found something."""

CHARACTER, LINE, MARGIN, BAR = 8.4, 18, 16, 34
"""Pixels: width of a character, height of a line, space around them, and the window's title bar."""

COLORS = {
    "default": "#d4d7dd", "black": "#5c6370", "red": "#ef6b73", "green": "#8cc265", "brown": "#e5c07b",
    "blue": "#61afef", "magenta": "#c678dd", "cyan": "#56b6c2", "white": "#ffffff",
}  # fmt: skip
STYLE = (
    "text{font:14px 'Fira Code','DejaVu Sans Mono',Menlo,Consolas,monospace;white-space:pre;fill:#d4d7dd}"
    ".b{font-weight:bold}" + "".join(f".{name}{{fill:{color}}}" for name, color in COLORS.items() if name != "default")
)


@dataclass(frozen=True)
class Frame:
    """What the screen showed from *start* on, in seconds: SVG text, a line each."""

    start: float
    lines: tuple[str, ...]


@dataclass(frozen=True)
class Size:
    """Of a terminal, in characters."""

    columns: int
    rows: int


def main() -> None:
    """Run, record, draw."""
    size = Size(COLUMNS, ROWS)
    with tempfile.TemporaryDirectory() as folder:
        frames = list(record([*COMMAND.split(), "--out", f"{folder}/run"], COMMAND, size, hide=folder))
    PICTURE.write_text(draw(frames, size), encoding="utf-8")
    print(f"{PICTURE}: {len(frames)} frames, {PICTURE.stat().st_size // 1000} kB")


def record(command: list[str], title: str, size: Size, hide: str) -> Iterator[Frame]:
    """Run *command*, shown as *title*; a frame for each state of its screen, in which the path *hide* is `runs`.

    States that show the command alone are left out.
    """
    screen = pyte.Screen(size.columns, size.rows)
    stream = pyte.ByteStream(screen)
    stream.feed(f"\x1b[1m$ {title}\x1b[0m\r\n".encode())
    clock, last = 0.0, time.monotonic()
    for output in _run(command, size):
        stream.feed(output.replace(hide.encode(), b"runs"))
        waited = time.monotonic() - last
        if waited >= PAUSE and any((lines := _lines(screen))[1:]):
            clock, last = clock + min(waited, IDLE), last + waited
            yield Frame(clock, lines)
    yield Frame(clock + PAUSE, _lines(screen))


def _run(command: list[str], terminal_size: Size) -> Iterator[bytes]:
    """Yield what *command* writes to a terminal of this size."""
    process, terminal = pty.fork()
    if process == 0:
        path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        size = {"COLUMNS": str(terminal_size.columns), "LINES": str(terminal_size.rows)}
        os.execvpe(command[0], command, os.environ | size | {"PATH": path, "TERM": "xterm", "NO_COLOR": "", "CI": ""})
    try:
        while output := os.read(terminal, 1 << 16):
            yield output
    except OSError:  # EIO: the program has ended
        pass
    status = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    if status not in (0, FINDINGS):
        raise SystemExit(f"{' '.join(command)} ended with status {status}")


def _lines(screen: pyte.Screen) -> tuple[str, ...]:
    columns, rows = range(screen.columns), range(screen.lines)
    return tuple(_line([screen.buffer[row][column] for column in columns]) for row in rows)


def _line(characters: list[Char]) -> str:
    """Return one line as SVG: a `tspan` for each run of one style, placed by its column."""
    spans, column = [], 0
    for (color, bold), group in groupby(characters, key=lambda character: (character.fg, character.bold)):
        text = "".join(character.data for character in group)
        if text.strip():
            names = " ".join(name for name in (color.removeprefix("bright"), "b" * bold) if name not in ("", "default"))
            attribute = f' class="{names}"' if names else ""
            spans.append(f'<tspan x="{MARGIN + column * CHARACTER:.0f}"{attribute}>{escape(text.rstrip())}</tspan>')
        column += len(text)
    return "".join(spans)


def draw(frames: list[Frame], size: Size) -> str:
    """Return the picture: every line is defined once, and a frame shows those that it has. The last one comes first."""
    known = {
        line: f"l{number}" for number, line in enumerate(dict.fromkeys(x for frame in frames for x in frame.lines))
    }
    total = frames[-1].start + HOLD
    ordered = [replace(frames[-1], start=0.0), *(replace(each, start=HOLD + each.start) for each in frames[:-1])]
    ends = [frame.start for frame in ordered[1:]] + [total]
    groups = [_group(frame, end, total, known) for frame, end in zip(ordered, ends, strict=True)]
    width, height = round(2 * MARGIN + size.columns * CHARACTER), BAR + size.rows * LINE + MARGIN
    lights = "".join(
        f'<circle cx="{20 + 20 * place}" cy="17" r="6" fill="{color}"/>'
        for place, color in enumerate(("#ff5f57", "#febc2e", "#28c840"))
    )
    definitions = "".join(f'<text id="{name}">{line}</text>' for line, name in known.items() if line)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" '
        f'aria-label="A run of intercode"><style>{STYLE}</style><defs>{definitions}</defs>'
        f'<rect width="{width}" height="{height}" rx="8" fill="#1f232b"/>{lights}{"".join(groups)}</svg>\n'
    )


def _group(frame: Frame, end: float, total: float, known: dict[str, str]) -> str:
    uses = "".join(
        f'<use href="#{known[line]}" y="{BAR + (row + 1) * LINE}"/>' for row, line in enumerate(frame.lines) if line
    )
    if end == total:
        values, times = "none;inline", f"0;{frame.start / total:.4f}"
    elif frame.start == 0:
        values, times = "inline;none", f"0;{end / total:.4f}"
    else:
        values, times = "none;inline;none", f"0;{frame.start / total:.4f};{end / total:.4f}"
    animation = (
        f'<animate attributeName="display" calcMode="discrete" repeatCount="indefinite" '
        f'dur="{total:.1f}s" values="{values}" keyTimes="{times}"/>'
    )
    return f'<g display="{"inline" if frame.start == 0 else "none"}">{animation}{uses}</g>'


if __name__ == "__main__":
    main()
