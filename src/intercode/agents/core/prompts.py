"""Prompts: Markdown files, one for each strategy and world, whose second-level headings name the parts.

`prompts/react/bash.md` has `## system`, `## first`, `## next`…; `{{query}}` and the like stand for what is put
in.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from intercode.errors import BadDataError, UserError

FOLDER = Path(__file__).parents[1] / "prompts"
HEADING = re.compile(r"^## +(.+?) *$", re.MULTILINE)
PLACE = re.compile(r"\{\{(\w+)\}\}")
PLACES = ("query", "observation", "reward", "step", "candidates", "demonstrations", "shell")


@dataclass(frozen=True, slots=True)
class Prompt:
    """The parts of one file, by name."""

    file: str
    parts: Mapping[str, str]

    def part(self, name: str, **values: str) -> str:
        """One part with *values* put in, once: what is put in may hold anything. "" where the file has no such part."""
        return PLACE.sub(lambda place: values.get(place[1], ""), self.parts.get(name, "")).strip()

    def require(self, names: tuple[str, ...]) -> None:
        """Raises BadDataError where one of the parts *names* is missing."""
        if missing := [name for name in names if not self.parts.get(name)]:
            raise BadDataError(f"the prompt {self.file} has no part '## {missing[0]}'; it needs: {', '.join(names)}")


def find(strategy: str, world: str, file: str = "") -> Prompt:
    """The prompt for *strategy* in *world*, or the one in *file*.

    Raises UserError where there is none, BadDataError for a file that is no prompt.
    """
    if file:
        return read(Path(file))
    path = FOLDER / strategy / f"{world}.md"
    if not path.exists():
        raise UserError(
            f"there is no prompt for {strategy} in the world {world!r}: give one with --prompt FILE "
            f"(begin with a copy of {FOLDER / strategy / 'bash.md'})"
        )
    return read(path)


def shell(kind: str) -> str:
    """What stays between commands in a shell that is *kind*, `fresh` or `persistent`."""
    return read(FOLDER / "shell.md").part(kind)


@cache
def read(path: Path) -> Prompt:
    """The prompt in a file. Raises BadDataError."""
    try:
        pieces = HEADING.split(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise BadDataError(f"cannot read the prompt {path}: {error}") from error
    parts = {name.lower(): text.strip() for name, text in zip(pieces[1::2], pieces[2::2], strict=True)}
    for name, text in parts.items():
        if unknown := sorted(set(PLACE.findall(text)) - set(PLACES)):
            raise BadDataError(
                f"{path}, part {name}: no {{{{{unknown[0]}}}}} can be put in; there are: {', '.join(PLACES)}"
            )
    return Prompt(str(path), parts)
