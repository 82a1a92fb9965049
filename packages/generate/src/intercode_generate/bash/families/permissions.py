"""Permissions and owners of chosen files."""

from __future__ import annotations

from intercode.types import Criteria
from intercode_generate.bash.names import USERS
from intercode_generate.bash.registry import family
from intercode_generate.bash.select import select
from intercode_generate.bash.shell import place
from intercode_generate.bash.world import BashWorld
from intercode_generate.draw import Draw
from intercode_generate.family import Difficulty, Draft


@family(
    "Set the permissions of every {files} to {mode} (octal).",
    "Give the permissions {mode}, in octal, to each {files}.",
    "The permissions of every {files} should be exactly {mode} in octal.",
)
def set_mode(draw: Draw, world: BashWorld, difficulty: Difficulty) -> Draft | None:
    """Return one mode for a selection."""
    chosen = select(draw, world, difficulty)
    if chosen is None:
        return None
    mode = draw.pick(("600", "640", "444", "440", "660"))
    right = {file.path for file in chosen.files if f"{file.mode:o}" != mode}
    wrong = [each for each in chosen.wrong if {file.path for file in each.files if f"{file.mode:o}" != mode} != right]
    if len(right) < 2:
        return None
    symbolic = ",".join(f"{who}={_letters(int(digit))}" for who, digit in zip("ugo", mode, strict=True))
    return Draft(
        {"files": chosen.text, "mode": mode},
        f"{chosen.find} -exec chmod {mode} {{}} +",
        chosen.loop(f'chmod {symbolic} "$f"'),
        (
            *(f"{each.find} -exec chmod {mode} {{}} +" for each in wrong),
            f"{chosen.find} -exec chmod {int(mode, 8) ^ 0o001:o} {{}} +",
        ),
        chosen.steps + 1,
    )


def _letters(digit: int) -> str:
    return "".join(letter for letter, bit in (("r", 4), ("w", 2), ("x", 1)) if digit & bit)


@family(
    "Take the permission to [write|write it] away from group and others for every {files}; all other permissions stay.",
    "Neither group nor others may write to any {files}. Remove just these permissions and no other.",
    "For each {files}, remove the write permission of the group and of others, and leave the rest of its permissions.",
)
def no_write(draw: Draw, world: BashWorld, difficulty: Difficulty) -> Draft | None:
    """Write permissions taken away."""
    chosen = select(draw, world, difficulty, least=3, most=30)
    if chosen is None:
        return None
    right = {file.path for file in chosen.files if file.mode & 0o022}
    if len(right) < 2:
        return None
    wrong = [each for each in chosen.wrong if {file.path for file in each.files if file.mode & 0o022} != right]
    return Draft(
        {"files": chosen.text},
        f"{chosen.find} -exec chmod go-w {{}} +",
        chosen.loop('chmod "$(printf %o $((0$(stat -c %a "$f") & ~022)))" "$f"'),
        (
            *(f"{each.find} -exec chmod go-w {{}} +" for each in wrong),
            f"{chosen.find} -exec chmod a-w {{}} +",
            f"{chosen.find} -exec chmod 644 {{}} +; {chosen.find} -exec chmod go= {{}} +",
        ),
        chosen.steps + 1,
    )


@family(
    "Make the user with the number {user} the owner of every {files}. The group stays.",
    "Change the owner, not the group, of each {files} to the user number {user}.",
    "Every {files} should belong to the user with the number {user}; its group does not change.",
)
def set_owner(draw: Draw, world: BashWorld, difficulty: Difficulty) -> Draft | None:
    """Return another owner for a selection."""
    chosen = select(draw, world, difficulty)
    if chosen is None:
        return None
    user = draw.pick(USERS[1:])
    right = {file.path for file in chosen.files if file.owner != user}
    if len(right) < 2:
        return None
    wrong = [each for each in chosen.wrong if {file.path for file in each.files if file.owner != user} != right]
    return Draft(
        {"files": chosen.text, "user": str(user)},
        f"{chosen.find} -exec chown {user} {{}} +",
        chosen.loop(f'chown {user}:"$(stat -c %g "$f")" "$f"'),
        (
            *(f"{each.find} -exec chown {user} {{}} +" for each in wrong),
            f"{chosen.find} -exec chown {user}:77 {{}} +",
            f"{chosen.find} -exec chgrp 77 {{}} +",
        ),
        chosen.steps + 1,
    )


@family(
    "Print the permissions (in octal) and the full path, with one blank between, of every {files}. One line each, in "
    "any order.",
    "For each {files}, print a line `MODE PATH`: the permissions in octal and the full path. The order does not "
    "matter.",
    "List every {files} with its permissions in octal, one blank and its full path; one line a file, in any order.",
)
def show_modes(draw: Draw, world: BashWorld, difficulty: Difficulty) -> Draft | None:
    """Return the modes of a selection."""
    chosen = select(draw, world, difficulty)
    if chosen is None:
        return None
    return Draft(
        {"files": chosen.text},
        f"{chosen.find} -printf '%m %p\\n'",
        chosen.loop('stat -c "%a %n" "$f"'),
        (
            *(f"{wrong.find} -printf '%m %p\\n'" for wrong in chosen.wrong),
            f"{chosen.find} -printf '%M %p\\n'",
            f"{chosen.find} -printf '%u %p\\n'",
        ),
        chosen.steps + 1,
        Criteria(any_order=True),
    )


@family(
    "Below {place}, every folder (the named one too) is to get the permissions {folders}, and every regular file the "
    "permissions {files}, in octal.",
    "Set permissions in the whole tree at {place}: {folders} for folders, the top one included, and {files} for "
    "regular "
    "files (octal).",
    "Take {place} with everything in it. Its folders, and it itself, should have the permissions {folders}; all "
    "regular "
    "files in it should have {files}. Both numbers are octal.",
)
def whole_tree(draw: Draw, world: BashWorld, difficulty: Difficulty) -> Draft | None:
    """Modes for a tree."""
    folder = draw.pick(world.folders[1:])
    there = world.below(folder)
    if not 3 <= len(there) <= 30 or all(file.folder == folder for file in there):
        return None
    where = place(draw, world, difficulty, folder)
    folders, files = draw.pick(("750", "700", "711")), draw.pick(("640", "600", "440"))
    find = f"find {where.shell}"
    chmod = "-exec chmod {} {{}} +"
    return Draft(
        {"place": where.text, "folders": folders, "files": files},
        f"{find} -type d {chmod.format(folders)}; {find} -type f {chmod.format(files)}",
        f'd={where.shell}; {find} -type f | while IFS= read -r f; do chmod {files} "$f"; done; '
        f'find "$d" -depth -type d | while IFS= read -r f; do chmod {folders} "$f"; done',
        (
            f"chmod -R {files} {where.shell}",
            f"{find} -type d {chmod.format(files)}; {find} -type f {chmod.format(folders)}",
            f"{find} -type f {chmod.format(files)}",
            f"{find} -mindepth 1 -type d {chmod.format(folders)}; {find} -type f {chmod.format(files)}",
        ),
        2 + where.steps,
    )
