"""What is there: paths, counts and sizes of chosen files. Answers only; nothing changes."""

from __future__ import annotations

from intercode.generate.bash.registry import family
from intercode.generate.bash.select import select
from intercode.generate.bash.world import BashWorld
from intercode.generate.draw import Draw
from intercode.generate.family import Difficulty, Draft
from intercode.types import Criteria

ANY_ORDER = Criteria(any_order=True)


@family(
    "[Print|Output] the full path of every {files}. One path per line, in any order.",
    "[Find|Look for] every {files}. The answer is their full paths, one path on each line; the order does not matter.",
    "Search for each {files}. Print one full path per line, in whatever order.",
    "I need the full paths of certain files: of each {files}. One per line, any order, and nothing else.",
)
def paths(draw: Draw, world: BashWorld, difficulty: Difficulty) -> Draft | None:
    """The paths of a selection."""
    chosen = select(draw, world, difficulty)
    if chosen is None:
        return None
    return Draft(
        {"files": chosen.text},
        chosen.paths,
        chosen.loop('printf "%s\\n" "$f"'),
        (*(wrong.paths for wrong in chosen.wrong), f"{chosen.find} -printf '%f\\n'"),
        chosen.steps,
        ANY_ORDER,
    )


@family(
    "Count every {files}. [Print|Output] the count alone.",
    "How many files are there of this kind: {files}? The answer is one number on a line of its own.",
    "[Print|Output] one number and nothing else. It says how often this is to be found: a {files}.",
)
def count(draw: Draw, world: BashWorld, difficulty: Difficulty) -> Draft | None:
    """How many files a selection has."""
    chosen = select(draw, world, difficulty, least=3, most=30)
    if chosen is None:
        return None
    near = tuple(f"{wrong.paths} | wc -l" for wrong in chosen.wrong if len(wrong.files) != len(chosen.files))
    if not near:
        return None
    return Draft(
        {"files": chosen.text},
        f"{chosen.paths} | wc -l",
        f'n=0; {chosen.loop("n=$((n + 1))")}; echo "$n"',
        (*near, f"echo {len(chosen.files) + 1}", chosen.paths),
        chosen.steps + 1,
    )
