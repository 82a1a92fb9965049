"""Pieces about graphs: which ways there are, and what is barred."""

from __future__ import annotations

from intercode_generate.draw import Draw
from intercode_generate.python.inputs import NODES
from intercode_generate.python.pieces import Piece


def edge_ways(draw: Draw) -> Piece:
    """Return whether edges are one-way: its code are the pairs that an edge stands for."""
    if draw.chance(0.5):
        return Piece(
            "An edge leads only from its first node to its second.",
            "edges",
            "[(a, b) for a, b in edges]",
            ("edges + [[b, a] for a, b in edges]", "[[b, a] for a, b in edges]"),
            steps=0,
        )
    return Piece(
        "An edge can be used in both directions.",
        "edges + [[b, a] for a, b in edges]",
        "[(a, b) for a, b in edges] + [(b, a) for a, b in edges]",
        ("edges", "[[b, a] for a, b in edges]"),
        steps=0,
    )


def node_order(draw: Draw) -> Piece:
    """Return how a list of nodes is ordered."""
    return draw.pick(
        [
            Piece("in alphabetical order", "sorted(@)", "sorted(@, reverse=True)[::-1]", ("sorted(@)[::-1]",), steps=0),
            Piece(
                "in reverse alphabetical order", "sorted(@)[::-1]", "sorted(@, reverse=True)", ("sorted(@)",), steps=0
            ),
        ]
    )


def barred_nodes(draw: Draw) -> Piece:
    """Nodes that may not be entered."""
    letters = "".join(sorted(draw.sample("bcdefg", draw.integer(1, 2))))
    said = " and ".join(letters)
    return Piece(
        f"The {'node' if len(letters) == 1 else 'nodes'} {said} may not be entered (beginning there is allowed).",
        f"@ not in '{letters}'",
        f"not @ in {list(letters)}",
        ("True", f"@ not in '{letters[0]}x{NODES[0]}'"),
    )


OPEN = Piece("", "True", "@ == @", steps=0)
