"""Ctrl-C reaches the foreground group of a terminal: it ends what a person waits for, and no sandbox or server."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest
from pseudo_terminal import CTRL_C, PseudoTerminal
from terminal import PROGRAM

from intercode.runs import store
from intercode.worlds.sql import databases

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


def test_a_container_outlives_it(docker_url: str) -> None:
    interrupted("interrupted_session.py", "docker", f"engine={docker_url}")


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
    """Nothing that was started for it is ended, nor replaced unseen. SQLite runs here: it gives up the statement."""
    if database == "mysql" and databases.default() != "mysql":
        pytest.skip("no MySQL or MariaDB server is installed with all that it needs")
    interrupted("interrupted_episode.py", dataset, shell, database)


@pytest.mark.parametrize(
    ("dataset", "keep", "endless", "seen"),
    [
        ("starter", "echo ke''pt > /tmp/file", "sleep 60", "cat /tmp/file"),
        ("starter --shell persistent", "x=ke''pt", "while :; do sleep 60; done", "echo $x"),
        ("starter-python", "x = 'ke' 'pt'", "while True: pass", "print(x)"),
        ("starter-sql", "CREATE TABLE t AS SELECT CONCAT('ke', 'pt') AS a", "SELECT SLEEP(60)", "SELECT a FROM t"),
    ],
)
def test_while_code_runs_in_play_it_stops_that_and_keeps_the_episode(
    tmp_path: Path, dataset: str, keep: str, endless: str, seen: str
) -> None:
    command = [*PROGRAM, "play", "--dataset", *dataset.split(), "--record", str(tmp_path / "mine")]
    if dataset == "starter-sql":
        command += ["--database", "sqlite"]
    with PseudoTerminal(command, env={"INTERCODE_STATE": str(tmp_path), "CI": "", "TERM": "xterm"}) as terminal:
        for turn, line in enumerate([keep, endless], 1):
            terminal.wait_for(f"{turn}> ")
            terminal.press(f"{line}\n")
        terminal.wait_for("running, ")
        terminal.wait_for(" s (Ctrl-C stops it)")
        terminal.press(CTRL_C)
        terminal.wait_for("3> ")
        terminal.press(f"{seen}\n")
        terminal.wait_for("kept")
        terminal.wait_for("4> ")
        terminal.press("skip\n")
        status, printed = terminal.wait()
    assert status == 0, printed
    assert "skipped after 4 turns" in printed
    actions = [turn.action.text for turn in store.read(tmp_path / "mine").episodes[0].turns]
    assert actions == [keep, endless, seen, ""]


def test_at_the_prompt_of_play_it_forgets_the_line_and_nothing_else(tmp_path: Path) -> None:
    """Twice in a row it stops: a line between them makes the second a first one."""
    command = [*PROGRAM, "play", "show-port", "--record", str(tmp_path / "mine")]
    with PseudoTerminal(command, env={"INTERCODE_STATE": str(tmp_path), "CI": ""}) as terminal:
        terminal.wait_for("1> ")
        terminal.press("echo kept > /tmp/file\n")
        for turn in (2, 3):
            terminal.wait_for(f"{turn}> ")
            terminal.press("rm -r /sh")
            time.sleep(UNDER_WAY)
            terminal.press(CTRL_C)
            terminal.wait_for("(Ctrl-C once more to stop, :quit to give the task up)")
            terminal.wait_for(f"{turn}> ")
            time.sleep(UNDER_WAY)
            terminal.press("cat /tmp/file\n")
            terminal.wait_for("kept\n")
        terminal.wait_for("4> ")
        terminal.press("grep ^port /shop/config/shop.conf\n")
        terminal.wait_for("5> ")
        terminal.press("submit\n")
        status, printed = terminal.wait()
    assert status == 0, printed
    assert "submitted after 5 turns" in printed
    run = store.read(tmp_path / "mine")
    assert [turn.observation.text.strip() for turn in run.episodes[0].turns[1:3]] == ["kept", "kept"]
    assert run.episodes[0].scores is not None
