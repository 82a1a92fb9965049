"""How an answer is drawn: options that all models take."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar, Self

from intercode.errors import UserError


@dataclass(frozen=True, slots=True)
class Sampling:
    """None leaves it to the model. `max_tokens` is for one answer; `stop` are texts that end it, and are not in it."""

    OPTIONS: ClassVar[tuple[str, ...]] = ("temperature", "top_p", "max_tokens", "stop")
    """What it is taken from."""

    temperature: float | None = None
    top_p: float | None = None
    max_tokens: int | None = None
    stop: tuple[str, ...] = ()

    @classmethod
    def split_options(cls, options: dict[str, str]) -> tuple[Self, dict[str, str]]:
        """Return what *options* say of it, and the rest of them. `stop` has its texts separated by `|`.

        Raises:
            UserError: If one of them has an impossible value.
        """
        rest = dict(options)
        temperature, top_p = number(rest, "temperature"), number(rest, "top_p")
        max_tokens = whole(rest, "max_tokens")
        return cls(temperature, top_p, max_tokens, _stops(rest.pop("stop", ""))), rest


def _stops(text: str) -> tuple[str, ...]:
    r"""Return the texts in *text*, in which `\n` and the like mean what they mean in Python."""
    try:
        # Only ASCII is unescaped: of each other character the codec would make several.
        found = re.sub(r"[\0-\x7f]+", lambda run: run[0].encode().decode("unicode_escape"), text)
    except UnicodeDecodeError as error:
        raise UserError(f"the model option stop has a backslash that begins no escape: {text!r}; double it") from error
    return tuple(each for each in found.split("|") if each)


def number(options: dict[str, str], name: str) -> float | None:
    """Pop a number from 0; None where it is not given.

    Raises:
        UserError: If it is something else.
    """
    if name not in options:
        return None
    text = options.pop(name)
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value < float("inf"):
        raise UserError(f"the model option {name} is a number from 0, not {text!r}")
    return value


def whole(options: dict[str, str], name: str) -> int | None:
    """Pop a whole number from 1; None where it is not given.

    Raises:
        UserError: If it is something else.
    """
    if name not in options:
        return None
    text = options.pop(name)
    if not text.isdecimal() or int(text) < 1:
        raise UserError(f"the model option {name} is a whole number from 1, not {text!r}")
    return int(text)


def timeout(options: dict[str, str]) -> float:
    """Pop `timeout`: the seconds that a server may take, 600 where it is not given.

    Raises:
        UserError: If it is no number above 0.
    """
    seconds = number(options, "timeout")
    if seconds == 0:
        raise UserError("the model option timeout is a number above 0, in seconds; leave it out for 600")
    return 600.0 if seconds is None else seconds
