"""Graphs, given as lists of edges."""

from __future__ import annotations

from intercode_generate.draw import Draw
from intercode_generate.family import Difficulty
from intercode_generate.python import numbers
from intercode_generate.python.inputs import NODES, Inputs
from intercode_generate.python.paths import OPEN, barred_nodes, edge_ways, node_order
from intercode_generate.python.pieces import Piece, number
from intercode_generate.python.registry import family
from intercode_generate.python.sketch import Sketch


@family(
    "Write {call}. `edges` is a list of pairs of nodes (texts). Return the list of the nodes that can be reached from "
    "`start` with "
    "{least} steps at least and {most} at most on the shortest way, {order}. {ways}",
    "{call} returns a list of nodes, {order}: those whose shortest way from the node `start` has from {least} to "
    "{most} edges, both "
    "included. The graph is given by `edges`, a list of lists of two nodes. {ways}",
    "How far is it from `start`? In the graph of the list `edges`, each a list of two nodes, a node's distance is the "
    "least number "
    "of edges on a way to it. Define {call}, which returns all nodes with a distance of {least} to {most} (both "
    "included) as a "
    "list {order}. {ways}",
)
def reachable(draw: Draw, level: Difficulty) -> Sketch:
    """Nodes within a distance."""
    low = draw.integer(0, 2)
    of = numbers.change(draw, level)
    most = number(low + draw.integer(0 if low else 1, 2), least=low)
    barred = OPEN if level == "easy" else barred_nodes(draw)
    return Sketch(
        "edges, start",
        """
        def NAME(edges, start):
            pairs = <ways>
            distance, front, step = {start: 0}, [start], 0
            while front:
                step += 1
                front = sorted({b for a, b in pairs if a in front and b not in distance and <barred:b>})
                distance.update((node, step) for node in front)
            found = [node for node, far in distance.items() if <least> <= far <= <most>]
            return [[node, <of:distance[node]>] for node in <order:found>]
        """,
        """
        from collections import deque

        def NAME(edges, start):
            near = {}
            for a, b in <ways>:
                if <barred:b>:
                    near.setdefault(a, []).append(b)
            found, seen, queue, steps = [], {start}, deque([(start, 0)]), {}
            while queue:
                node, far = queue.popleft()
                steps[node] = far
                if far >= <least> and not far > <most>:
                    found.append(node)
                for other in near.get(node, []):
                    if other not in seen:
                        seen.add(other)
                        queue.append((other, far + 1))
            return [[node, <of:steps[node]>] for node in <order:found>]
        """,
        lambda it: (it.edges(10), it.draw.pick(NODES[:4])),
        (([], "a"), ([["a", "b"]], "a"), ([["b", "a"]], "a"), ([["a", "b"], ["b", "c"], ["c", "d"], ["d", "a"]], "a")),
        {
            "ways": edge_ways(draw),
            "least": number(low, least=0),
            "most": most,
            "order": node_order(draw),
            "barred": barred,
            "of": of,
        },
        rules=(
            f"In place of each node, the list has a list of the node and {of.text}, the number being its distance.",
            *((barred.text,) if barred.text else ()),
            "The node `start` itself has the distance 0, also where no edge has it.",
        ),
        steps=2,
    )


@family(
    "Write {call}. Each of `edges` is a list `[a, b, cost]` of two nodes and a positive integer. Return the least "
    "total cost of a way "
    "from `start` to `goal`. {toll} {ways}",
    "{call} returns what the cheapest way from the node `start` to the node `goal` costs, where `edges` is a list of "
    "`[a, b, cost]` "
    "(nodes a and b, a positive integer cost). {toll} {ways}",
    "Define {call}, which finds the cheapest way through a graph, from `start` to `goal`, and returns its cost. The "
    "graph is a list "
    "of edges `[a, b, cost]`, each cost a positive integer. {toll} {ways}",
)
def cheapest(draw: Draw, level: Difficulty) -> Sketch:
    """Return the cost of the cheapest way."""
    extra, cap = draw.integer(1, 9), draw.integer(10, 20)
    many = draw.integer(2, 3)
    tolls = [
        Piece(
            f"Every edge on the way costs {extra} more than its cost.",
            f"cost + {extra}",
            f"{extra} + cost",
            ("cost", f"cost + {extra + 1}"),
        ),
        Piece(
            f"Every edge on the way costs {many} times its cost, plus {extra}.",
            f"{many} * cost + {extra}",
            f"{extra} + cost * {many}",
            (f"{many} * (cost + {extra})", "cost"),
        ),
        Piece(
            f"An edge whose cost is above {cap} counts as {cap}.",
            f"min(cost, {cap})",
            f"(cost if cost < {cap} else {cap})",
            ("cost", f"min(cost, {cap - 1})"),
        ),
        Piece(
            f"Edges whose cost is above {cap} cannot be used.",
            f"(cost if cost <= {cap} else 10 ** 9)",
            f"(10 ** 9 if cost > {cap} else cost)",
            (f"(cost if cost < {cap} else 10 ** 9)", "cost"),
        ),
    ]
    none = draw.pick((-1, 0))
    ways = draw.chance(0.5)
    said = "An edge leads only from a to b." if ways else "An edge leads from a to b and from b to a."
    one, both = "edges", "edges + [[b, a, cost] for a, b, cost in edges]"
    barred = OPEN if level == "easy" else barred_nodes(draw)
    limit = number(draw.integer(25, 60)) if level == "hard" else Piece("", str(10**8), str(10**8), steps=0)
    last = f"A way that costs more than {limit.text} in all does not count." if limit.text else ""

    def roads(it: Inputs) -> list[list[object]]:
        costs = [cap, cap + 1, 1, 2, limit.numbers[0] if limit.numbers else 5]
        return [
            [a, b, it.draw.pick(costs) if it.draw.chance(0.4) else it.draw.integer(1, 30)] for a, b in it.edges(11, 5)
        ]

    edge = ["a", "b", cap]
    return Sketch(
        "edges, start, goal",
        f"""
        def NAME(edges, start, goal):
            roads, best = <ways>, {{start: 0}}
            for _ in range(len(roads) + 1):
                for a, b, cost in roads:
                    if a in best and <barred:b>:
                        sum_to = best[a] + <toll>
                        if b not in best or sum_to < best[b]:
                            best[b] = sum_to
            return best[goal] if best.get(goal, 10 ** 9) <= <limit> else {none}
        """,
        f"""
        import heapq

        def NAME(edges, start, goal):
            near = {{}}
            for a, b, cost in <ways>:
                if <barred:b>:
                    near.setdefault(a, []).append((b, <toll>))
            queue, done = [(0, start)], set()
            while queue:
                so_far, node = heapq.heappop(queue)
                if node == goal:
                    return {none} if so_far > <limit> else so_far
                if node not in done:
                    done.add(node)
                    for other, cost in near.get(node, []):
                        heapq.heappush(queue, (so_far + cost, other))
            return {none}
        """,
        lambda it: (roads(it), it.draw.pick("ab"), it.draw.pick("bcde")),
        (([], "a", "b"), ([], "a", "a"), ([edge], "a", "b"), ([edge], "b", "a"), ([edge, ["b", "c", 1]], "a", "c")),
        {
            "toll": draw.pick(tolls),
            "ways": Piece(said, one if ways else both, one if ways else both, (both if ways else one,), steps=0),
            "barred": barred,
            "limit": limit,
        },
        rules=(
            *((barred.text,) if barred.text else ()),
            *((last,) if last else ()),
            f"If there is no way, return {none}. From a node to itself the cost is 0.",
        ),
        steps=3,
    )


@family(
    "Write {call}. `edges` is a list of pairs of nodes, each a list `[a, b]` that leads from a to b. Return a list, "
    "{order}, of the "
    "nodes for which {figure} {keep}.",
    "{call} takes a directed graph as a list of edges `[a, b]` (from a to b). It returns those of its nodes for which "
    "the "
    "following number {keep}: {figure}. They are in a list {order}.",
    "Define {call} for a list of directed edges, `[a, b]` from a to b. For each node of an edge, calculate {figure}. "
    "Return the "
    "nodes for which that number {keep}, as a list {order}.",
)
def degrees(draw: Draw, level: Difficulty) -> Sketch:
    """Nodes by how many edges they have."""
    one, other = draw.integer(2, 7), draw.integer(2, 7)
    figure = draw.pick(
        [
            (
                f"{one} times the number of edges that leave it plus {other} times the number of edges that come in",
                f"{one} * out + {other} * come",
                f"{other} * come + out * {one}",
                (f"{other} * out + {one} * come", f"{one} * (out + come)"),
            ),
            (
                f"{one} times the number of edges that come in minus {other} times the number of edges that leave it",
                f"{one} * come - {other} * out",
                f"come * {one} - out * {other}",
                (f"{one} * out - {other} * come", "come - out"),
            ),
            (
                f"the number of edges that leave it times the number of those that come in, plus {one}",
                f"out * come + {one}",
                f"{one} + come * out",
                (f"out + come + {one}", f"out * (come + {one})"),
            ),
        ]
    )
    return Sketch(
        "edges",
        """
        def NAME(edges):
            found = []
            for node in {node for edge in edges for node in edge}:
                out = sum(a == node for a, b in edges)
                come = sum(b == node for a, b in edges)
                each = <figure>
                if <keep:each>:
                    found.append(node)
            return <order:found>
        """,
        """
        from collections import Counter

        def NAME(edges):
            leaving, coming = Counter(a for a, _ in edges), Counter(b for _, b in edges)
            found = []
            for node in sorted({**leaving, **coming}):
                out, come = leaving[node], coming[node]
                each = <figure>
                if <keep:each>:
                    found.append(node)
            return <order:found>
        """,
        lambda it: (it.edges(14, 6),),
        (([],), ([["a", "b"]],), ([["a", "b"], ["b", "a"]],), ([["a", "b"], ["a", "c"], ["a", "d"], ["d", "a"]],)),
        {
            "figure": Piece(figure[0], figure[1], figure[2], figure[3]),
            "keep": numbers.condition(draw, level),
            "order": node_order(draw),
        },
        rules=("If there are none, return an empty list.",),
        steps=2,
    )
