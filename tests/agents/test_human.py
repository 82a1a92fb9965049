"""The human agent, at a real terminal (a pseudo-terminal, keys typed into it)."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

from intercode.agents.human import HumanAgent
from intercode.types import Observation
from intercode_sandbox.util.polling import readable

SITTING = """
import fcntl
import signal
import sys
import termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever started the tests may ignore it, as `&` does
from intercode.agents.human import HumanAgent
from intercode.errors import InterruptedRunError
from intercode.types import Observation, TaskView
agent = HumanAgent(history=sys.argv[1])
agent.reset(TaskView("toy/1", "Say hi.", sys.argv[2], difficulty="easy"), seed=0)
try:
    print(f"GOT {agent.act(Observation('Say hi to /shop/orders'), 0.0)}")  # in one piece, beside what is typed ahead
    print(f"GOT {agent.act(Observation(chr(10), exit_code=3, timed_out=True), 0.5)}")
except InterruptedRunError as stopped:
    print("STOPPED", stopped)
print("THE END")
"""


PROMPT = r"\d> |… "


class Terminal:
    """A sitting at a terminal: `keys` types, `until` reads what is on the screen."""

    def __init__(self, history: Path, world: str = "bash") -> None:
        self._master, slave = pty.openpty()
        command = [sys.executable, "-c", SITTING, str(history), world]
        environment = os.environ | {"TERM": "dumb"}
        self._process = subprocess.Popen(
            command, stdin=slave, stdout=slave, stderr=slave, start_new_session=True, env=environment
        )
        os.close(slave)

    def keys(self, text: str) -> None:
        os.write(self._master, text.encode())

    def until(self, text: str) -> str:
        """What comes on the screen until *text*, a pattern, is seen."""
        screen = b""
        while not re.search(text, screen.decode(errors="replace")):
            ready = readable(self._master, 30)
            assert ready, f"nothing more came after {screen!r}"
            screen += os.read(self._master, 4096)
        return screen.decode()

    def close(self) -> None:
        os.close(self._master)
        self._process.wait(20)


def sit(history: Path, *keys: str, world: str = "bash") -> str:
    """Type each of *keys* at a prompt, and give back the screen."""
    terminal = Terminal(history, world)
    screen = terminal.until(PROMPT)
    for text in keys:
        if "\x03" in text:  # Python's readline misses a signal between showing the prompt and waiting for a key
            time.sleep(0.5)
        terminal.keys(text)
        screen += terminal.until(f"{PROMPT}|THE END")
    terminal.close()
    return screen


@pytest.fixture
def history(tmp_path: Path) -> Path:
    return tmp_path / "folder" / "history"


def test_the_task_its_query_and_the_way_out_are_shown(history: Path) -> None:
    screen = sit(history, ":quit\r", ":quit\r")
    assert "toy/1 (easy)" in screen
    assert ":quit to leave" in screen
    assert "Say hi to" in screen


def test_a_request_that_is_wider_than_the_terminal_is_wrapped_between_words(
    history: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "14")
    assert "Say hi to\r\n/shop/orders\r\n" in sit(history, ":quit\r", ":quit\r")


def test_typed_lines_are_actions_and_results_are_shown(history: Path) -> None:
    screen = sit(history, "echo 'a  b'\r", "submit\r")
    assert "GOT echo 'a  b'" in screen
    assert "[timed out, exit 3, reward 0.50]" in screen
    assert "GOT submit" in screen


def test_words_for_the_prompt_that_there_are_not_are_told_and_are_no_actions(history: Path) -> None:
    screen = sit(history, ":hlep\r", ": > empty\r", ":quit\r")
    assert "there is no :hlep here: :help lists what there is. Did you mean ':help'?" in screen
    assert "GOT : > empty" in screen
    assert "GOT skip" in screen


def test_tab_completes_the_words_for_the_prompt(history: Path) -> None:
    screen = sit(history, ":q\t\r", ":quit\r")
    assert "GOT skip" in screen


def test_tab_completes_what_was_shown_and_indents_where_nothing_stands(history: Path) -> None:
    screen = sit(history, "cat /shop/or\t.csv\r", "\techo b\r")
    assert "GOT cat /shop/orders.csv\r" in screen
    assert "GOT echo b" in screen


def test_a_backslash_goes_on_in_the_next_line_as_in_bash(history: Path) -> None:
    screen = sit(history, "echo a \\\r", "b\r", "submit\r").replace("\r\n", "\n")
    assert "GOT echo a \\\nb\n" in screen


def test_in_other_worlds_the_backslash_only_joins_lines(history: Path) -> None:
    screen = sit(history, "SELECT 1,\\\r", "2\r", "submit\r", world="sql").replace("\r\n", "\n")
    assert "GOT SELECT 1,\n2\n" in screen


@pytest.mark.parametrize(
    "lines",
    [
        ["def f(n):", "    return n", ""],
        ["if f(1):", "    x = 1", "else:", "    x = 2", ""],
        ["x = [1,", "2]"],
        ["import sys\\", "for line in sys.stdin:", "    print(line)", ""],
        ["def f(n): return n"],
        ["1 +"],
    ],
)
def test_in_python_a_block_goes_on_up_to_an_empty_line(history: Path, lines: list[str]) -> None:
    screen = sit(history, *(f"{line}\r" for line in lines), "submit f\r", world="python").replace("\r\n", "\n")
    expected = "\n".join(line.removesuffix("\\") for line in lines).strip()
    assert f"GOT {expected}\n" in screen
    assert "GOT submit f" in screen


def test_help_and_empty_lines_cost_no_turn(history: Path) -> None:
    screen = sit(history, "\r", ":help\r", "ls\r", "submit\r")
    assert "the episode ends and is judged" in screen
    assert "GOT ls" in screen


def test_quit_and_ctrl_d_give_up(history: Path) -> None:
    assert sit(history, ":quit\r", "\x04").count("GOT skip") == 2


def test_ctrl_c_forgets_the_line_and_twice_stops(history: Path) -> None:
    screen = sit(history, "rm -rf \x03", "ls\r", "\x03", "\x03")
    assert "GOT ls" in screen
    assert "STOPPED stopped at the keyboard" in screen


def test_lines_of_earlier_sittings_are_recalled_with_the_arrow_up(history: Path) -> None:
    sit(history, "echo remembered\r", "submit\r")
    assert "echo remembered" in history.read_text()
    assert "GOT echo remembered" in sit(history, "\x1b[A\x1b[A\r", "submit\r")
    assert history.stat().st_mode & 0o077 == 0


class Silent(HumanAgent):
    """Hands in at once."""

    ask = staticmethod(lambda prompt: "submit")


def test_what_is_observed_does_not_steer_the_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Titles, colours and commands of the other kind (U+009B), and half of a character."""
    agent = Silent(history=str(tmp_path / "history"))
    agent.act(Observation("\x1b]0;title\a\x9b31mred \ud800\tend\n"), 0.0)
    assert capsys.readouterr().out == "␛]0;title␇\ufffd31mred ?\tend\n"
