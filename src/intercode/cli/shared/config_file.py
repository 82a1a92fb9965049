"""Defaults of options in a file: `--config FILE.toml`, else `intercode.toml` where the command is called.

[run]
model = "openai/gpt-4o-mini"
parallel = 8
"""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Callable, Mapping
from functools import wraps
from inspect import Parameter, signature
from pathlib import Path
from typing import Annotated, Any

import typer

from intercode.errors import BadDataError, UserError
from intercode.text import did_you_mean, sentences

PROJECT_FILE = "intercode.toml"

TRUSTED_ONLY = ("i_know_this_is_unsafe", "base_url", "ray", "host", "token_file", "repository", "public")
"""Options that run code unguarded, send a key somewhere, or let others in: a file that only happens to be here cannot
give them."""

WITHOUT_DEFAULTS = ("doctor",)
"""Commands that work without their defaults where the project's file is broken: they are what one asks then."""

LONGEST = 1000
"""Characters of what may be a path."""

WRITTEN = ("out", "record", "export", "package", "folder")
"""What is written: by a file that only happens to be here, below this directory only."""


def on_command(command: Callable[..., None]) -> Callable[..., None]:
    """*command* with the option `--config`, which every command has."""
    known = signature(command, eval_str=True)
    parameters = [
        *known.parameters.values(),
        Parameter("config", Parameter.KEYWORD_ONLY, default=None, annotation=Config),
    ]

    @wraps(command)
    def call(*, config: Path | None = None, **values: Any) -> None:
        command(**values)

    call.__signature__ = known.replace(parameters=parameters)  # type: ignore[attr-defined]
    call.__annotations__ = {each.name: each.annotation for each in parameters}
    return call


def load(context: typer.Context, path: Path | None) -> Path | None:
    """Take the defaults of the command of *context* from the file at *path*, or from the project's.

    On `--resume` a run's own settings count, so the project's file is not read.

    Raises:
        BadDataError: If the file is malformed. Names what is wrong.
        UserError: For what only a file that is named may say.
    """
    project = Path(PROJECT_FILE)
    if path is None and ("--resume" in sys.argv or not project.is_file()):
        return None
    try:
        found = _defaults(path or project, context)
    except BadDataError as error:
        if path is not None or _name(context) not in WITHOUT_DEFAULTS:
            raise
        print(f"intercode: {error}; going on without its defaults", file=sys.stderr)
        return None
    if path is None and found:
        _refuse_untrusted(found)
        print(f"defaults from {PROJECT_FILE}: {', '.join(found)}", file=sys.stderr)
    context.default_map = found
    return path


def _defaults(path: Path, context: typer.Context) -> dict[str, Any]:
    try:
        read = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise BadDataError(f"cannot read {path}: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise BadDataError(f"cannot read {path}: {error}") from error
    command = _name(context)
    table: Any = read
    for word in command.split():
        table = table.get(word, {}) if isinstance(table, Mapping) else None
    if not isinstance(table, Mapping) or not all(isinstance(each, Mapping) for each in read.values()):
        raise BadDataError(f"{path}: options stand in a table with a command's name, such as [run] or [images.build]")
    commands = getattr(context.find_root().command, "commands", read)
    for name in read.keys() - commands.keys():
        raise BadDataError(sentences(f"{path}: there is no command called {name!r}", did_you_mean(name, commands)))
    known = _options(context)
    found = {name.replace("-", "_"): value for name, value in table.items()}
    for name in found.keys() - known.keys():
        raise BadDataError(sentences(f"{path}: {command} has no option called {name!r}", did_you_mean(name, known)))
    return {known[name]: _as_typed(value) for name, value in found.items()}


def _options(context: typer.Context) -> dict[str, str]:
    """What the command's arguments and options may be called in a file, and what its function calls them."""
    known: dict[str, str] = {}
    for each in context.command.params:
        typed = [word.removeprefix("--").replace("-", "_") for word in each.opts if word.startswith("--")]
        known |= dict.fromkeys([*typed, str(each.name)], str(each.name))
    return {name: value for name, value in known.items() if value not in ("config", "help")}


def _name(context: typer.Context) -> str:
    """The command as it is typed, without the program: `run`, or `images build`."""
    words: list[str] = []
    at: Any = context
    while at.parent is not None:
        words.insert(0, str(at.info_name))
        at = at.parent
    return " ".join(words)


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
        is_code = any(str(each).endswith(".py") or "key_env=" in str(each) or _holds_code(str(each)) for each in texts)
        leads_out = name in WRITTEN and not all(Path(each).resolve().is_relative_to(Path.cwd()) for each in texts)
        if name in TRUSTED_ONLY or is_code or leads_out:
            what = "may write elsewhere" if leads_out else "may run code or send a key elsewhere"
            raise UserError(
                f"{PROJECT_FILE} gives --{name.replace('_', '-')}, which {what}: "
                f"say that you trust the file with --config {PROJECT_FILE}"
            )


def _holds_code(text: str) -> bool:
    """Whether *text* names a task folder with a world or a reward in Python."""
    folder = Path(text)
    return len(text) < LONGEST and folder.is_dir() and any(folder.glob("*.py"))


Config = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE.toml",
        help="A TOML file with defaults for these options, in a table named as the command: [run].",
        show_default="intercode.toml, if it is here",
        is_eager=True,
        callback=load,
    ),
]
