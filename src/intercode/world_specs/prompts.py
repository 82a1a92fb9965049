"""Prompts: Markdown files whose second-level headings name the parts.

A world may have its own for each strategy, as `worlds/bash/prompts/react.md`; `agents/prompts/react.md` is for worlds
without one. They have `## system`, `## first`, `## next`…; `{{query}}` and the like stand for what is put in.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from intercode import world_specs
from intercode.errors import BadDataError, UserError
from intercode.util.regular_files import read_text
from intercode.world_specs import WorldSpec

FOLDER = Path(__file__).parents[1] / "agents" / "prompts"
HEADING = re.compile(r"^## +(.+?) *$", re.MULTILINE)
PLACE = re.compile(r"\{\{(\w+)\}\}")
PLACES = ("query", "observation", "reward", "step", "candidates", "demonstrations", "shell")
WORLD_PLACES = ("about", "code", "rules", "language", "submit", "answer", "example")
"""What a world's description fills in."""


@dataclass(frozen=True, slots=True)
class PromptFile:
    """The parts of one file, by name."""

    file: str
    parts: Mapping[str, str]

    def part(self, name: str, **values: str) -> str:
        """Return one part with *values* put in, once.

        What is put in may hold anything. "" where the file has no such part.
        """
        return PLACE.sub(lambda place: values.get(place[1], ""), self.parts.get(name, "")).strip()

    def require(self, names: tuple[str, ...]) -> None:
        """Check that the prompt has the parts *names*.

        Raises:
            BadDataError: If one of them is missing.
        """
        if missing := [name for name in names if not self.parts.get(name)]:
            raise BadDataError(f"the prompt {self.file} has no part '## {missing[0]}'; it needs: {', '.join(names)}")


def find(strategy: str, world: str, file: str = "") -> PromptFile:
    """Return the prompt for *strategy* in *world*: the one in *file*, the world's own, or the general one.

    Raises:
        UserError: If there is none.
        BadDataError: For a file that is no prompt.
    """
    spec, general = world_specs.find(world), FOLDER / f"{strategy}.md"
    own = spec.prompts / f"{strategy}.md" if spec.prompts else None
    if file:
        return _fill_in(read(Path(file)), spec)
    if own is not None and own.exists():
        return _fill_in(read(own), spec)
    if general.exists() and _says_enough(spec, read(general)):
        return _fill_in(read(general), spec)
    raise UserError(
        f"there is no prompt for {strategy} in the world {world!r}: give one with --prompt FILE (begin with a "
        f"copy of {general}), or say in its WorldSpec what it is `about` and what its `code` is"
    )


def _says_enough(world: WorldSpec, prompt: PromptFile) -> bool:
    """Return whether *world* has what the general *prompt* tells of worlds; it need not if it has its own prompts."""
    places = {place for text in prompt.parts.values() for place in PLACE.findall(text)}
    return all((world.about if place == "about" else world.code) for place in places & {"about", "code"})


def _fill_in(prompt: PromptFile, world: WorldSpec) -> PromptFile:
    """Return *prompt* with what is known of the *world* put in; all else is put in later."""
    values = {
        "about": world.about,
        "code": world.code,
        "rules": "\n".join(f"- {rule}" for rule in world.rules),
        "language": world.language,
        "submit": "submit ANSWER" if world.answer else "submit",
        "example": next(iter(world.reading_actions), world.says("hello")),
        "answer": f" The answer is {world.answer}." if world.answer else "",
    }
    parts = {name: PLACE.sub(lambda place: values.get(place[1], place[0]), text) for name, text in prompt.parts.items()}
    return replace(prompt, parts=parts)


def shell(kind: str) -> str:
    """Return what stays between commands in a shell that is *kind*, `fresh` or `persistent`."""
    return read(FOLDER / "shell.md").part(kind)


@cache
def read(path: Path) -> PromptFile:
    """Return the prompt in a file.

    Raises:
        BadDataError: If it cannot be read, or is malformed.
    """
    try:
        pieces = HEADING.split(read_text(path))
    except OSError as error:
        raise BadDataError(f"cannot read the prompt {path}: {error.strerror}") from error
    except ValueError as error:
        raise BadDataError(f"cannot read the prompt {path}: {error}") from error
    parts = {name.lower(): text.strip() for name, text in zip(pieces[1::2], pieces[2::2], strict=True)}
    for name, text in parts.items():
        known = (*PLACES, *WORLD_PLACES)
        if unknown := sorted(set(PLACE.findall(text)) - set(known)):
            raise BadDataError(
                f"{path}, part {name}: no {{{{{unknown[0]}}}}} can be put in; there are: {', '.join(known)}"
            )
    return PromptFile(str(path), parts)
