"""Write docs/reference/cli.md from the commands themselves: what `--help` says is its only source."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any

import typer.main

from intercode.cli.main import make_app
from intercode.cli.shared import commands

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "cli.md"

INTRODUCTION = """# Command line

All commands of `intercode` with their arguments and options, as `intercode COMMAND --help` prints them.
`scripts/cli_reference.py` writes this page.

An exit status of 0 means that all is well, 1 that the machine failed, 2 that the call is wrong, 3 that a budget is used
up, and 130 that Ctrl-C ended it. `hackcheck` and `certify` have others, too, which their help names.
[An `intercode.toml`](../how-to/experiments.md) can hold defaults of options.
"""


def main() -> None:
    """Write the page."""
    PAGE.write_text(make_page(), encoding="utf-8")


def make_page() -> str:
    """Return the page as Markdown."""
    parts = [INTRODUCTION]
    for name in sorted(commands.find_modules()):
        command = typer.main.get_command(make_app(name)).commands[name]  # type: ignore[attr-defined]
        parts += _describe(command, f"intercode {name}", level=2)
    return "\n".join(parts)


def _describe(command: Any, called: str, level: int) -> Iterator[str]:
    """Yield the section of a command, and those of the commands in it."""
    yield f"{'#' * level} {called}\n"
    yield f"{_help(command)}\n"
    inner = getattr(command, "commands", {})
    if not inner:
        yield from _usage(command, called)
    for name, each in inner.items():
        yield from _describe(each, f"{called} {name}", level + 1)


def _usage(command: Any, called: str) -> Iterator[str]:
    context = command.make_context(called, [], resilient_parsing=True)
    yield f"```text\n{called} {' '.join(command.collect_usage_pieces(context))}\n```\n"
    for heading, kind in (("Argument", "argument"), ("Option", "option")):
        found = [each for each in command.get_params(context) if each.param_type_name == kind and each.name != "help"]
        rows = [row for each in found if (row := _row(each, context))]
        if rows:
            yield f"| {heading} | Meaning |\n|---|---|\n" + "".join(rows)


def _row(parameter: Any, context: Any) -> str:
    """Return the line of a table; nothing for a parameter that is hidden."""
    record = parameter.get_help_record(context)
    if record is None:
        return ""
    names, meaning = record
    return f"| {_code(re.sub(' <.*>$', '', names))} | {_text(meaning)} |\n"  # not the type of Python


def _code(names: str) -> str:
    """Return *names* as code. A bar within backticks would be shown with its backslash, or end the cell."""
    return f"<code>{escape(names.strip(), quote=False).replace('|', '&#124;')}</code>"


def _help(command: Any) -> str:
    """Return a command's help; its examples as code."""
    paragraphs = inspect.cleandoc(command.help or "").replace("\b", "").split("\n\n")
    return "\n\n".join(_paragraph(each) for each in paragraphs)


def _paragraph(text: str) -> str:
    example = re.fullmatch(r"Example:\s+(intercode .*)", text, re.DOTALL)
    return f"<!-- norun -->\n```sh\n{example[1]}\n```" if example else _text(text)


def _text(text: str) -> str:
    """Return plain text as Markdown, with nothing in it that Markdown would read; what is in backticks is code."""
    parts = re.split(r"(`[^`]+`)", re.sub(r"\s+", " ", text.strip()))
    return "".join(
        _code(part[1:-1]) if part.startswith("`") else re.sub(r"([\\*_<>\[\]|#~])", r"\\\1", part) for part in parts
    )


if __name__ == "__main__":
    main()
