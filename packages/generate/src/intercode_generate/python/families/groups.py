"""Nodes that belong together."""

from __future__ import annotations

from intercode_generate.draw import Draw
from intercode_generate.family import Difficulty
from intercode_generate.python import numbers
from intercode_generate.python.inputs import NODES
from intercode_generate.python.paths import OPEN
from intercode_generate.python.pieces import Piece, number
from intercode_generate.python.registry import family
from intercode_generate.python.sketch import Sketch


@family(
    "Write {call}. Two nodes belong together if edges join them, directly or by way of others; `edges` is a list of "
    "pairs of nodes, "
    "usable both ways, and `nodes` lists all nodes. For each such group that has at least {least} nodes take {what}, "
    "and return "
    "these, sorted with {high} first, as a list.",
    "{call} looks at the connected components of an undirected graph: `nodes` is the list of its nodes (texts of one "
    "letter), "
    "`edges` a list of lists of two nodes. It returns a list with {what} of each component of {least} or more nodes. "
    "In the list, "
    "{high} come first.",
    "An undirected graph is given by a list of all `nodes` and a list of `edges`, each with two of the nodes. Define "
    "{call}: of every "
    "connected component that has no fewer than {least} nodes, the list that it returns holds {what}. It is sorted, "
    "{high} first.",
)
def components(draw: Draw, level: Difficulty) -> Sketch:
    """Something of each connected component."""
    bound, by = draw.integer(1, 4), draw.integer(2, 5)
    what = draw.pick(
        [
            Piece(
                f"{by} times the number of its nodes minus the number of its edges",
                f"{by} * len(group) - inside",
                f"-inside + len(group) * {by}",
                (f"{by} * (len(group) - inside)", f"{by} * len(group)"),
            ),
            Piece(
                f"the number of its edges plus {by}",
                f"inside + {by}",
                f"{by} + inside",
                ("inside", f"len(group) + {by}"),
            ),
            Piece(
                f"the number of its nodes times {by}",
                f"len(group) * {by}",
                f"{by} * len(group)",
                ("len(group)", f"inside * {by}"),
            ),
            Piece("the alphabetically first of its nodes", "min(group)", "sorted(group)[0]", ("max(group)",)),
            Piece(
                "a text of all its nodes in alphabetical order",
                "''.join(sorted(group))",
                "''.join(sorted(list(group)))",
                ("min(group)", "''.join(sorted(group)[::-1])"),
            ),
            Piece("the alphabetically last of its nodes", "max(group)", "sorted(group)[-1]", ("min(group)",)),
        ]
    )
    down = draw.chance(0.5)
    text = "what is large, or late in the alphabet," if down else "what is small, or early in the alphabet,"
    drop = draw.pick(NODES[:6])
    barred = (
        Piece(
            f"The node {drop}, with its edges, is not there for this: leave it out before you begin.",
            f"@ != '{drop}'",
            f"not @ == '{drop}'",
            ("True",),
        )
        if level != "easy"
        else OPEN
    )
    extra = numbers.condition(draw) if level == "hard" else Piece("", "True", "True", steps=0)
    more = f"Components count only if the number of their nodes, times 10, {extra.text}." if extra.text else ""
    high = (
        Piece(text, "sorted(@, reverse=True)", "sorted(@)[::-1]", ("sorted(@)",), steps=0)
        if down
        else Piece(text, "sorted(@)", "sorted(@, reverse=True)[::-1]", ("sorted(@)[::-1]", "@"), steps=0)
    )
    return Sketch(
        "nodes, edges",
        """
        def NAME(nodes, edges):
            nodes = [n for n in nodes if <barred:n>]
            edges = [(a, b) for a, b in edges if <barred:a> and <barred:b>]
            found, seen = [], set()
            for node in nodes:
                if node in seen:
                    continue
                group, todo = {node}, [node]
                while todo:
                    at = todo.pop()
                    for a, b in edges:
                        for one, other in ((a, b), (b, a)):
                            if one == at and other not in group:
                                group.add(other)
                                todo.append(other)
                seen |= group
                inside = sum(a in group for a, b in edges)
                each = len(group) * 10
                if len(group) >= <least> and (<extra:each>):
                    found.append(<what>)
            return <high:found>
        """,
        """
        def NAME(nodes, edges):
            name = {n: n for n in nodes if <barred:n>}
            pairs = [(a, b) for a, b in edges if a in name and b in name]
            for a, b in pairs:
                old, new = name[a], name[b]
                name = {n: new if of == old else of for n, of in name.items()}
            found = []
            for root in set(name.values()):
                group = [n for n in name if name[n] == root]
                inside = len([1 for a, b in pairs if name[b] == root])
                each = 10 * len(group)
                if not len(group) < <least> and (<extra:each>):
                    found.append(<what>)
            return <high:found>
        """,
        lambda it: (
            (names := list(NODES[: it.draw.integer(3, 8)])),
            [[a, b] for a, b in it.edges(7, 8) if a in names and b in names],
        ),
        (
            ([], []),
            (["a"], []),
            (["a", "b"], [["a", "b"]]),
            (["c", "b", "a"], [["a", "c"]]),
            (list("abcdefg"), [["a", "b"], ["b", "c"], ["a", "c"], ["d", "e"]]),
        ),
        {
            "least": number(bound, least=0),
            "what": what,
            "high": high,
            "barred": barred,
            "extra": extra,
        },
        rules=(
            *((barred.text,) if barred.text else ()),
            *((more,) if more else ()),
            "A node without edges is a group of its own. If both `[a, b]` and `[b, a]` are in the list, they are "
            "two edges.",
            "If there is nothing to return, return an empty list.",
        ),
        steps=3,
    )
