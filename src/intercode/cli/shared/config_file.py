"""Defaults of options in a file: `--config FILE.toml`, else `intercode.toml` where the command is called.

[run]
model = "openai/gpt-4o-mini"
parallel = 8
"""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import typer

from intercode.errors import BadDataError, UserError
from intercode.text import did_you_mean, sentences

PROJECT_FILE = "intercode.toml"

TRUSTED_ONLY = ("i_know_this_is_unsafe", "base_url")
"""Options that run code unguarded, or send a key somewhere: a file that only happens to be here cannot give them."""


def load(context: typer.Context, path: Path | None) -> Path | None:
    """Take the defaults of the command of *context* from the file at *path*, or from the project's.

    On `--resume` a run's own settings count, so the project's file is not read. Raises BadDataError naming what is
    wrong, UserError for what only a file that is named may say.
    """
    project = Path(PROJECT_FILE)
    if path is None and ("--resume" in sys.argv or not project.is_file()):
        return None
    found = _defaults(path or project, context)
    if path is None and found:
        _refuse_untrusted(found)
        print(f"defaults from {PROJECT_FILE}: {', '.join(found)}", file=sys.stderr)
    context.default_map = found
    return path


def _defaults(path: Path, context: typer.Context) -> dict[str, Any]:
    try:
        read = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise BadDataError(f"cannot read {path}: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise BadDataError(f"cannot read {path}: {error}") from error
    command = str(context.info_name)
    table = read.get(command, {})
    if not isinstance(table, Mapping) or not all(isinstance(each, Mapping) for each in read.values()):
        raise BadDataError(f"{path}: options stand in a table with a command's name, such as [run]")
    known = {str(each.name) for each in context.command.params} - {"config", "help"}
    found = {name.replace("-", "_"): value for name, value in table.items()}
    for name in found.keys() - known:
        raise BadDataError(sentences(f"{path}: {command} has no option called {name!r}", did_you_mean(name, known)))
    return {name: _as_typed(value) for name, value in found.items()}


def _as_typed(value: Any) -> Any:
    """*value* as the command line has it: a table is a list of NAME=VALUE."""
    if isinstance(value, Mapping):
        return [f"{name}={_text(each)}" for name, each in value.items()]
    return [_text(each) for each in value] if isinstance(value, list) else value


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _refuse_untrusted(found: Mapping[str, Any]) -> None:
    for name, value in found.items():
        texts = value if isinstance(value, list) else [value]
        is_code = any(str(each).endswith(".py") or "key_env=" in str(each) for each in texts)
        if name in TRUSTED_ONLY or is_code:
            option = f"--{name.replace('_', '-')}"
            raise UserError(
                f"{PROJECT_FILE} gives {option}, which may run code or send a key elsewhere: "
                f"say that you trust the file with --config {PROJECT_FILE}"
            )
