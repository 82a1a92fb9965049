"""Files chosen by what they are: the first step of every family that does something with several of them.

A selection knows the files that it means, how a request says them, and two ways in which a shell finds them: `find`
with its tests, and a loop over `**` with Bash's. Each of its conditions makes a difference in the world that it was
drawn for, so whoever leaves one out has other files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from intercode.generate.bash.contents import stamp
from intercode.generate.bash.names import THINGS
from intercode.generate.bash.shell import Place, place, word
from intercode.generate.bash.world import BashWorld, File
from intercode.generate.draw import Draw
from intercode.generate.family import Difficulty

CONDITIONS = {"easy": (1, 1), "medium": (1, 2), "hard": (2, 3)}
"""How many conditions a selection has, at least and at most."""

TRIES = 8

WRONG = 3
"""Near misses of one selection, at most."""


@dataclass(frozen=True, slots=True)
class Condition:
    """One thing asked of a file: in words after "each regular file", for `find`, and for Bash about `$f`."""

    text: str
    find: str
    test: str
    holds: Callable[[File], bool]


@dataclass(frozen=True)
class Selection:
    """The regular files below *place* for which all *conditions* hold; *deep*: in folders below it, too."""

    place: Place
    conditions: tuple[Condition, ...]
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
        return " ".join([f"find {self.place.shell} -type f", *(each.find for each in self.conditions)])

    @property
    def paths(self) -> str:
        """A command that prints their paths, one per line."""
        return f"{self.find} -print"

    def loop(self, body: str) -> str:
        """The other way: Bash that runs *body* for each file, which is in `$f`."""
        tests = "".join(f" && {each.test}" for each in self.conditions)
        return (
            f'shopt -s globstar dotglob nullglob; d={self.place.shell}; for f in "$d"/**; do '
            f'if [ -f "$f" ] && [ ! -L "$f" ]{tests}; then {body}; fi; done'
        )

    @property
    def steps(self) -> int:
        """What finding them counts as."""
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
    """A selection of *least* to *most* files, for all of which *fits* holds; None where none was found soon."""
    for _ in range(TRIES):
        folder = draw.pick(world.folders)
        there = world.below(folder)
        if len(there) <= least:
            continue
        low, high = CONDITIONS[difficulty]
        conditions = tuple(_draw_conditions(draw, there, draw.integer(low, high)))
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


def _matching(files: Sequence[File], conditions: Sequence[Condition]) -> tuple[File, ...]:
    for condition in conditions:
        holds = condition.holds
        files = [file for file in files if holds(file)]
    return tuple(files)


def _first(count: int, found: Iterator[Selection]) -> tuple[Selection, ...]:
    return tuple(islice(found, count))


def _each_dropped(conditions: Sequence[Condition]) -> Iterator[tuple[Condition, ...]]:
    """The conditions without each of them."""
    for number in range(len(conditions)):
        yield (*conditions[:number], *conditions[number + 1 :])


def _nearly(draw: Draw, world: BashWorld, found: Selection, there: Sequence[File]) -> Iterator[Selection]:
    """A condition left out, another one of its kind, only the folder itself, or another folder."""
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
    other = (*found.conditions[:-1], *_draw_conditions(draw, there, 1))
    return Selection(found.place, other, _matching(there, other))


def _at_the_top(draw: Draw, world: BashWorld, found: Selection, there: Sequence[File]) -> Selection | None:
    top = Condition("", "-maxdepth 1", "", lambda file: file.folder == found.place.folder)
    return Selection(found.place, (top, *found.conditions), _matching(there, (top, *found.conditions)))


def _above(draw: Draw, world: BashWorld, found: Selection, there: Sequence[File]) -> Selection | None:
    above = found.place.folder.rpartition("/")[0]
    if above not in world.folders:
        return None
    return Selection(Place(above), found.conditions, _matching(world.below(above), found.conditions))


def _draw_conditions(draw: Draw, files: Sequence[File], count: int) -> Iterator[Condition]:
    """Conditions of *count* kinds, each true of one of *files* at least."""
    for kind in draw.sample(KINDS, count):
        yield kind(draw, draw.pick(files), files)


def _suffix(draw: Draw, file: File, files: Sequence[File]) -> Condition:
    end = "." + file.name.rpartition(".")[2]
    return Condition(
        f"whose name ends in `{end}`", f"-name '*{end}'", f"[[ $f == *{end} ]]", lambda it: it.name.endswith(end)
    )


def _initial(draw: Draw, file: File, files: Sequence[File]) -> Condition:
    letter = next((letter for letter in file.name if letter.isalnum()), "a")
    return Condition(
        f"whose name begins with `{letter}`",
        f"-name '{letter}*'",
        f'[[ "${{f##*/}}" == {letter}* ]]',
        lambda it: it.name.startswith(letter),
    )


def _part(draw: Draw, file: File, files: Sequence[File]) -> Condition:
    letters = [letter for letter in file.name if letter.isalpha()]
    at = draw.integer(0, max(0, len(letters) - 2))
    part = file.name.lower()[at : at + 2]
    part = part if part.isalpha() else "re"
    return Condition(
        f"whose name contains `{part}`",
        f"-name '*{part}*'",
        f'[[ "${{f##*/}}" == *{part}* ]]',
        lambda it: part in it.name,
    )


def _larger(draw: Draw, file: File, files: Sequence[File]) -> Condition:
    size = max(1, file.size - draw.integer(1, 9))
    return Condition(
        f"that is larger than {size} bytes",
        f"-size +{size}c",
        f'[ "$(stat -c %s "$f")" -gt {size} ]',
        lambda it: it.size > size,
    )


def _smaller(draw: Draw, file: File, files: Sequence[File]) -> Condition:
    size = file.size + draw.integer(1, 9)
    return Condition(
        f"that is smaller than {size} bytes",
        f"-size -{size}c",
        f'[ "$(stat -c %s "$f")" -lt {size} ]',
        lambda it: it.size < size,
    )


def _after(draw: Draw, file: File, files: Sequence[File]) -> Condition:
    moment = file.mtime - draw.integer(1, 80000)
    moment -= moment % 60
    said = stamp(moment)
    return Condition(
        f"that was last modified after {said} UTC",
        f"-newermt '{said} UTC'",
        f'[ "$(stat -c %Y "$f")" -gt {moment} ]',
        lambda it: it.mtime > moment,
    )


def _before(draw: Draw, file: File, files: Sequence[File]) -> Condition:
    moment = file.mtime + draw.integer(60, 80000)
    moment -= moment % 60
    said = stamp(moment)
    return Condition(
        f"that was last modified before {said} UTC",
        f"! -newermt '{stamp(moment - 1)} UTC'",
        f'[ "$(stat -c %Y "$f")" -lt {moment} ]',
        lambda it: it.mtime < moment,
    )


def _mode(draw: Draw, file: File, files: Sequence[File]) -> Condition:
    mode = f"{file.mode:o}"
    return Condition(
        f"whose permissions are exactly {mode} in octal",
        f"-perm {mode}",
        f'[ "$(stat -c %a "$f")" = {mode} ]',
        lambda it: it.mode == file.mode,
    )


def _owner(draw: Draw, file: File, files: Sequence[File]) -> Condition:
    user = file.owner
    return Condition(
        f"that belongs to the user with the number {user}",
        f"-uid {user}",
        f'[ "$(stat -c %u "$f")" = {user} ]',
        lambda it: it.owner == user,
    )


def _holds(draw: Draw, file: File, files: Sequence[File]) -> Condition:
    text = file.data.decode("ascii", "replace") if file.kind != "archive" else ""
    there = [thing for thing in draw.shuffled(THINGS) if thing in text]
    thing = there[0] if there else draw.pick(THINGS)
    wanted = thing.encode()
    return Condition(
        f"that contains the text `{thing}`",
        f"-exec grep -qF {word(thing)} {{}} \\;",
        f'grep -qF {word(thing)} "$f"',
        lambda it: wanted in it.data,
    )


KINDS = (_suffix, _suffix, _initial, _part, _larger, _smaller, _after, _before, _mode, _owner, _holds)
"""Ways to draw a condition that is true of the file given, the more often the more they stand here."""
