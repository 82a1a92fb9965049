"""The page of all commands says what their help says."""

from __future__ import annotations

import runpy
from pathlib import Path

from intercode.cli.shared import commands

SCRIPT = runpy.run_path(str(Path(__file__).parents[2] / "scripts/cli_reference.py"))
PAGE = SCRIPT["PAGE"].read_text()


def test_the_page_is_what_the_commands_say() -> None:
    assert SCRIPT["make_page"]() == PAGE, "write it anew: .venv/bin/python scripts/cli_reference.py"


def test_each_command_has_a_section_and_its_options_a_line() -> None:
    for name in commands.find_modules():
        assert f"\n## intercode {name}\n" in PAGE
    assert "\n### intercode data get\n" in PAGE
    assert "\n| <code>--accept-changed-image</code> | " in PAGE


def test_what_is_hidden_is_not_shown_and_bars_do_not_end_a_cell() -> None:
    assert "| <code>--format table&#124;markdown&#124;latex&#124;csv&#124;json</code> | " in PAGE
    assert "--help" not in PAGE.partition("\n## ")[2]
