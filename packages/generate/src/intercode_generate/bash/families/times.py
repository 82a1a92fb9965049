"""Modification times: set, copied, and used as an order."""

from __future__ import annotations

from intercode_generate.bash.contents import stamp
from intercode_generate.bash.registry import family
from intercode_generate.bash.select import select
from intercode_generate.bash.shell import new_path, word
from intercode_generate.bash.world import BashWorld
from intercode_generate.draw import Draw
from intercode_generate.family import Difficulty, Draft


@family(
    "Set the modification time of every {files} to {moment} UTC.",
    "Every {files} should look as if it was last modified at {moment} UTC. Change nothing but the times.",
    "Give the modification time {moment} UTC to each {files}.",
)
def set_time(draw: Draw, world: BashWorld, difficulty: Difficulty) -> Draft | None:
    """Return one time for a selection."""
    chosen = select(draw, world, difficulty)
    if chosen is None:
        return None
    seconds = 1577836800 + draw.integer(0, 900) * 86400 + draw.integer(0, 1439) * 60
    moment = stamp(seconds)
    touch = f"-exec touch -d '{moment} UTC' {{}} +"
    return Draft(
        {"files": chosen.text, "moment": moment},
        f"{chosen.find} {touch}",
        chosen.loop(f'touch -m -d @{seconds} "$f"'),
        (
            *(f"{wrong.find} {touch}" for wrong in chosen.wrong if not set(chosen.files) <= set(wrong.files)),
            f"{chosen.find} -exec touch -d '{stamp(seconds + 1)} UTC' {{}} +",
            f"{chosen.find} -exec touch {{}} +",
        ),
        chosen.steps + 1,
    )


@family(
    "Print the modification day, as `YYYY-MM-DD` in UTC, one blank and the full path of every {files}. One line "
    "each, the "
    "one modified first at the top.",
    "For each {files}, print `DAY PATH`: the day of its last modification (UTC, as 2024-01-31) and the full path. Sort "
    "by the time of modification, the oldest first.",
    "List every {files}, ordered by modification time from old to new. A line is `YYYY-MM-DD PATH`, with the day in "
    "UTC "
    "and the full path.",
)
def by_time(draw: Draw, world: BashWorld, difficulty: Difficulty) -> Draft | None:
    """Return a selection by age."""
    chosen = select(draw, world, difficulty, least=3)
    if chosen is None:
        return None
    order = "-printf '%T@ %TY-%Tm-%Td %p\\n' | sort -n | cut -d ' ' -f 2-"
    loop = 'printf "%s %s %s\\n" "$(stat -c %Y "$f")" "$(date -u -r "$f" +%F)" "$f"'
    return Draft(
        {"files": chosen.text},
        f"{chosen.find} {order}",
        f"{chosen.loop(loop)} | sort -k 1,1n | sed 's/^[0-9]* //'",
        (
            *(f"{wrong.find} {order}" for wrong in chosen.wrong),
            f"{chosen.find} {order.replace('sort -n', 'sort -rn')}",
            f"{chosen.find} -printf '%TY-%Tm-%Td %p\\n' | sort -k 2",
        ),
        chosen.steps + 3,
    )


@family(
    "[Make|Create] the folder `{target}`. Copy the {number} most recently modified files into it with plain `cp`, "
    "names "
    "unchanged, out of these: every {files}.",
    "Into a new folder `{target}` go copies, made by `cp` without options and under the same names, of the {number} "
    "files that were modified last. The choice is among every {files}.",
    "Of every {files}, take the {number} with the latest modification times, and copy them (`cp` without options, same "
    "names) directly into a new folder `{target}`.",
    difficulties=("medium", "hard"),
)
def copy_newest(draw: Draw, world: BashWorld, difficulty: Difficulty) -> Draft | None:
    """Return the newest of a selection, copied."""
    chosen = select(draw, world, difficulty, least=4, most=30)
    if chosen is None:
        return None
    number, target = draw.integer(2, 3), new_path(draw, world)
    newest = sorted(chosen.files, key=lambda file: -file.mtime)
    if len({file.name for file in newest[: number + 1]}) <= number:
        return None
    right = set(newest[:number])
    wrong = [each for each in chosen.wrong if set(sorted(each.files, key=lambda file: -file.mtime)[:number]) != right]
    make = f"mkdir {word(target)} &&"

    def take(paths: str, order: str, count: int) -> str:
        rows = f"{paths} -printf '%T@\\t%p\\n' | sort {order} | head -n {count} | cut -f 2"
        return f"{make} {rows} | xargs -d '\\n' cp -t {word(target)}"

    ages = chosen.loop('printf "%s\\t%s\\n" "$(stat -c %Y "$f")" "$f"')
    return Draft(
        {"files": chosen.text, "target": target, "number": str(number)},
        take(chosen.find, "-rn", number),
        f"mkdir -p {word(target)}; {ages} | sort -n | tail -n {number} | cut -f 2- | while IFS= read -r f; do "
        f'cp -- "$f" {word(target)}; done',
        (
            *(take(each.find, "-rn", number) for each in wrong),
            take(chosen.find, "-rn", number + 1),
            take(chosen.find, "-n", number),
        ),
        chosen.steps + 4,
    )
