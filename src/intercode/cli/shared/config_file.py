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
from typer.main import get_command

from intercode.cli.shared.commands import load_module
from intercode.cli.shared.harmless import NAMES, is_harmless
from intercode.errors import BadDataError, UserError
from intercode.util.regular_files import read_text
from intercode_sandbox.util.text import did_you_mean, sentences

PROJECT_FILE = "intercode.toml"

WITHOUT_DEFAULTS = ("doctor",)
"""Commands that work without their defaults where the project's file is broken: they are what one asks then."""


def on_command(command: Callable[..., None]) -> Callable[..., None]:
    """Return *command* with the option `--config`, which every command has."""
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
        typed = {name: word for word, name in reversed(_options(context.command).items())}
        _refuse_untrusted(found, typed)
        print(f"defaults from {PROJECT_FILE}: {', '.join(typed[name] for name in found)}", file=sys.stderr)
    context.default_map = found
    return path


def _defaults(path: Path, context: typer.Context) -> dict[str, Any]:
    try:
        read = tomllib.loads(read_text(path))
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
    _refuse_unknown_tables(path, read)
    known = _options(context.command)
    found = {name.replace("-", "_"): value for name, value in table.items()}
    for name in found.keys() - known.keys():
        raise BadDataError(sentences(f"{path}: {command} has no option called {name!r}", did_you_mean(name, known)))
    return {known[name]: _as_typed(value) for name, value in found.items()}


def _refuse_unknown_tables(path: Path, read: Mapping[str, Mapping[str, Any]]) -> None:
    """Refuse what stands in the tables of commands and nothing reads, whichever command is called: it is a mistake.

    Raises:
        BadDataError: If a table is neither an option's nor that of a command of a group, or a group has an option.
    """
    for command, table in read.items():
        inner = [name for name, value in table.items() if isinstance(value, Mapping)]
        if not (inner or _is_group(command)):
            continue
        found = _find_command(command)
        commands = getattr(found, "commands", None)
        if commands is not None and (values := [name for name in table if name not in inner]):
            tables = ", ".join(f"[{command}.{name}]" for name in commands)
            raise BadDataError(f"{path}: [{command}] has no option called {values[0]!r}; options stand in {tables}")
        known, noun = (_options(found), "option") if commands is None else (commands, "command")
        for name in inner:
            if name not in known and name.replace("-", "_") not in known:
                said = f"{path}: {command} has no {noun} called {name!r}, as [{command}.{name}] says"
                raise BadDataError(sentences(said, did_you_mean(name, known)))


def _is_group(name: str) -> bool:
    return hasattr(load_module(name), "commands")


def _find_command(name: str) -> Any:
    """Return the command of that name, or the group of commands.

    Of those that are not called, the program knows no more.
    """
    module = load_module(name)
    if hasattr(module, "commands"):
        return get_command(module.commands)
    app = typer.Typer(add_completion=False)
    app.command(name)(module.command)
    return get_command(app)


def _options(command: Any) -> dict[str, str]:
    """Return what the arguments and options of *command* may be called in a file, and what its function calls them."""
    known: dict[str, str] = {}
    for each in command.params:
        typed = [word.removeprefix("--").replace("-", "_") for word in each.opts if word.startswith("--")]
        known |= dict.fromkeys(typed or [str(each.name)], str(each.name))
    return {name: value for name, value in known.items() if value not in ("config", "help")}


def _name(context: typer.Context) -> str:
    """Return the command as it is typed, without the program: `run`, or `images build`."""
    words: list[str] = []
    at: Any = context
    while at.parent is not None:
        words.insert(0, str(at.info_name))
        at = at.parent
    return " ".join(words)


def _as_typed(value: Any) -> Any:
    """Return *value* as the command line has it: a table is a list of NAME=VALUE."""
    if isinstance(value, Mapping):
        return [f"{name}={_text(each)}" for name, each in value.items()]
    return [_text(each) for each in value] if isinstance(value, list) else value


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _refuse_untrusted(found: Mapping[str, Any], typed: Mapping[str, str]) -> None:
    """Refuse what only a file that somebody has named may set.

    Raises:
        UserError: For the first such option.
    """
    for name, value in found.items():
        if not is_harmless(name, value):
            what = f"--{typed[name].replace('_', '-')}" + (f" {value}" if name in NAMES else "")
            raise UserError(
                f"{PROJECT_FILE} gives {what}, which may run code or send a key elsewhere, or read or write elsewhere: "
                f"say that you trust the file with --config {PROJECT_FILE}"
            )


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
