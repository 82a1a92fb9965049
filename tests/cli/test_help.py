"""The help texts: what they say of each command fits a terminal, and each option says what it does."""

from __future__ import annotations

from pathlib import Path

import pytest
from terminal import in_process

from intercode.cli import main

COMMANDS = sorted(file.stem for file in Path(main.__file__).parent.glob("[a-z]*.py") if file.stem != "main")
GROUPS = ("data", "images")


@pytest.mark.parametrize("words", [(), *((group,) for group in GROUPS)], ids=" ".join)
def test_no_line_of_a_list_of_commands_is_cut(words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    status, out, _ = in_process(*words, "--help")
    commands = out.partition("Commands:\n")[2].partition("\n\n")[0].splitlines()
    assert status == 0
    assert len(commands) >= (4 if words else len(COMMANDS))
    assert [line for line in commands if line.endswith(("...", "…")) or len(line) > 80] == []


@pytest.mark.parametrize("columns", [80, 120])
@pytest.mark.parametrize("command", COMMANDS)
def test_help_fills_the_terminal_and_no_more(command: str, columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    status, out, _ = in_process(command, "--help")
    assert status == 0
    widest = max(map(len, out.splitlines()))
    assert widest <= columns
    if columns > 80 and command not in GROUPS:
        assert widest > 80
