"""Dicts: grouping, merging, turning round, and lists of records."""

from __future__ import annotations

from intercode.generate.draw import Draw
from intercode.generate.family import Difficulty
from intercode.generate.python import numbers, words
from intercode.generate.python.inputs import Inputs
from intercode.generate.python.pieces import Piece, choice, number
from intercode.generate.python.registry import family
from intercode.generate.python.sketch import Sketch

COUNTS = (({},), ({"tea": 0},), ({"b": 2, "a": 2, "seed": -1},))


def _records(it: Inputs) -> list[dict[str, object]]:
    """Records with a name, a group and a number, which may be missing."""
    found: list[dict[str, object]] = []
    for _ in range(it.draw.integer(0, 7)):
        record: dict[str, object] = {"name": it.word(), "group": it.draw.pick("pqr"), "count": it.integer(-40, 60)}
        if it.draw.chance(0.2):
            del record["count"]
        found.append(record)
    return found


RECORDS = (
    ([],),
    ([{"name": "tea", "group": "p", "count": 0}],),
    ([{"name": "tea", "group": "p"}, {"name": "eel", "group": "p", "count": 7}],),
    ([{"name": "b", "group": "q", "count": 4}, {"name": "a", "group": "q", "count": 4}],),
)


@family(
    "Write {call}. It groups the words of the list `words` that {keep}: the key of a group is {key}. Return a dict "
    "from the "
    "keys to {value}.",
    "{call} takes a list of words of small letters. From those of which each {keep} it makes a dict. Words for which "
    "{key} is "
    "the same belong together, and that is their key. The value is {value}.",
    "Define {call}, which returns a dict. Its keys are all that {key} can be for the words in the list `words` of "
    "which each "
    "{keep}. The value for a key is {value}.",
)
def grouped(draw: Draw, level: Difficulty) -> Sketch:
    """Words in groups."""
    at = draw.integer(1, 3)
    by = draw.integer(2, 4)
    key = draw.pick(
        [
            Piece("the number of letters in the word", "len(@)", "sum(1 for _ in @)", ("@[0]", "len(set(@))")),
            Piece(f"what the first {at} letters of the word are (of a shorter word, all)" if at > 1 else
                  "the first letter of the word", f"@[:{at}]", f"''.join(list(@)[:{at}])",
                  (f"@[:{at + 1}]", f"@[-{at}:]")),
            Piece(f"what the last {at} letters of the word are (of a shorter word, all)" if at > 1 else
                  "the last letter of the word", f"@[-{at}:]", f"@[::-1][:{at}][::-1]",
                  (f"@[-{at + 1}:]", f"@[:{at}]")),
            Piece("the number of vowels (a, e, i, o, u) in the word", "sum(c in 'aeiou' for c in @)",
                  "sum(map(@.count, 'aeiou'))", ("len(@)", "len(set(@) & set('aeiou'))")),
            Piece(f"the remainder of the number of letters divided by {by}", f"len(@) % {by}",
                  f"len(@) - {by} * (len(@) // {by})", (f"len(@) % {by + 1}", f"len(@) // {by}")),
        ]
    )  # fmt: skip
    value = draw.pick(
        [
            Piece("the list of its words, in the order of `words`", "@", "list(@)", ("sorted(@)", "@[::-1]")),
            Piece("the list of its words in alphabetical order", "sorted(@)", "sorted(@, reverse=True)[::-1]",
                  ("@", "sorted(set(@))")),
            Piece("how many words it has", "len(@)", "sum(1 for _ in @)", ("len(set(@))", "max(map(len, @))")),
            Piece("how many different words it has", "len(set(@))", "len({w: 1 for w in @})", ("len(@)",)),
            Piece("its longest word, of equally long ones the first in `words`", "max(@, key=len)",
                  "sorted(@, key=lambda w: -len(w))[0]", ("max(@[::-1], key=len)", "max(@)")),
            Piece("its word that is the first in alphabetical order", "min(@)", "sorted(@)[0]", ("max(@)", "@[0]")),
            Piece("how many letters its words have together", "sum(map(len, @))", "len(''.join(@))",
                  ("len(@)", "sum(len(w) for w in set(@))")),
        ]
    )  # fmt: skip
    return Sketch(
        "words",
        """
        def NAME(words):
            groups = {}
            for word in words:
                if <keep:word>:
                    groups.setdefault(<key:word>, []).append(word)
            return {key: <value:group> for key, group in groups.items()}
        """,
        """
        def NAME(words):
            kept = [word for word in words if <keep:word>]
            result = {}
            for key in [<key:word> for word in kept]:
                group = [word for word in kept if <key:word> == key]
                result[key] = <value:group>
            return result
        """,
        lambda it: (it.words(0, 9),),
        (([],), (["a"],), (["tea", "eat", "tea"],), (["seed", "deed", "egg", "elm", "ice"],)),
        {"keep": words.test(draw, level), "key": key, "value": value},
        rules=("If there are no such words, return an empty dict.",),
        steps=2,
    )


@family(
    "Write {call}, which returns a new dict with all keys of the dicts `first` and `second` (words to integers). A key "
    "that "
    "only one of them has keeps its value. For a key of both, with x its value in `first` and y in `second`, the value "
    "is "
    "{policy}. Then only entries stay whose value {keep}.",
    "{call} merges two dicts from words to integers into a new one. Where both have a key, let x be what `first` says "
    "and y "
    "what `second` says: the merged value is {policy}. Other entries are copied. At last, every entry is removed "
    "unless its "
    "value {keep}.",
    "Define a function {call} that joins the dicts `first` and `second`, whose values are integers. Conflicts, that is "
    "keys "
    "of both, get {policy}, where x is from `first` and y from `second`. Return the dict of those entries, copied or "
    "joined, "
    "whose value meets this: it {keep}.",
)
def merged(draw: Draw, level: Difficulty) -> Sketch:
    """Two dicts in one."""
    by = draw.integer(2, 9)
    policy = draw.pick(
        [
            Piece(f"x plus {by} times y", f"x + {by} * y", f"{by} * y + x", (f"{by} * x + y", "x + y")),
            Piece(f"{by} times x, minus y", f"{by} * x - y", f"-y + x * {by}", (f"{by} * y - x", "x - y")),
            Piece(f"the larger of x and y, plus {by}", f"max(x, y) + {by}", f"{by} + (x if x > y else y)",
                  (f"max(x, y + {by})", "max(x, y)")),
            Piece(f"the smaller of x and y, minus {by}", f"min(x, y) - {by}", f"(y if x > y else x) - {by}",
                  (f"min(x, y - {by})", "min(x, y)")),
            Piece(f"x if x is at least {by}, else y", f"x if x >= {by} else y", f"y if x < {by} else x",
                  (f"x if x > {by} else y", f"y if x >= {by} else x"), (by,)),
        ]
    )  # fmt: skip
    return Sketch(
        "first, second",
        """
        def NAME(first, second):
            found = {**first, **second}
            for key in first:
                if key in second:
                    x, y = first[key], second[key]
                    found[key] = <policy>
            return {key: each for key, each in found.items() if <keep:each>}
        """,
        """
        def NAME(first, second):
            found = {}
            for key in sorted(set(first) | set(second)):
                if key in first and key in second:
                    x, y = first[key], second[key]
                    each = <policy>
                else:
                    each = first[key] if key in first else second[key]
                if <keep:each>:
                    found[key] = each
            return found
        """,
        lambda it: tuple(
            {key: it.integer(-40, 60) for key in it.draw.sample("abcdef", it.draw.integer(0, 5))} for _ in range(2)
        ),
        (({}, {}), ({"a": 1}, {}), ({}, {"b": 5}), ({"a": 3}, {"a": 3}), ({"a": 9, "b": -20}, {"a": 2, "c": 30})),
        {"policy": policy, "keep": numbers.test(draw, level)},
        wrong=(
            """
            def NAME(first, second):
                found = {**first, **second}
                for key in first:
                    if key in second:
                        x, y = first[key], second[key]
                        found[key] = <policy>
                return found
            """,
            """
            def NAME(first, second):
                return {key: each for key, each in {**first, **second}.items() if <keep:each>}
            """,
        ),
        steps=2,
    )


@family(
    "Write {call}. The dict `counts` has integers by words. Return a list of the keys whose value {keep}: those with "
    "{high} "
    "values first, equal values in {ties}. At most {count} keys are returned, the first of that order.",
    "{call} ranks the keys of the dict `counts`, which leads from words to integers. Keys stay out of it unless their "
    "value "
    "{keep}. Ahead are {high} values; keys with equal values are in {ties}. The result is a list of the first {count} "
    "keys, or "
    "of all if there are fewer.",
    "Define {call} for a dict from words to integers. It picks the keys for which the value {keep}, orders them by "
    "value with "
    "{high} ones first and by {ties} where values are equal, and returns the list of the first {count} (all, if there "
    "are "
    "not that many).",
)
def leaders(draw: Draw, level: Difficulty) -> Sketch:
    """Keys ranked by their values."""
    down, back = draw.chance(0.5), draw.chance(0.5)
    high = choice(*(("large", "-", "") if down else ("small", "", "-")))
    ties = Piece(
        "reverse alphabetical order" if back else "alphabetical order",
        "sorted(@, reverse=True)" if back else "sorted(@)",
        "sorted(@)[::-1]" if back else "sorted(@)",
        ("sorted(@)" if back else "sorted(@, reverse=True)", "list(@)"),
        steps=1,
    )
    values = f"sorted(set(counts.values())){'[::-1]' if down else ''}"
    return Sketch(
        "counts",
        """
        def NAME(counts):
            kept = [key for key, each in counts.items() if <keep:each>]
            return sorted(<ties:kept>, key=lambda key: <high>counts[key])[:<count>]
        """,
        f"""
        def NAME(counts):
            found = []
            for each in {values}:
                if <keep:each>:
                    same = [key for key in counts if counts[key] == each]
                    found.extend(<ties:same>)
            return found[:<count>]
        """,
        lambda it: ({word: it.draw.pick([it.integer(), it.integer(-3, 3)]) for word in it.words(0, 8)},),
        COUNTS,
        {"keep": numbers.test(draw, level), "high": high, "ties": ties, "count": number(draw.integer(2, 5), least=1)},
        rules=("If there are no such keys, return an empty list.",),
        steps=2,
    )


@family(
    "Write {call}, which turns a dict round. `counts` leads from words to integers. The new dict has as keys {change}, "
    "for "
    "each value of `counts`; to each it gives {value} of the words that led there.",
    "{call} takes a dict from words to integers and inverts it. A word goes under a key made of its number: {change}. "
    "The "
    "value for such a key is {value} of all words under it.",
    "Define {call}. For every entry of the dict `counts` (words to integers) calculate {change}; these are the keys of "
    "the "
    "dict to return. The value of each is {value} of the words whose numbers give that key.",
)
def inverted(draw: Draw, level: Difficulty) -> Sketch:
    """Values to keys."""
    value = draw.pick(
        [
            Piece("the alphabetically sorted list", "sorted(@)", "sorted(@, reverse=True)[::-1]",
                  ("sorted(@)[::-1]", "sorted(@)[:1]")),
            Piece("the number", "len(@)", "sum(1 for _ in @)", ("sum(map(len, @))", "1")),
            Piece("the alphabetically first", "min(@)", "sorted(@)[0]", ("max(@)", "@[-1]")),
            Piece("the alphabetically last", "max(@)", "sorted(@)[-1]", ("min(@)", "@[0]")),
            Piece("the total length (in letters, all added up)", "sum(map(len, @))", "len(''.join(@))",
                  ("len(@)", "max(map(len, @))")),
        ]
    )  # fmt: skip
    key = numbers.change(draw, "hard") if level == "hard" else numbers.key(draw)
    keep = numbers.test(draw) if level != "easy" else Piece("", "True", "True", steps=0)
    return Sketch(
        "counts",
        """
        def NAME(counts):
            found = {}
            for word, each in counts.items():
                if <keep:each>:
                    found.setdefault(<change:each>, []).append(word)
            return {key: <value:group> for key, group in found.items()}
        """,
        """
        def NAME(counts):
            pairs = [(<change:each>, word) for word, each in counts.items() if <keep:each>]
            result = {}
            for key, _ in pairs:
                group = [word for other, word in pairs if other == key]
                result[key] = <value:group>
            return result
        """,
        lambda it: ({word: it.draw.pick([it.integer(), it.integer(-3, 3)]) for word in it.words(0, 8)},),
        COUNTS,
        {"change": key, "value": value, "keep": keep},
        wrong=(
            """
            def NAME(counts):
                found = {}
                for word, each in counts.items():
                    if <keep:each>:
                        found[<change:each>] = [word]
                return {key: <value:group> for key, group in found.items()}
            """,
        ),
        rules=(
            *((f"Entries are skipped unless this holds: the number {keep.text}.",) if keep.text else ()),
            "An empty dict gives an empty dict.",
        ),
        steps=2,
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
    """A figure for each group of records."""
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
            "keep": numbers.test(draw, level),
            "missing": missing,
        },
        rules=("A group without such records is not in the dict.",),
        steps=2,
    )


@family(
    "Write {call}. It compares the dicts `old` and `new`, both from words to integers, and returns a dict with an "
    "entry for "
    "each key that is in only one of them or has different values in them. For a key of both, the entry is {both}; for "
    "one "
    "that only `new` has, {added}; for one that only `old` has, {gone}.",
    "{call} tells how the dict `new` differs from the dict `old`; their values are integers. The result is a dict. A "
    "key that "
    "both have with different values leads to {both}. A key that is new leads to {added}, and one that is gone to "
    "{gone}. Keys "
    "with equal values on both sides are left out.",
    "Define {call} for two dicts of integers. Return a dict of all differences: under a key whose values differ, "
    "{both}; under "
    "a key that is missing in `old`, {added}; under a key that is missing in `new`, {gone}. What did not change is not "
    "in it.",
)
def differences(draw: Draw, level: Difficulty) -> Sketch:
    """What changed between two dicts."""
    by, one, other = draw.integer(2, 9), draw.integer(1, 9), draw.integer(1, 9)
    both = draw.pick(
        [
            Piece(f"{by} times the increase (new minus old)", f"{by} * (new[k] - old[k])", f"new[k] * {by} - old[k] * {by}",
                  (f"{by} * (old[k] - new[k])", f"{by} * abs(new[k] - old[k])")),
            Piece(f"the new value minus {by} times the old one", f"new[k] - {by} * old[k]", f"-{by} * old[k] + new[k]",
                  (f"old[k] - {by} * new[k]", "new[k] - old[k]")),
            Piece(f"{by} times the absolute difference", f"{by} * abs(new[k] - old[k])",
                  f"abs({by} * new[k] - {by} * old[k])", (f"{by} * (new[k] - old[k])", "abs(new[k] - old[k])")),
        ]
    )  # fmt: skip
    added = Piece(f"its new value plus {one}", f"new[k] + {one}", f"{one} + new[k]", (f"new[k] - {one}", "new[k]"))
    gone = draw.pick(
        [
            Piece(
                f"its old value times {-other}", f"-{other} * old[k]", f"-(old[k] * {other})", (f"{other} * old[k]",)
            ),
            Piece(
                f"its old value minus {other}",
                f"old[k] - {other}",
                f"-{other} + old[k]",
                (f"{other} - old[k]", "old[k]"),
            ),
        ]
    )
    keep = numbers.test(draw, level) if level != "easy" else Piece("", "True", "True", steps=0)
    only = (f"At last, every entry is dropped again unless its number {keep.text}.",) if keep.text else ()
    return Sketch(
        "old, new",
        """
        def NAME(old, new):
            found = {}
            for k in {**old, **new}:
                if k not in old:
                    found[k] = <added>
                elif k not in new:
                    found[k] = <gone>
                elif old[k] != new[k]:
                    found[k] = <both>
            return {k: each for k, each in found.items() if <keep:each>}
        """,
        """
        def NAME(old, new):
            found = {k: <both> for k in old if k in new and new[k] != old[k]}
            found.update({k: <added> for k in new if k not in old})
            found.update({k: <gone> for k in old if k not in new})
            for k in list(found):
                each = found[k]
                if not (<keep:each>):
                    del found[k]
            return found
        """,
        lambda it: tuple(
            {key: it.integer(-9, 30) for key in it.draw.sample("abcdef", it.draw.integer(0, 6))} for _ in range(2)
        ),
        (({}, {}), ({"a": 1}, {"a": 1}), ({"a": 0}, {}), ({}, {"a": 0}), ({"a": 0, "b": 3}, {"a": 5, "c": -4})),
        {"both": both, "added": added, "gone": gone, "keep": keep},
        rules=(*only, "Without differences, return an empty dict."),
        steps=2,
    )


@family(
    "Write {call}. `tree` is a dict whose values are integers or again such dicts. Return a flat dict: each integer "
    "that {keep} "
    "is in it, under the keys that lead to it, joined by `{mark}`, {order}. The value is {change}.",
    "{call} flattens nested dicts: a value in `tree` is an integer or another dict of the same kind. The result has an "
    "entry for "
    "every integer that {keep}, wherever it is. Its key is the path to it, the keys joined by `{mark}` {order}; its "
    "value is "
    "{change}.",
    "Define a function {call} that takes a dict of integers and of further such dicts, to any depth. For each integer "
    "that "
    "{keep}, the dict that it returns has {change}. The key there is made of all keys on the way, with `{mark}` "
    "between, "
    "{order}.",
)
def flattened(draw: Draw, level: Difficulty) -> Sketch:
    """Nested dicts made flat."""
    mark = draw.pick(("/", ".", "-", ":", "->", "_"))
    outer = draw.chance(0.5)
    order = choice(*(("the outermost first", "", "[::-1]") if outer else ("the innermost first", "[::-1]", "")))
    join = f"path + '{mark}' + key" if outer else f"key + '{mark}' + path"

    def tree(it: Inputs, depth: int = 0) -> dict[str, object]:
        return {
            key: tree(it, depth + 1) if depth < 3 and it.draw.chance(0.35) else it.integer(-40, 60)
            for key in it.draw.sample("abcd", it.draw.integer(0 if depth else 1, 3))
        }

    return Sketch(
        "tree",
        """
        def NAME(tree):
            found = {}

            def walk(node, path):
                for key, each in node.items():
                    if isinstance(each, dict):
                        walk(each, path + [key])
                    elif <keep:each>:
                        found['<mark>'.join((path + [key])<order>)] = <change:each>

            walk(tree, [])
            return found
        """,
        f"""
        def NAME(tree):
            found, todo = {{}}, list(tree.items())
            while todo:
                path, each = todo.pop()
                if isinstance(each, dict):
                    todo += [({join}, value) for key, value in each.items()]
                elif <keep:each>:
                    found[path] = <change:each>
            return found
        """,
        lambda it: (tree(it),),
        (({},), ({"a": {}},), ({"a": {"b": {"c": 1, "d": -1}}, "b": 12},)),
        {
            "keep": numbers.test(draw, level),
            "change": numbers.change(draw, level),
            "mark": Piece(mark, mark, mark, ("",), steps=0),
            "order": order,
        },
        rules=("Empty dicts give no entry.",),
        steps=3,
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
        (f"by `count`, {large} ones first, and by name in alphabetical order where that is equal",
         f"({sign}{count}, r['name'])", (f"({wrong_sign}{count}, r['name'])", f"{sign}{count}")),
        (f"by `group` in alphabetical order, and in each group by `count`, {large} ones first; what is equal in both stays "
         "in the order of `records`", f"(r['group'], {sign}{count})",
         (f"({sign}{count}, r['group'])", f"(r['group'], {sign}{count}, r['name'])", "r['group']")),
        (f"by the number of letters in the name, short ones first, and by `count`, {large} ones first, where that is equal; "
         "what is equal in both stays in the order of `records`", f"(len(r['name']), {sign}{count})",
         (f"(len(r['name']), {wrong_sign}{count})", "len(r['name'])", f"(r['name'], {sign}{count})")),
    ]  # fmt: skip
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
        {"keep": words.test(draw, level), "order": Piece(text, key, key, wrong, steps=2)},
        rules=(f"A record without `count` counts as one with {default}.", "If there are none, return an empty list."),
        steps=1,
    )
