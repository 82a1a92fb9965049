"""Take pictures of what commands show on terminals of several widths, to look at: build/screens/NAME-COLUMNS.png.

Each command runs in a pseudo-terminal. Tables are taken when the command has ended, a run in motion in its middle.
The distribution's Chromium draws the pictures.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path

from picture import Frame, Size, draw, record
from playwright.sync_api import Page, sync_playwright
from view_pictures import ARGUMENTS, program

FOLDER = Path(__file__).parents[1] / "build" / "screens"
ROWS = 140
NARROW_AND_WIDE = (80, 120)
SCRIPTED = "--agent scripted --agent-option script=starter_bash --image host"


@dataclass(frozen=True)
class Screen:
    """A command, with `{runs}` for the folder of runs, and the widths at which it is looked at."""

    name: str
    command: str
    widths: Sequence[int] = NARROW_AND_WIDE
    moving: bool = False


SCREENS = (
    Screen("tasks", "intercode tasks starter --limit 12"),
    Screen("tasks-sql", "intercode tasks starter-sql --limit 12"),
    Screen("report", "intercode report {runs}/golds {runs}/scripted"),
    Screen("compare", "intercode compare {runs}/golds {runs}/scripted"),
    Screen("errors", "intercode errors {runs}/scripted"),
    Screen("show", "intercode show {runs}/scripted --no-pager"),
    Screen("replay", "intercode replay {runs}/scripted"),
    Screen("hackcheck", "intercode hackcheck starter --limit 4 --image host"),
    Screen("doctor", "intercode doctor"),
    Screen(
        "run",
        f"intercode run --parallel 4 --limit 24 {SCRIPTED} --out {{runs}}/moving-{{columns}}",
        (80, 100, 160),
        moving=True,
    ),
)


def main(names: Sequence[str]) -> None:
    """Play, then take all screens, or those called *names*."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as runs, sync_playwright() as started:
        for name, agent in {"golds": "--agent oracle --image host", "scripted": SCRIPTED}.items():
            command = f".venv/bin/intercode run --limit 24 --parallel 2 {agent} --quiet --out {runs}/{name}"
            subprocess.run(command.split(), check=True, stdout=subprocess.DEVNULL)
        browser = started.chromium.launch(executable_path=program(), args=ARGUMENTS)
        page = browser.new_page()
        for screen in SCREENS:
            for columns in screen.widths if not names or screen.name in names else ():
                take(page, screen, columns, runs)
        browser.close()


def take(page: Page, screen: Screen, columns: int, runs: str) -> None:
    """Run the command on a terminal of that width, and keep the picture."""
    command = screen.command.format(runs=runs, columns=columns)
    frames = list(record(command.split(), command.replace(runs, "runs"), Size(columns, ROWS), hide=runs))
    frame = frames[len(frames) // 2 if screen.moving else -1]
    lines = frame.lines[: len(frame.lines) - len(list(takewhile(lambda line: not line, reversed(frame.lines))))]
    picture = draw([Frame(0.0, lines)], Size(columns, len(lines)))
    page.set_content(f'<body style="margin:0">{picture.replace("<svg ", "<svg width=1200 ", 1)}</body>')
    target = FOLDER / f"{screen.name}-{columns}.png"
    page.locator("svg").screenshot(path=target)
    print(target)


if __name__ == "__main__":
    main(sys.argv[1:])
