"""Chosen files copied, moved, deleted: the state of the file system is what counts."""

from __future__ import annotations

from intercode.generate.bash.registry import family
from intercode.generate.bash.select import Selection, select
from intercode.generate.bash.shell import word
from intercode.generate.bash.world import BashWorld
from intercode.generate.draw import Draw
from intercode.generate.family import Difficulty, Draft


def _are_apart(chosen: Selection) -> bool:
    """Whether no two of the files have the same name, so that one folder can hold them all."""
    return len({file.name for file in chosen.files}) == len(chosen.files)


@family(
    "[Make|Create] the folder `{target}`. Copy into it, under its own name and without subfolders, every {files}. "
    "[Plain|A plain] `cp` without options makes the copies as they should be.",
    "A new folder `{target}` is to hold copies, all of them directly in it and with their names kept, as `cp` makes "
    "them without options. Copy each {files}.",
    "`{target}` does not exist yet: make it a folder. Put a copy directly into it, name unchanged, of every {files}. "
    "The copies get the owner and permissions that `cp` gives them without options.",
)
def copy(draw: Draw, world: BashWorld, difficulty: Difficulty) -> Draft | None:
    """A selection copied into a new folder."""
    chosen = select(draw, world, difficulty)
    if chosen is None or not _are_apart(chosen):
        return None
    target = f"{world.root}/{draw.pick(world.words)}"
    folder = word(target)
    make = f"mkdir {folder} &&"
    put = f'cp -- "$f" {folder}/'
    return Draft(
        {"files": chosen.text, "target": target},
        f"{make} {chosen.find} -exec cp -t {folder} {{}} +",
        f"mkdir -p {folder}; {chosen.loop(put)}",
        (
            *(f"{make} {wrong.find} -exec cp -t {folder} {{}} +" for wrong in chosen.wrong),
            f"{make} {chosen.find} -exec mv -t {folder} {{}} +",
            f"{make} {chosen.find} -exec cp --parents -t {folder} {{}} +",
        ),
        chosen.steps + 2,
    )
