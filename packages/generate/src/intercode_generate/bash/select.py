"""Files chosen by what they are: the first step of every family that does something with several of them.

A selection knows the files that it means, how a request says them, and two ways in which a shell finds them: `find`
with its tests, and a loop over `**` with Bash's. Each of its conditions makes a difference in the world that it was
drawn for, so whoever leaves one out has other files.

Starting programs takes most of a shell's time here. So one `stat` looks at all files of a loop, and a condition that
takes a program for each file is asked last.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from intercode_generate.bash.conditions import LOOK, STAT, FileCondition, draw_conditions
from intercode_generate.bash.shell import FolderReference, place
from intercode_generate.bash.world import BashWorld, File
from intercode_generate.draw import Draw
from intercode_generate.family import Difficulty

CONDITIONS = {"easy": (1, 1), "medium": (1, 2), "hard": (2, 3)}
"""How many conditions a selection has, at least and at most."""

TRIES = 8

WRONG = 3
"""Near misses of one selection, at most."""


@dataclass(frozen=True)
class Selection:
    """The regular files below *place* for which all *conditions* hold; *deep*: in folders below it, too."""

    place: FolderReference
    conditions: tuple[FileCondition, ...]
    files: tuple[File, ...]
    wrong: tuple[Selection, ...] = ()
    """Selections that nearly are this one, and find other files."""

    @property
    def text(self) -> str:
        """In words: ``regular file whose name ends in `.txt`, anywhere below `/srv/x```."""
        said = [condition.text for condition in self.conditions]
        which = said[0] if len(said) == 1 else f"{', '.join(said[:-1])} and {said[-1]}"
        return f"regular file {which}, anywhere below {self.place.text}"

    @property
    def find(self) -> str:
        """`find` with its tests, which wants an action behind them."""
        return " ".join([f"find {self.place.shell} -type f", *(each.find for each in self._by_cost)])

    @property
    def paths(self) -> str:
        """A command that prints their paths, one per line."""
        return f"{self.find} -print"

    def loop(self, body: str) -> str:
        """Return the other way: Bash that runs *body* for each file, which is in `$f`."""
        tests = "".join(f" && {each.test}" for each in self._by_cost)
        do = f'do if [ -f "$f" ] && [ ! -L "$f" ]{tests}; then {body}; fi; done'
        there = f"shopt -s globstar dotglob nullglob; d={self.place.shell};"
        if any(each.has_stat for each in self.conditions):
            return f'{there} while {LOOK}; {do} 3< <({STAT} "$d"/**)'
        return f'{there} for f in "$d"/**; {do}'

    @property
    def _by_cost(self) -> Sequence[FileCondition]:
        """The conditions, last of all those for which a program is started."""
        return sorted(self.conditions, key=lambda each: each.is_slow)

    @property
    def steps(self) -> int:
        """Return what finding them counts as."""
        return 1 + self.place.steps


def select(
    draw: Draw,
    world: BashWorld,
    difficulty: Difficulty,
    *,
    least: int = 2,
    most: int = 12,
    fits: Callable[[File], bool] = lambda file: True,
) -> Selection | None:
    """Return a selection of *least* to *most* files, for all of which *fits* holds; None where none was found soon."""
    for _ in range(TRIES):
        folder = draw.pick(world.folders)
        there = world.below(folder)
        if len(there) <= least:
            continue
        low, high = CONDITIONS[difficulty]
        conditions = tuple(draw_conditions(draw, there, draw.integer(low, high)))
        files = _matching(there, conditions)
        if not (least <= len(files) <= most and len(files) < len(there) and all(map(fits, files))):
            continue
        if any(_matching(there, rest) == files for rest in _each_dropped(conditions)):
            continue
        found = Selection(place(draw, world, difficulty, folder), conditions, files)
        wrong = _first(WRONG, (each for each in _nearly(draw, world, found, there) if each.files != files))
        if len(wrong) > 1:
            return replace(found, wrong=wrong)
    return None


def _matching(files: Sequence[File], conditions: Sequence[FileCondition]) -> tuple[File, ...]:
    for condition in conditions:
        holds = condition.holds
        files = [file for file in files if holds(file)]
    return tuple(files)


def _first(count: int, found: Iterator[Selection]) -> tuple[Selection, ...]:
    return tuple(islice(found, count))


def _each_dropped(conditions: Sequence[FileCondition]) -> Iterator[tuple[FileCondition, ...]]:
    """Yield the conditions without each of them."""
    for number in range(len(conditions)):
        yield (*conditions[:number], *conditions[number + 1 :])


def _nearly(draw: Draw, world: BashWorld, found: Selection, there: Sequence[File]) -> Iterator[Selection]:
    """Yield a condition left out, another one of its kind, only the folder itself, or another folder."""
    ways = draw.shuffled((_with_another, _at_the_top, _above, _without_one, _with_another))
    for way in ways:
        other = way(draw, world, found, there)
        if other is not None:
            yield other


def _without_one(draw: Draw, world: BashWorld, found: Selection, there: Sequence[File]) -> Selection | None:
    left = [rest for rest in _each_dropped(found.conditions) if rest]
    if not left:
        return None
    rest = draw.pick(left)
    return Selection(found.place, rest, _matching(there, rest))


def _with_another(draw: Draw, world: BashWorld, found: Selection, there: Sequence[File]) -> Selection | None:
    other = (*found.conditions[:-1], *draw_conditions(draw, there, 1))
    return Selection(found.place, other, _matching(there, other))


def _at_the_top(draw: Draw, world: BashWorld, found: Selection, there: Sequence[File]) -> Selection | None:
    top = FileCondition("", "-maxdepth 1", "", lambda file: file.folder == found.place.folder)
    return Selection(found.place, (top, *found.conditions), _matching(there, (top, *found.conditions)))


def _above(draw: Draw, world: BashWorld, found: Selection, there: Sequence[File]) -> Selection | None:
    above = found.place.folder.rpartition("/")[0]
    if above not in world.folders:
        return None
    return Selection(FolderReference(above), found.conditions, _matching(world.below(above), found.conditions))
