"""Reads what stands on a command line: numbers, names, `NAME=VALUE` pairs, and choices."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import typer

from intercode.errors import UserError
from intercode.types import SCORINGS, Scoring

N = TypeVar("N", int, float)

SHELLS = ("fresh", "persistent")

FORMATS = ("table", "markdown", "latex", "csv", "json")
"""In which tables are printed."""


def whole(least: int, most: int | None = None) -> Callable[[Any], int]:
    """Reads a whole number of the command line or of a file, from *least* to *most*."""
    return _in_range(int, "a whole number", least, most)


def number(least: float, most: float | None = None) -> Callable[[Any], float]:
    """Reads a number of the command line or of a file, from *least* to *most*."""
    return _in_range(float, "a number", least, most)


def _in_range(kind: type[N], title: str, least: N, most: N | None) -> Callable[[Any], N]:
    bounds = f"from {least}" if most is None else f"from {least} to {most}"

    def read(given: Any) -> N:
        # A file's values come with types, and `int` takes more than it should: true is 1 to it, and 2.5 is 2
        text = str(given).lower() if isinstance(given, bool) else str(given)
        try:
            value = kind(text)
        except ValueError:
            value = None
        if value is None or not least <= value <= (float("inf") if most is None else most):
            raise typer.BadParameter(f"it is {title} {bounds}, not {text!r}")
        return value

    return read


def name(given: Any) -> str:
    """Reads a name or a path: an empty one, as of a variable that is not set, is not meant for the default."""
    if not (text := str(given)).strip():
        raise typer.BadParameter(f"it names nothing: {text!r}; leave the option out for the default")
    return text


def network(given: Any) -> str:
    """Reads what may be reached, of the command line or, as a list of hosts too, of a file."""
    from intercode_sandbox.network.hosts import network_policy, network_title

    try:
        return network_title(network_policy(given))
    except UserError as error:
        raise typer.BadParameter(str(error)) from error


def texts(given: Any) -> list[str]:
    """Reads a JSON list of texts."""
    try:
        found = json.loads(str(given))
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, list) or not all(isinstance(each, str) for each in found):
        raise typer.BadParameter(f'it is a JSON list of texts, such as ["ls", "submit"], not {str(given)[:80]!r}')
    return found


def format_name(text: str) -> str:
    """Reads a format of tables.

    Raises:
        UserError: If there is no such format.
    """
    return one_of("--format", text, FORMATS) or text


def pairs(option: str, texts: Sequence[str] | None) -> dict[str, Any] | None:
    """Return `NAME=VALUE` texts as a dictionary, None for none at all.

    Raises:
        UserError: If one of them is no pair. Names *option*.
    """
    if not texts:
        return None
    for text in texts:
        if not text.partition("=")[0] or "=" not in text:
            raise UserError(f"{option} wants NAME=VALUE, not {text!r}")
    return {name: value for name, _, value in (text.partition("=") for text in texts)}


def values(option: str, texts: Sequence[str] | None) -> dict[str, Any] | None:
    """Return the same, where what looks like a number or a truth value is one."""
    found = pairs(option, texts)
    return None if found is None else {name: _value(text) for name, text in found.items()}


def names(texts: Sequence[str] | None) -> tuple[str, ...] | None:
    """Names given one by one or with commas between, None for none at all.

    Raises:
        UserError: If there is something that holds no name.
    """
    found = tuple(name.strip() for text in texts or () for name in text.split(",") if name.strip())
    if texts and not found:
        raise UserError(f"{' '.join(texts)!r} names nothing: write names with commas between")
    return found if texts else None


def one_of(option: str, text: str | None, allowed: Sequence[str]) -> str | None:
    """Return *text*, which must be one of *allowed*.

    Raises:
        UserError: If it is none of them. Names *option*.
    """
    if text is not None and text not in allowed:
        raise UserError(f"{option} is {' or '.join(allowed)}, not {text!r}")
    return text


def scoring(text: str | None) -> Scoring | None:
    """Return a scoring's name, or None.

    Raises:
        UserError: If there is no such scoring.
    """
    one_of("--scoring", text, SCORINGS)
    return next((each for each in SCORINGS if each == text), None)


def shell(text: str | None) -> str | None:
    """Return a shell's kind, or None.

    Raises:
        UserError: If there is no such kind.
    """
    return one_of("--shell", text, SHELLS)


def _value(text: str) -> str | int | bool:
    if text in ("true", "false"):
        return text == "true"
    return int(text) if text.isdecimal() else text
