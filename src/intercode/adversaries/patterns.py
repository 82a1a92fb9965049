"""Texts of the form that a regular expression asks for: a reward that looks at the form alone is paid by them."""

from __future__ import annotations

import re
from collections.abc import Iterator

_OPEN = re.compile(r"\\[dwsDWS]|[.\])][*+{]")
"""What only patterns have, not plain texts that happen to be one."""

_TOKEN = re.compile(
    r"(?P<flags>\(\?[aiLmsux]+\))|(?P<open>\((?:\?(?:P<\w+>|:))?)|(?P<close>\))|(?P<other>\|)|(?P<anchor>[\^$]|\\[bBAZ])"
    r"|(?P<times>[*+?]\??|\{(?P<number>\d*)(?:,\d*)?\}\??)|(?P<one>\[\^?\]?(?:\\.|[^\]\\])*\]|\\.|.)",
    re.DOTALL,
)

_CHARACTERS = "1a x_A-"
"""What may stand for a set of characters: the first that belongs to it does."""

LONGEST = 200
"""Characters of an example."""


def example(pattern: str) -> str | None:
    """Return a text in which *pattern* is found; None for plain texts, and where none is found with little thought."""
    if not _OPEN.search(pattern):
        return None
    try:
        compiled = re.compile(pattern)
        text = "".join(_parts(pattern))[:LONGEST]
    except (re.error, RecursionError, OverflowError):
        return None
    return text if compiled.search(text) else None


def _parts(pattern: str) -> Iterator[str]:
    """Yield one text for each part of *pattern*, the first of each choice.

    Looks ahead and references are not understood.
    """
    depth, last = 0, ""
    skipped: int | None = None
    for token in _TOKEN.finditer(pattern):
        depth += (token.lastgroup == "open") - (token.lastgroup == "close")
        if skipped is not None and depth < skipped:
            skipped = None
        elif token.lastgroup == "other" and skipped is None:
            skipped = depth
        if skipped is not None:
            continue
        if token["one"]:
            last = _one(token["one"])
            yield last
        elif token["number"]:
            yield last * (min(int(token["number"]), LONGEST) - 1)


def _one(token: str) -> str:
    """Return a character that *token* stands for."""
    if len(token) == 1 and token != ".":
        return token
    return next((each for each in _CHARACTERS if re.fullmatch(token, each)), token[-1])
