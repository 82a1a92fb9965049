"""What depends on what: trees, and tasks that wait for others."""

from __future__ import annotations

from intercode_generate.draw import Draw
from intercode_generate.family import Difficulty
from intercode_generate.python import numbers
from intercode_generate.python.inputs import NODES, Inputs
from intercode_generate.python.paths import node_order
from intercode_generate.python.pieces import Piece, number
from intercode_generate.python.registry import family
from intercode_generate.python.sketch import Sketch


@family(
    "Write {call}. `needs` is a dict from tasks (texts) to lists of tasks that have to be done before. Return an order "
    "for all tasks of "
    "the dict, as a list. It is made like this: of all tasks that can be done next, the next one is always {first}.",
    "{call} puts tasks in order. The dict `needs` gives for each task the list of those that must come earlier. Again "
    "and again, look "
    "at the tasks that are not yet in the order and whose needs all are; append {first} of them. Return the order as a "
    "list.",
    "Define {call}, which returns a list of the keys of the dict `needs`, each after all tasks in its value. Where "
    "several tasks could "
    "be next, it is {first} of those.",
)
def task_order(draw: Draw, level: Difficulty) -> Sketch:
    """Return a topological order."""
    firsts = [
        ("the alphabetically first", "min(@)", "sorted(@)[0]", ("max(@)", "@[0]")),
        ("the alphabetically last", "max(@)", "sorted(@)[-1]", ("min(@)", "@[-1]")),
        (
            "the one with the fewest needs, and of several such the alphabetically first",
            "min(@, key=lambda t: (len(needs[t]), t))",
            "sorted(sorted(@), key=lambda t: len(needs[t]))[0]",
            ("min(@)", "max(@, key=lambda t: (len(needs[t]), t))"),
        ),
        (
            "the one with the most needs, and of several such the alphabetically first",
            "min(@, key=lambda t: (-len(needs[t]), t))",
            "sorted(sorted(@), key=lambda t: -len(needs[t]))[0]",
            ("min(@)", "max(@, key=lambda t: (len(needs[t]), t))"),
        ),
        (
            "the one with the fewest needs, and of several such the alphabetically last",
            "max(@, key=lambda t: (-len(needs[t]), t))",
            "sorted(sorted(@)[::-1], key=lambda t: len(needs[t]))[0]",
            ("max(@)", "min(@, key=lambda t: (len(needs[t]), t))"),
        ),
    ]
    first = Piece(*draw.pick(firsts))
    letter = draw.pick("abcdef")
    mark, place = draw.pick(":->,/+="), numbers.change(draw, level)
    skip = (
        Piece("", "@", "@", steps=0)
        if level == "easy"
        else Piece(
            f"The task {letter} is done already: it is not in the order, nobody has to wait for it, and it does not "
            "count as a need.",
            f"{{t: [n for n in ns if n != '{letter}'] for t, ns in @.items() if t != '{letter}'}}",
            f"{{t: [n for n in @[t] if not n == '{letter}'] for t in @ if not t == '{letter}'}}",
            ("@", f"{{t: ns for t, ns in @.items() if t != '{letter}'}}"),
        )
    )
    count = number(draw.integer(2, 6), least=1)
    cut = count if draw.chance(0.7) else Piece("", "99", "99", ("3",), steps=0)

    def needs(it: Inputs) -> dict[str, list[str]]:
        names = it.draw.shuffled(NODES[: it.draw.integer(0, 7)])
        loop = it.draw.chance(0.2)
        return {
            name: it.draw.sample([n for n in (names if loop else names[:at]) if n != name], it.draw.integer(0, 2))
            for at, name in reversed(list(enumerate(names)))
        }

    return Sketch(
        "needs",
        """
        def NAME(needs):
            needs, order = <skip:needs>, []
            while len(order) < len(needs):
                ready = [t for t in needs if t not in order and all(n in order for n in needs[t])]
                if not ready:
                    return []
                order.append(<first:ready>)
            return [t + '<mark>' + str(<place:n>) for n, t in enumerate(order[:<cut>], 1)]
        """,
        """
        def NAME(needs):
            needs = <skip:needs>
            left, order = {t: set(ns) for t, ns in needs.items()}, []
            while left:
                ready = [t for t, ns in left.items() if not ns]
                if len(ready) == 0:
                    return []
                best = <first:ready>
                order.append(best)
                left = {t: ns - {best} for t, ns in left.items() if t != best}
            found = []
            for n in range(1, len(order) + 1):
                if n <= <cut>:
                    found.append(order[n - 1] + '<mark>' + str(<place:n>))
            return found
        """,
        lambda it: (needs(it),),
        (
            ({},),
            ({"a": []},),
            ({"b": ["a"], "a": []},),
            ({"a": ["b"], "b": ["a"]},),
            ({"d": [], "c": ["d"], "b": ["d"], "a": ["c", "b"]},),
        ),
        {"first": first, "skip": skip, "cut": cut, "place": place, "mark": Piece(mark, mark, mark, ("",), steps=0)},
        rules=(
            "Every task in a list of needs is a key of the dict as well.",
            *((skip.text,) if skip.text else ()),
            *((f"Return only the first {cut.text} tasks of the order (all, if there are fewer).",) if cut.text else ()),
            f"In the list, a task is a text of its name, `{mark}`, and this: {place.text}, where the number is its "
            "place in the order (1 for the first).",
            "If no order is possible for all tasks, return an empty list.",
        ),
        steps=2,
    )


@family(
    "Write {call}. `parents` is a dict that leads from each node of a tree to its parent; the root is no key of it. "
    "`worth` gives an "
    "integer for every node, the root included. The total of a node is its own worth plus {share} of the totals of its "
    "children, "
    "{round}. Return a list of all nodes whose total {keep}, {order}.",
    "In a tree, `parents` maps every node but the root to its parent, and `worth` maps every node, the root as well, "
    "to an integer. "
    "Totals are made from the leaves up: a node's total is its worth plus {share} of the sum of its children's totals, "
    "{round}. "
    "[Define|Write] {call}, which returns the nodes whose total {keep}, as a list {order}.",
    "{call} works on a tree: the dict `parents` has each node's parent (the root has none and is not a key), and the "
    "dict `worth` an "
    "integer for every node. To its worth each node adds {share} of what the totals of its children are together, "
    "{round}; that is "
    "its own total. Return the list, {order}, of the nodes of which the total {keep}.",
)
def tree_totals(draw: Draw, level: Difficulty) -> Sketch:
    """Totals of subtrees."""
    part = draw.integer(2, 4)
    down = draw.chance(0.5)
    shares = {
        "easy": Piece("all", "@", "1 * @", ("2 * @", "0"), steps=0),
        "medium": Piece(
            f"one part in {part}", f"@ // {part}", f"(@ - @ % {part}) // {part}", ("@", f"@ // {part + 1}")
        ),
    }
    share = shares["easy" if level == "easy" else "medium"]
    if level != "easy" and not down:
        share = Piece(share.text, f"-(-@ // {part})", f"(@ + {part - 1}) // {part}", (f"@ // {part}", "@"))
    text = (
        "which is always a whole number" if level == "easy" else f"rounded {'down' if down else 'up'} to a whole number"
    )

    def trees(it: Inputs) -> tuple[dict[str, str], dict[str, int]]:
        names = it.draw.shuffled(NODES[: it.draw.integer(1, 8)])
        parents = {name: it.draw.pick(names[:at]) for at, name in enumerate(names) if at}
        return parents, {name: it.integer(-20, 40) for name in sorted(names)}

    return Sketch(
        "parents, worth",
        """
        def NAME(parents, worth):
            def total(node):
                below = sum(total(child) for child, parent in parents.items() if parent == node)
                return worth[node] + (<share:below>)

            found = [node for node in worth for each in [total(node)] if <keep:each>]
            return <order:found>
        """,
        """
        def NAME(parents, worth):
            totals, waiting = {}, set(worth)
            while waiting:
                for node in sorted(waiting):
                    children = [child for child in parents if parents[child] == node]
                    if all(child in totals for child in children):
                        below = sum(totals[child] for child in children)
                        totals[node] = worth[node] + (<share:below>)
                        waiting.discard(node)
            found = []
            for node, each in totals.items():
                if <keep:each>:
                    found.append(node)
            return <order:found>
        """,
        trees,
        (
            ({}, {"a": 0}),
            ({"b": "a"}, {"a": 1, "b": 5}),
            ({"b": "a", "c": "b", "d": "b"}, {"a": 3, "b": -7, "c": 9, "d": 11}),
        ),
        {"share": share, "keep": numbers.condition(draw, level), "order": node_order(draw)},
        values={"round": text},
        wrong=(
            """
            def NAME(parents, worth):
                found = []
                for node in worth:
                    below = sum(worth[child] for child, parent in parents.items() if parent == node)
                    each = worth[node] + (<share:below>)
                    if <keep:each>:
                        found.append(node)
                return <order:found>
            """,
            """
            def NAME(parents, worth):
                found = [node for node, each in worth.items() if <keep:each>]
                return <order:found>
            """,
        ),
        rules=("If there are none, return an empty list.",),
        steps=3,
    )
