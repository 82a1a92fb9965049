"""`intercode`: one command for each file in this folder, and for each entry point of the group `intercode.commands`.

A command's module imports what is heavy inside its function, so that `intercode --help` is quick.

Exit status: 0 when all is well, 1 when the machine failed, 2 when the caller is mistaken, 3 when a budget is used up,
130 after Ctrl-C.
"""

from __future__ import annotations

import errno
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from copy import copy
from typing import Annotated

import typer

from intercode import __version__
from intercode.cli.shared import commands, standard_streams
from intercode.cli.shared.config_file import on_command
from intercode.errors import BudgetExceededError, IntercodeError, InterruptedRunError, UserError
from intercode.util import terminal

INTERRUPTED = 130
MISTAKEN = 2
FAILED = 1
OUT_OF_BUDGET = 3

NAME_SHOWN = 60
"""Characters of a name that is too long."""

WIDEST = 120
"""Columns that help fills at most; a terminal may have fewer."""


def main() -> None:
    """Run the program, and end the process with its exit status."""
    standard_streams.prepare()
    terminal.protect()
    for name in ("SIGTERM", "SIGHUP"):
        if hasattr(signal, name):  # Windows knows no SIGHUP
            signal.signal(getattr(signal, name), signal.default_int_handler)
    try:
        try:
            sys.argv[1:] = _as_options(sys.argv[1:])
            make_app(_find_command(os.environ))()
        finally:
            sys.stdout.flush()
    except BrokenPipeError:  # as under `head`: nobody reads on, and whoever went wants to hear nothing of it
        standard_streams.discard_output()
        sys.exit(FAILED)
    except OSError as error:
        said, status = _explain(error)
        standard_streams.discard_output()
        print(f"intercode: {said}", file=sys.stderr)
        sys.exit(status)
    except IntercodeError as error:
        print(f"intercode: {error}", file=sys.stderr)
        sys.exit(status_of(error))


def _explain(error: OSError) -> tuple[str, int]:
    """Return what to say of *error* in a line, and the exit status.

    Any other than these is a bug of ours, and raised.
    """
    if error.errno in standard_streams.FULL:
        where = error.filename or "what is written"
        return f"{error.strerror}: make room for {where}, or write it elsewhere", FAILED
    if error.errno == errno.ENAMETOOLONG:
        return f"{error.strerror}: {str(error.filename)[:NAME_SHOWN]}…: choose a shorter one", MISTAKEN
    raise error


def _as_options(words: Sequence[str]) -> list[str]:
    """`intercode help run` is `intercode run --help`, and `intercode version` is `intercode --version`."""
    if words[:1] == ["help"]:
        return [*words[1:], "--help"]
    return ["--version"] if words == ["version"] else [*words]


def _find_command(environment: Mapping[str, str]) -> str:
    """Return the command that is called, or that a shell wants completed; "" for none."""
    words = sys.argv[1:]
    if "_INTERCODE_COMPLETE" in environment:
        typed = environment.get("_TYPER_COMPLETE_ARGS") or environment.get("COMP_WORDS", "")
        words = typed.replace("\n", " ").split(" ")[1:]
    return next((word for word in words if word and not word.startswith("-")), "")


def status_of(error: IntercodeError) -> int:
    """Return the exit status that tells whose fault it was."""
    if isinstance(error, InterruptedRunError):
        return INTERRUPTED
    if isinstance(error, BudgetExceededError):
        return OUT_OF_BUDGET
    return MISTAKEN if isinstance(error, UserError) else FAILED


def make_app(command: str = "") -> typer.Typer:
    """Return the command line.

    Of all commands only the one *command* for is imported; the others are there to be listed.
    """
    app = typer.Typer(
        name="intercode",
        help="Interactive coding as a standard reinforcement-learning environment.",
        epilog="Begin with: intercode doctor, then intercode run",
        no_args_is_help=True,
        context_settings={"max_content_width": WIDEST},
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
    )
    app.callback()(_options)
    for name, module in sorted(commands.find_modules().items()):
        if name == command:
            _add(app, name)
        else:
            app.command(name, help=commands.summarize(module))(_list_only)
    return app


def _add(app: typer.Typer, name: str) -> None:
    """Add the `command` of a module to *app*, or its group of `commands`."""
    module = commands.load_module(name)
    if hasattr(module, "commands"):
        group = copy(module.commands)  # the module's own stays as it is: an app may be made twice
        group.registered_commands = [copy(each) for each in group.registered_commands]
        for each in group.registered_commands:
            each.callback = on_command(each.callback)
        app.add_typer(group, name=name)
    else:
        app.command(name)(on_command(module.command))


def _list_only() -> None:
    """Stands for a command that is only listed."""


def _print_version(is_wanted: bool) -> None:
    if is_wanted:
        print(f"intercode {__version__}")
        raise typer.Exit


def _options(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    """Take what can be said before any command."""


if __name__ == "__main__":
    main()
