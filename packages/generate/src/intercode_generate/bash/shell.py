"""Small pieces of shell that families put together."""

from __future__ import annotations

from shlex import quote

from intercode_generate.bash.world import BashWorld
from intercode_generate.draw import Draw
from intercode_generate.family import Difficulty


def word(text: str) -> str:
    """Return *text* as one word of a shell."""
    return quote(text)


class FolderReference:
    """A folder as a request names it, and as a shell does: outright, or by a file in which its path is written."""

    def __init__(self, folder: str, pointer: str = "") -> None:
        self.folder = folder
        self.steps = 1 if pointer else 0
        self.text = f"the folder whose path is written in `{pointer}`" if pointer else f"`{folder}`"
        self.shell = f'"$(cat {word(pointer)})"' if pointer else word(folder)


def place(draw: Draw, world: BashWorld, difficulty: Difficulty, folder: str) -> FolderReference:
    """Return *folder*; always outright where it is easy, most often by a pointer where it is hard."""
    share = {"easy": 0.0, "medium": 0.2, "hard": 0.7}[difficulty]
    return FolderReference(folder, world.pointers[folder] if folder in world.pointers and draw.chance(share) else "")


def new_path(draw: Draw, world: BashWorld, suffix: str = "") -> str:
    """Return a path directly below the world's root at which there is nothing yet."""
    return f"{world.root}/{draw.pick(world.words)}{suffix}"


GUESSED = (*range(13), 42)
"""Numbers that anybody tries first: no task has one of them as its whole answer."""


def per_file(body: str) -> str:
    """Return a loop over paths that come through a pipe, one per line; each is in `$f`."""
    return f"while IFS= read -r f; do {body}; done"
