"""Lists of whole numbers: what is chosen of them, and what is made of it."""

from __future__ import annotations

from intercode_generate.draw import Draw
from intercode_generate.family import Difficulty
from intercode_generate.python import numbers
from intercode_generate.python.pieces import number
from intercode_generate.python.registry import family
from intercode_generate.python.sketch import Arguments, Sketch

EDGES: tuple[Arguments, ...] = (([],), ([0],), ([-1, 1],))


@family(
    "[Write|Define] a function {call} that takes a list of integers. For each number that {keep}, [in the list's "
    "order|in "
    "order], the list that it returns holds {change}.",
    "Write {call}: from a list of integers it makes a new list. Every number that {keep} is replaced by {change}; all "
    "others are left out. The order stays.",
    "I need a function {call}. `values` is a list of integers. Take those numbers of it that meet this: the number "
    "{keep}. "
    "For each, in order, return {change}, all in one list.",
)
def kept(draw: Draw, level: Difficulty) -> Sketch:
    """Numbers chosen and changed."""
    return Sketch(
        "values",
        "def NAME(values):\n    return [<change:each> for each in values if <keep:each>]",
        "def NAME(values):\n    found = []\n    for each in values:\n        if <keep:each>:\n"
        "            found += [<change:each>]\n    return found",
        lambda it: (it.integers(),),
        EDGES,
        {"keep": numbers.condition(draw, level), "change": numbers.change(draw, level)},
        wrong=(
            "def NAME(values):\n    return [<change:each> for each in values]",
            "def NAME(values):\n    return sorted(<change:each> for each in values if <keep:each>)",
        ),
        rules=("If there are none, the list is empty.",),
    )


@family(
    "Write a function {call} that looks at each number of the list `values` that {keep}, takes for it {change}, and "
    "returns the {summary} of what it took.",
    "{call} gets a list of integers and returns one integer: the {summary} of certain values, namely, for each number "
    "in "
    "the list that {keep}, {change}.",
    "Define {call}. Leave out of the list `values` whatever does not meet this: the number {keep}. Each number that is "
    "left "
    "is replaced by {change}. Return the {summary} of the outcome.",
)
def total(draw: Draw, level: Difficulty) -> Sketch:
    """Return one number made of those chosen."""
    none = number(draw.integer(-5, 5))
    return Sketch(
        "values",
        "def NAME(values):\n    found = [<change:each> for each in values if <keep:each>]\n"
        "    return <summary:found> if found else <none>",
        "def NAME(values):\n    found = []\n    for each in values:\n        if <keep:each>:\n"
        "            found.append(<change:each>)\n    if not found:\n        return <none>\n    return <summary:found>",
        lambda it: (it.integers(),),
        EDGES,
        {
            "keep": numbers.condition(draw, level),
            "change": numbers.change(draw, level),
            "summary": numbers.summary(draw),
            "none": none,
        },
        rules=(f"If no number is left, return {none.text}.",),
    )
