"""Lists of records: dicts with a name, a group and mostly a count."""

from __future__ import annotations

from intercode_generate.draw import Draw
from intercode_generate.family import Difficulty
from intercode_generate.python import numbers, words
from intercode_generate.python.inputs import Inputs
from intercode_generate.python.pieces import Piece, choice
from intercode_generate.python.registry import family
from intercode_generate.python.sketch import Arguments, Sketch


def _records(it: Inputs) -> list[dict[str, object]]:
    """Records with a name, a group and a number, which may be missing."""
    found: list[dict[str, object]] = []
    for _ in range(it.draw.integer(0, 7)):
        record: dict[str, object] = {"name": it.word(), "group": it.draw.pick("pqr"), "count": it.integer(-40, 60)}
        if it.draw.chance(0.2):
            del record["count"]
        found.append(record)
    return found


RECORDS: tuple[Arguments, ...] = (
    ([],),
    ([{"name": "tea", "group": "p", "count": 0}],),
    ([{"name": "tea", "group": "p"}, {"name": "eel", "group": "p", "count": 7}],),
    ([{"name": "b", "group": "q", "count": 4}, {"name": "a", "group": "q", "count": 4}],),
)


@family(
    "Write {call}. Each record is a dict with the keys `name` and `group` (texts) and mostly `count` (an integer). "
    "Return a "
    "dict from groups to {summary} of the results of their records, where the result of a record is {change}, and the "
    "number "
    "is its `count`. Only records count whose `count` {keep}. {missing}",
    "{call} gets a list of dicts, each with a text `group`, a text `name`, and usually an integer `count`. A record "
    "takes part "
    "if its `count` {keep}. It gives {change} (the number being its `count`). The function returns a dict: to each "
    "`group` of "
    "a record that takes part, {summary} of what its records give. {missing}",
    "Define {call} over a list of records: dicts with `name`, `group`, and often `count`. Drop every record unless its "
    "`count` "
    "{keep}. What is left is put together by `group` in a dict whose values are {summary} of this: {change}, where the "
    "number "
    "is the record's `count`. {missing}",
)
def by_group(draw: Draw, level: Difficulty) -> Sketch:
    """Return a figure for each group of records."""
    found = numbers.summary(draw)
    said = Piece(f"the {found.text}", found.one, found.other, found.wrong)
    default = draw.integer(-9, 9)
    skips = draw.chance(0.4)
    if skips:
        missing = choice("A record without `count` is skipped.", "'count' in r", "True")
        got = "r.get('count', 0)"
    else:
        text = f"A record without `count` is treated as if its `count` were {default}."
        missing, got = choice(text, "True", "'count' in r"), f"r.get('count', {default})"
    ok = "'count' in r" if skips else "r"
    return Sketch(
        "records",
        f"""
        def NAME(records):
            groups = {{}}
            for r in records:
                each = {got}
                if <missing> and (<keep:each>):
                    groups.setdefault(r['group'], []).append(<change:each>)
            return {{key: <summary:made> for key, made in groups.items()}}
        """,
        f"""
        def NAME(records):
            counts = [(r['group'], {got}) for r in records if {ok}]
            kept = [(group, each) for group, each in counts if <keep:each>]
            result = {{}}
            for key in [group for group, _ in kept]:
                made = [<change:each> for group, each in kept if group == key]
                result[key] = <summary:made>
            return result
        """,
        lambda it: (_records(it),),
        RECORDS,
        {
            "summary": said,
            "change": numbers.change(draw, level),
            "keep": numbers.condition(draw, level),
            "missing": missing,
        },
        rules=("A group without such records is not in the dict.",),
        steps=2,
    )


@family(
    "Write {call}. `records` are dicts with `name` and `group` (texts) and mostly `count` (an integer). Return the "
    "list of the "
    "names of those records whose name {keep}, ordered {order}.",
    "{call} gets a list of dicts. Each has the texts `name` and `group`, and usually an integer `count`. For each "
    "whose `name` "
    "{keep}, the name is in the list that is returned. The order is {order}.",
    "Define {call}, which picks the records whose `name` {keep} from a list of dicts with `name`, `group` and often "
    "`count`, and "
    "returns their names as a list, {order}.",
)
def names_in_order(draw: Draw, level: Difficulty) -> Sketch:
    """Records sorted by two keys."""
    default = draw.integer(-5, 20)
    count = f"r.get('count', {default})"
    down = draw.chance(0.5)
    sign, wrong_sign = ("-", "") if down else ("", "-")
    large = "large" if down else "small"
    orders = [
        (
            f"by `count`, {large} ones first, and by name in alphabetical order where that is equal",
            f"({sign}{count}, r['name'])",
            (f"({wrong_sign}{count}, r['name'])", f"{sign}{count}"),
        ),
        (
            f"by `group` in alphabetical order, and in each group by `count`, {large} ones first; what is equal in "
            f"both stays "
            "in the order of `records`",
            f"(r['group'], {sign}{count})",
            (f"({sign}{count}, r['group'])", f"(r['group'], {sign}{count}, r['name'])", "r['group']"),
        ),
        (
            f"by the number of letters in the name, short ones first, and by `count`, {large} ones first, where that "
            f"is equal; "
            "what is equal in both stays in the order of `records`",
            f"(len(r['name']), {sign}{count})",
            (f"(len(r['name']), {wrong_sign}{count})", "len(r['name'])", f"(r['name'], {sign}{count})"),
        ),
    ]
    text, key, wrong = draw.pick(orders)
    return Sketch(
        "records",
        "def NAME(records):\n    kept = [r for r in records for name in [r['name']] if <keep:name>]\n"
        "    return [r['name'] for r in sorted(kept, key=lambda r: <order>)]",
        """
        def NAME(records):
            found = []
            for place, r in enumerate(records):
                name = r['name']
                if <keep:name>:
                    found.append((<order>, place, name))
            return [name for _, _, name in sorted(found)]
        """,
        lambda it: (_records(it),),
        RECORDS,
        {"keep": words.condition(draw, level), "order": Piece(text, key, key, wrong, steps=2)},
        rules=(f"A record without `count` counts as one with {default}.", "If there are none, return an empty list."),
        steps=1,
    )
