"""Symbolic links: where they lead, and what to do with those that lead nowhere."""

from __future__ import annotations

from posixpath import dirname, join, normpath

from intercode.types import Criteria
from intercode_generate.bash.registry import family
from intercode_generate.bash.shell import word
from intercode_generate.bash.world import BashWorld
from intercode_generate.draw import Draw
from intercode_generate.family import Difficulty, Draft


def _end(world: BashWorld, path: str) -> str:
    """Return where a link leads."""
    return normpath(join(dirname(path), world.links[path]))


def _whole(world: BashWorld) -> list[str]:
    return [path for path in sorted(world.links) if _end(world, path) in world.files]


@family(
    "Which symbolic links below `{root}` lead nowhere, as their target is missing? Print the full path of each, one "
    "per line, in any order.",
    "Print the full paths of all broken symbolic links below `{root}`: one per line, in any order.",
    "A symbolic link is broken if what it points to does not exist. List every such link below `{root}` by its full "
    "path; one path per line, the order does not matter.",
)
def broken(draw: Draw, world: BashWorld, difficulty: Difficulty) -> Draft | None:
    """Links without an end."""
    root = word(world.root)
    return Draft(
        {"root": world.root},
        f"find {root} -xtype l",
        f'find {root} -type l | while IFS= read -r f; do [ -e "$f" ] || printf \'%s\\n\' "$f"; done',
        (
            f"find {root} -type l",
            f"find {root} -type l ! -xtype l",
            f"find {root} -xtype l -printf '%l\\n'",
            f"find {root} -xtype l -print -quit",
        ),
        1,
        Criteria(any_order=True),
    )


@family(
    "Print every symbolic link below `{root}` as `PATH -> TARGET`: its full path, and its target as the link has it. "
    "One per line, in byte order.",
    "List the symbolic links below `{root}`, one per line in byte order, in the form `PATH -> TARGET`. The path is "
    "full, the target is exactly what is stored in the link.",
    "For each symbolic link below `{root}`, print a line with its full path, ` -> ` and the target that is stored in "
    "it, and sort these lines in byte order.",
)
def targets(draw: Draw, world: BashWorld, difficulty: Difficulty) -> Draft | None:
    """Links with what is stored in them."""
    root = word(world.root)
    return Draft(
        {"root": world.root},
        f"find {root} -type l -printf '%p -> %l\\n' | sort",
        f'find {root} -type l | sort | while IFS= read -r f; do echo "$f -> $(readlink "$f")"; done',
        (
            f"find {root} -type l -printf '%p -> %l\\n' | sort -r",
            f'find {root} -type l | sort | while IFS= read -r f; do echo "$f -> $(readlink -m "$f")"; done',
            f"find {root} -type l -printf '%p %l\\n' | sort",
        ),
        2,
    )


@family(
    "[Delete|Remove] every symbolic link below `{root}` whose target does not exist. Leave the other links.",
    "Clean up below `{root}`: symbolic links that point to nothing are to be removed, and nothing else.",
    "Some symbolic links below `{root}` are broken, that is, what they point to is not there. Remove these links and "
    "only these.",
)
def remove_broken(draw: Draw, world: BashWorld, difficulty: Difficulty) -> Draft | None:
    """Links without an end removed."""
    root = word(world.root)
    return Draft(
        {"root": world.root},
        f"find {root} -xtype l -delete",
        f'find {root} -type l | while IFS= read -r f; do [ -e "$f" ] || rm "$f"; done',
        (
            f"find {root} -type l -delete",
            f"find {root} -type l ! -xtype l -delete",
            f"find {root} -xtype l -delete -quit",
            f"find {root} -xtype l",
        ),
        2,
    )


@family(
    "Replace the symbolic link `{link}` by a copy of the file that it points to: same path, but a regular file, made "
    "by plain `cp`.",
    "`{link}` is a symbolic link. Put a regular file in its place, a copy of what it points to (made by `cp` without "
    "options).",
    "Instead of the symbolic link `{link}` there should be a copy of its target under the same path. Use `cp` without "
    "options for the copy; the target stays where it is.",
)
def copy_target(draw: Draw, world: BashWorld, difficulty: Difficulty) -> Draft | None:
    """Return a link turned into a file."""
    whole = _whole(world)
    if not whole:
        return None
    path = draw.pick(whole)
    link = word(path)
    return Draft(
        {"link": path},
        f't=$(readlink -f {link}) && rm {link} && cp "$t" {link}',
        f"cp {link} {link}.copy; mv -f {link}.copy {link}",
        (
            f't=$(readlink -f {link}) && rm {link} && mv "$t" {link}',
            f"cp {link} {link}.copy",
            f"rm {link}; touch {link}",
        ),
        3,
    )


@family(
    "The symbolic link `{link}` should point to `{target}` (stored as this absolute path) instead of where it points "
    "now.",
    "Change where `{link}` leads: make it a symbolic link to the absolute path `{target}`.",
    "`{link}` is a symbolic link. From now on its target is to be `{target}`, as an absolute path.",
    difficulties=("easy", "medium"),
)
def relink(draw: Draw, world: BashWorld, difficulty: Difficulty) -> Draft | None:
    """Return a link that leads elsewhere."""
    path = draw.pick(sorted(world.links))
    target = draw.pick(world.of_kind("text", "csv")).path
    if target in (world.links[path], _end(world, path)):
        return None
    link, there = word(path), word(target)
    return Draft(
        {"link": path, "target": target},
        f"ln -sfn {there} {link}",
        f"rm {link} && ln -s {there} {link}",
        (f"cp --remove-destination {there} {link}", f"ln -s {there} {link}.new", f"ln -sfn {there}x {link}"),
        1,
    )


@family(
    "Print how many symbolic links below `{root}` point to a regular file which exists, and how many symbolic links "
    "there are below it: two numbers on one line, with a blank between.",
    "How many symbolic links below `{root}` lead to an existing regular file, and how many are there in all? Print "
    "only both numbers on one line, with a blank between.",
    "Count the symbolic links below `{root}`, first those that lead to a regular file that is there, then all of them. "
    "Print the two numbers on one line, with a blank between.",
    difficulties=("easy",),
)
def count_whole(draw: Draw, world: BashWorld, difficulty: Difficulty) -> Draft | None:
    """Links that lead to files, counted, of how many: one number alone would be guessed."""
    root, count = word(world.root), len(_whole(world))
    if count < 2 or count == len(world.links):
        return None
    loop = 'while IFS= read -r f; do [ -f "$f" ] && echo x; done'
    whole, links = f"find {root} -type l -xtype f | wc -l", f"find {root} -type l | wc -l"
    return Draft(
        {"root": world.root},
        f'echo "$({whole}) $({links})"',
        f'echo "$(find {root} -type l | {loop} | wc -l) $({links})"',
        (f'echo "$({links}) $({links})"', f'echo "$(find {root} -xtype f | wc -l) $({links})"', whole),
        2,
    )
