"""Lists of whole numbers whose order matters: windows, runs, neighbours, ranks."""

from __future__ import annotations

from intercode_generate.draw import Draw
from intercode_generate.family import Difficulty
from intercode_generate.python import numbers
from intercode_generate.python.pieces import choice, number
from intercode_generate.python.registry import family
from intercode_generate.python.sketch import Arguments, Sketch

EDGES: tuple[Arguments, ...] = (([],), ([0],), ([-1, 1],), ([5, 5, 5, 5],))


@family(
    "Write {call}: for every {width} neighbouring numbers of the list `values` (the first {width}, then those that "
    "begin "
    "one place later, and so on to the end) it takes {change} for each of them, and the {summary} of these. It returns "
    "all "
    "results in a list, in order.",
    "A window of {width} numbers slides over the list `values`, one place at a time. [Write|Define] {call}, which "
    "returns "
    "the list of what each window gives: the {summary} of what is made of its numbers. Made of each number is "
    "{change}.",
    "Define a function {call}. First replace each number of `values` by {change}. Then return a list with the "
    "{summary} of "
    "each {width} consecutive values, beginning at every place at which that many are left.",
)
def windows(draw: Draw, level: Difficulty) -> Sketch:
    """Return a summary of each window."""
    return Sketch(
        "values",
        "def NAME(values):\n    made = [<change:each> for each in values]\n"
        "    windows = [made[at:at + <width>] for at in range(len(made) - <width> + 1)]\n"
        "    return [<summary:window> for window in windows]",
        "def NAME(values):\n    found, window = [], []\n    for each in values:\n        window.append(<change:each>)\n"
        "        if len(window) == <width>:\n            found.append(<summary:window>)\n            window = "
        "window[1:]\n"
        "    return found",
        lambda it: (it.integers(0, 10),),
        EDGES,
        {
            "width": number(draw.integer(2, 4), least=2),
            "change": numbers.change(draw, level),
            "summary": numbers.summary(draw),
        },
        wrong=(
            "def NAME(values):\n    made = [<change:each> for each in values]\n"
            "    windows = [made[at:at + <width>] for at in range(len(made))]\n"
            "    return [<summary:window> for window in windows]",
            "def NAME(values):\n    made = [<change:each> for each in values]\n"
            "    windows = [made[at:at + <width>] for at in range(len(made) - <width>)]\n"
            "    return [<summary:window> for window in windows]",
        ),
        rules=("A list with fewer numbers than that gives an empty list.",),
        steps=2,
    )


@family(
    "Write {call}. Cut the list `values` into groups of {width}, from the front. Of each group, in order, return the "
    "{summary} of its numbers, after replacing each of them by {change}. {tail}",
    "{call} returns a list with one integer for each group of {width} numbers: the first {width} of `values` are a "
    "group, "
    "the next {width} another, and so on. That integer is the {summary} of the group's results, where the result of a "
    "number is {change}. {tail}",
    "Take the integers of `values` {width} at a time, from the start, no number twice. Define {call} such that each "
    "such "
    "group gives the {summary} of what its numbers become, in one list. A number becomes {change}. {tail}",
)
def groups(draw: Draw, level: Difficulty) -> Sketch:
    """Return a summary of each group."""
    drops = draw.chance(0.5)
    tail = "A last group with fewer numbers is left out." if drops else "The last group may have fewer numbers."
    width = number(draw.integer(2, 4), least=2)
    full = f"len(group) == {width.text}"
    fits = choice(tail, *((full, "True") if drops else ("True", full)))
    return Sketch(
        "values",
        "def NAME(values):\n    groups = [values[at:at + <width>] for at in range(0, len(values), <width>)]\n"
        "    made = [[<change:each> for each in group] for group in groups if <tail>]\n"
        "    return [<summary:group> for group in made]",
        "def NAME(values):\n    found, group = [], []\n    for place, each in enumerate(values, 1):\n"
        "        group.append(<change:each>)\n        if len(group) == <width>"
        + ("" if drops else " or place == len(values)")
        + ":\n            found.append(<summary:group>)\n            group = []\n    return found",
        lambda it: (it.integers(0, 11),),
        EDGES,
        {"width": width, "change": numbers.change(draw, level), "summary": numbers.summary(draw), "tail": fits},
        rules=("An empty list gives an empty list.",),
        steps=2,
    )


@family(
    "A run is a stretch of neighbouring numbers in `values` that all meet this: the number {keep}. [Write|Define] "
    "{call}, "
    "which returns [the longest run|the run with the most numbers] as a list, every number in it replaced by {change}. "
    "{tie}",
    "Write a function {call} that finds the longest stretch of consecutive numbers of the list `values` in which each "
    "number {keep}. Return a new list: for each number of the stretch, in order, {change}. {tie}",
    "{call} looks for consecutive numbers in the list `values` such that each number {keep}; as many as there can be. "
    "It "
    "returns a list in which each of them is replaced by {change}, in their order. {tie}",
)
def longest_run(draw: Draw, level: Difficulty) -> Sketch:
    """Return the longest run of numbers that meet a condition."""
    first = draw.chance(0.5)
    texts = (
        "If several are equally long, take the first of them.",
        "If several are equally long, take the last of them.",
    )
    tie = choice(*((texts[0], ">", ">=") if first else (texts[1], ">=", ">")))
    pick = "runs" if first else "runs[::-1]"
    return Sketch(
        "values",
        "def NAME(values):\n    best, run = [], []\n    for each in values:\n"
        "        run = run + [each] if <keep:each> else []\n        if len(run) <tie> len(best):\n            best = "
        "run\n"
        "    return [<change:each> for each in best]",
        "def NAME(values):\n    runs = [[]]\n    for each in values:\n        if <keep:each>:\n"
        "            runs[-1].append(each)\n        else:\n            runs.append([])\n"
        f"    best = max({pick}, key=len)\n    return [<change:each> for each in best]",
        lambda it: (it.integers(0, 12),),
        EDGES,
        {"keep": numbers.condition(draw, level), "change": numbers.change(draw, level), "tie": tie},
        wrong=("def NAME(values):\n    return [<change:each> for each in values if <keep:each>]",),
        rules=("If no number meets the condition, return an empty list.",),
        steps=2,
    )


@family(
    "Write {call}: it returns the {count} numbers of `values` that come first when they are ranked, as a list. The "
    "rank of a "
    "number is decided by {change}: {high} come first. Equal ones stay in the order of the list.",
    "Rank the integers in the list `values`. What counts for each is {change}; {high} are ahead, and among equal ones "
    "the "
    "one that stands earlier in the list. Define {call}, which returns the first {count} numbers (the numbers "
    "themselves) "
    "of that ranking.",
    "[Define|Write] a function {call} that sorts the list `values` by this key: {change}. In the sorted list {high} "
    "come "
    "first, and numbers with equal keys keep their order. Return its first {count} numbers.",
)
def ranked(draw: Draw, level: Difficulty) -> Sketch:
    """Return the first of a ranking."""
    key = numbers.change(draw, level) if level == "hard" else numbers.key(draw)
    largest = draw.chance(0.5)
    high = choice(*(("large values", "-", "") if largest else ("small values", "", "-")))
    sign = "-" if largest else ""
    return Sketch(
        "values",
        "def NAME(values):\n    return sorted(values, key=lambda each: <high>(<change:each>))[:<count>]",
        f"def NAME(values):\n    keys = [({sign}(<change:each>), place) for place, each in enumerate(values)]\n"
        "    return [values[place] for _, place in sorted(keys)][:<count>]",
        lambda it: (it.integers(0, 10),),
        EDGES,
        {"count": number(draw.integer(2, 6), least=1), "change": key, "high": high},
        wrong=(
            "def NAME(values):\n    return sorted(values, key=lambda each: (<high>(<change:each>), each))[:<count>]",
            "def NAME(values):\n    return sorted(<change:each> for each in values)[:<count>]",
            "def NAME(values):\n    return sorted(values, key=lambda each: <high>(<change:each>))[::-1][-<count>:]",
        ),
        rules=("If the list has fewer numbers, return all of them, ranked.",),
        steps=2,
    )


@family(
    "Write {call}. It returns the places in the list `values` of the numbers that meet this: the number {keep}. The "
    "first "
    "place is {first}. {order}",
    "At which places of `values` is there a number that {keep}? {call} returns them as a list of integers. Places are "
    "counted from {first}. {order}",
    "Define a function {call} that returns a list of indexes, counted from {first}: those of each number in the list "
    "`values` that {keep}. {order}",
)
def places(draw: Draw, level: Difficulty) -> Sketch:
    """Return where numbers stand."""
    rising = draw.chance(0.5)
    texts = ("Small places come first.", "Large places come first.")
    order = choice(*((texts[0], "", "[::-1]") if rising else (texts[1], "[::-1]", "")))
    turned = "found" if rising else "list(reversed(found))"
    return Sketch(
        "values",
        "def NAME(values):\n    return [place for place, each in enumerate(values, <first>) if <keep:each>]<order>",
        "def NAME(values):\n    found = []\n    for at in range(len(values)):\n        each = values[at]\n"
        f"        if <keep:each>:\n            found.append(at + <first>)\n    return {turned}",
        lambda it: (it.integers(),),
        EDGES,
        {"keep": numbers.condition(draw, level), "first": number(draw.integer(0, 5)), "order": order},
        wrong=(
            "def NAME(values):\n    return [values.index(each) + <first> for each in values if <keep:each>]<order>",
        ),
        rules=("If there are none, return an empty list.",),
    )


@family(
    "Write {call}. It goes through `values` from front to back and adds up, beginning at {start}: for each number, "
    "{change} "
    "is added. As soon as the sum is above {limit}, it is set to {start} again, right after that addition. Return a "
    "list "
    "with the sum after each number (the new one where it was set back).",
    "A sum begins at {start}. For each integer of `values`, in order, {change} is added to it; a sum that is more than "
    "{limit} then becomes {start}. [Define|Write] {call}, which returns the list of the sums, one for each number, "
    "each "
    "taken after both steps.",
    "{call} keeps a running sum, at first {start}. Each number of the list `values` in turn raises it by {change}. If "
    "the "
    "sum is greater than {limit} after that, it starts over at {start}. Return what the sum is after each number, "
    "starting "
    "over included, as a list.",
)
def running(draw: Draw, level: Difficulty) -> Sketch:
    """Return a running sum that starts over."""
    start, limit = number(draw.integer(0, 9)), number(draw.integer(12, 60))
    return Sketch(
        "values",
        "def NAME(values):\n    found, now = [], <start>\n    for each in values:\n        now += <change:each>\n"
        "        if now > <limit>:\n            now = <start>\n        found.append(now)\n    return found",
        "def NAME(values):\n    found = [<start>]\n    for each in values:\n        now = found[-1] + (<change:each>)\n"
        "        found.append(now if now <= <limit> else <start>)\n    return found[1:]",
        lambda it: (it.integers(0, 10, -12, 40),),
        (([],), ([0],), ([1, 1, 1],), ([30, 30],)),
        {"start": start, "limit": limit, "change": numbers.change(draw, level)},
        wrong=(
            "def NAME(values):\n    found, now = [], <start>\n    for each in values:\n        now += <change:each>\n"
            "        found.append(now)\n        if now > <limit>:\n            now = <start>\n    return found",
            "def NAME(values):\n    found, now = [], <start>\n    for each in values:\n        now += <change:each>\n"
            "        if now >= <limit>:\n            now = <start>\n        found.append(now)\n    return found",
        ),
        rules=("An empty list gives an empty list.",),
        steps=3,
    )
