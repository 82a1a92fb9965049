"""Ctrl-C reaches the foreground group of a terminal: it ends what a person waits for, and no sandbox or server."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest
from pseudo_terminal import CTRL_C, PseudoTerminal

from intercode import databases

HERE = Path(__file__).parent

UNDER_WAY = 0.5
"""Seconds after which what is to be interrupted has surely begun."""


def interrupted(program: str, *arguments: str, env: dict[str, str] | None = None) -> None:
    """Run *program*, which waits for Ctrl-C twice, to its end."""
    with PseudoTerminal([sys.executable, HERE / program, *arguments], env=env) as terminal:
        for _ in range(2):
            terminal.wait_for("press")
            time.sleep(UNDER_WAY)
            terminal.press(CTRL_C)
            terminal.wait_for("interrupted")
        status, printed = terminal.wait()
    assert (status, printed.strip()) == (0, "all is well")


@pytest.mark.parametrize("sandbox", ["embedded", "local"])
def test_a_session_outlives_it(sandbox: str) -> None:
    interrupted("interrupted_session.py", sandbox)


@pytest.mark.parametrize(
    ("dataset", "shell", "database"),
    [
        ("starter", "fresh", ""),
        ("starter", "persistent", ""),
        ("starter-python", "fresh", ""),
        ("starter-ctf", "fresh", ""),
        ("starter-swe", "fresh", ""),
        ("starter-sql", "fresh", "sqlite"),
        ("starter-sql", "fresh", "mysql"),
    ],
)
def test_an_episode_outlives_it(dataset: str, shell: str, database: str) -> None:
    if database == "mysql" and databases.default() != "mysql":
        pytest.skip("no MySQL or MariaDB server is installed with all that it needs")
    interrupted("interrupted_episode.py", dataset, shell, database)
