"""Graphs, given as lists of edges."""

from __future__ import annotations

from intercode.generate.draw import Draw
from intercode.generate.family import Difficulty
from intercode.generate.python import numbers
from intercode.generate.python.inputs import NODES, Inputs
from intercode.generate.python.pieces import Piece, choice, number
from intercode.generate.python.registry import family
from intercode.generate.python.sketch import Sketch


def _ways(draw: Draw) -> Piece:
    """Whether edges are one-way: its code are the pairs that an edge stands for."""
    if draw.chance(0.5):
        return Piece("An edge leads only from its first node to its second.", "edges", "[(a, b) for a, b in edges]",
                     ("edges + [[b, a] for a, b in edges]", "[[b, a] for a, b in edges]"), steps=0)  # fmt: skip
    return Piece("An edge can be used in both directions.", "edges + [[b, a] for a, b in edges]",
                 "[(a, b) for a, b in edges] + [(b, a) for a, b in edges]",
                 ("edges", "[[b, a] for a, b in edges]"), steps=0)  # fmt: skip


def _order(draw: Draw) -> Piece:
    return draw.pick(
        [
            Piece("in alphabetical order", "sorted(@)", "sorted(@, reverse=True)[::-1]", ("sorted(@)[::-1]",), steps=0),
            Piece(
                "in reverse alphabetical order", "sorted(@)[::-1]", "sorted(@, reverse=True)", ("sorted(@)",), steps=0
            ),
        ]
    )


def _barred(draw: Draw) -> Piece:
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
    most = number(low + draw.integer(0 if low else 1, 2), least=low)
    barred = OPEN if level == "easy" else _barred(draw)
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
            return <order:found>
        """,
        """
        from collections import deque

        def NAME(edges, start):
            near = {}
            for a, b in <ways>:
                if <barred:b>:
                    near.setdefault(a, []).append(b)
            found, seen, queue = [], {start}, deque([(start, 0)])
            while queue:
                node, far = queue.popleft()
                if far >= <least> and not far > <most>:
                    found.append(node)
                for other in near.get(node, []):
                    if other not in seen:
                        seen.add(other)
                        queue.append((other, far + 1))
            return <order:found>
        """,
        lambda it: (it.edges(10), it.draw.pick(NODES[:4])),
        (([], "a"), ([["a", "b"]], "a"), ([["b", "a"]], "a"), ([["a", "b"], ["b", "c"], ["c", "d"], ["d", "a"]], "a")),
        {"ways": _ways(draw), "least": number(low, least=0), "most": most, "order": _order(draw), "barred": barred},
        rules=(
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
    """The cost of the cheapest way."""
    extra, cap = draw.integer(1, 9), draw.integer(10, 20)
    many = draw.integer(2, 3)
    tolls = [
        Piece(f"Every edge on the way costs {extra} more than its cost.", f"cost + {extra}", f"{extra} + cost",
              ("cost", f"cost + {extra + 1}")),
        Piece(f"Every edge on the way costs {many} times its cost, plus {extra}.", f"{many} * cost + {extra}",
              f"{extra} + cost * {many}", (f"{many} * (cost + {extra})", "cost")),
        Piece(f"An edge whose cost is above {cap} counts as {cap}.", f"min(cost, {cap})", f"(cost if cost < {cap} else {cap})",
              ("cost", f"min(cost, {cap - 1})")),
        Piece(f"Edges whose cost is above {cap} cannot be used.", f"(cost if cost <= {cap} else 10 ** 9)",
              f"(10 ** 9 if cost > {cap} else cost)", (f"(cost if cost < {cap} else 10 ** 9)", "cost")),
    ]  # fmt: skip
    none = draw.pick((-1, 0))
    ways = draw.chance(0.5)
    said = "An edge leads only from a to b." if ways else "An edge leads from a to b and from b to a."
    one, both = "edges", "edges + [[b, a, cost] for a, b, cost in edges]"
    barred = OPEN if level == "easy" else _barred(draw)
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
            Piece(f"{by} times the number of its nodes minus the number of its edges", f"{by} * len(group) - inside",
                  f"-inside + len(group) * {by}", (f"{by} * (len(group) - inside)", f"{by} * len(group)")),
            Piece(f"the number of its edges plus {by}", f"inside + {by}", f"{by} + inside", ("inside", f"len(group) + {by}")),
            Piece(f"the number of its nodes times {by}", f"len(group) * {by}", f"{by} * len(group)",
                  ("len(group)", f"inside * {by}")),
            Piece("the alphabetically first of its nodes", "min(group)", "sorted(group)[0]", ("max(group)",)),
            Piece("a text of all its nodes in alphabetical order", "''.join(sorted(group))", "''.join(sorted(list(group)))",
                  ("min(group)", "''.join(sorted(group)[::-1])")),
            Piece("the alphabetically last of its nodes", "max(group)", "sorted(group)[-1]", ("min(group)",)),
        ]
    )  # fmt: skip
    down = draw.chance(0.5)
    text = "what is large, or late in the alphabet," if down else "what is small, or early in the alphabet,"
    drop = draw.pick(NODES[:6])
    barred = (
        Piece(f"The node {drop}, with its edges, is not there for this: leave it out before you begin.", f"@ != '{drop}'",
              f"not @ == '{drop}'", ("True",))
        if level != "easy" else OPEN
    )  # fmt: skip
    extra = numbers.test(draw) if level == "hard" else Piece("", "True", "True", steps=0)
    more = f"Components count only if the number of their nodes, times 10, {extra.text}." if extra.text else ""
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
        lambda it: ((names := list(NODES[: it.draw.integer(3, 8)])), [e for e in it.edges(7, 8) if set(e) <= set(names)]),
        (([], []), (["a"], []), (["a", "b"], [["a", "b"]]), (["c", "b", "a"], [["a", "c"]]),
         (list("abcdefg"), [["a", "b"], ["b", "c"], ["a", "c"], ["d", "e"]])),
        {
            "least": number(bound, least=0),
            "what": what,
            "high": Piece(text, *(("sorted(@, reverse=True)", "sorted(@)[::-1]", ("sorted(@)",)) if down else
                                  ("sorted(@)", "sorted(@, reverse=True)[::-1]", ("sorted(@)[::-1]", "@"))), steps=0),
            "barred": barred,
            "extra": extra,
        },
        rules=(*((barred.text,) if barred.text else ()), *((more,) if more else ()),
               "A node without edges is a group of its own. If both `[a, b]` and `[b, a]` are in the list, they are "
               "two edges.",
            "If there is nothing to return, return an empty list."),
        steps=3,
    )  # fmt: skip


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
            (f"{one} times the number of edges that leave it plus {other} times the number of edges that come in",
             f"{one} * out + {other} * come", f"{other} * come + out * {one}",
             (f"{other} * out + {one} * come", f"{one} * (out + come)")),
            (f"{one} times the number of edges that come in minus {other} times the number of edges that leave it",
             f"{one} * come - {other} * out", f"come * {one} - out * {other}",
             (f"{one} * out - {other} * come", "come - out")),
            (f"the number of edges that leave it times the number of those that come in, plus {one}",
             f"out * come + {one}", f"{one} + come * out", (f"out + come + {one}", f"out * (come + {one})")),
        ]
    )  # fmt: skip
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
            "keep": numbers.test(draw, level),
            "order": _order(draw),
        },
        rules=("If there are none, return an empty list.",),
        steps=2,
    )


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
    """A topological order."""
    firsts = [
        ("the alphabetically first", "min(@)", "sorted(@)[0]", ("max(@)", "@[0]")),
        ("the alphabetically last", "max(@)", "sorted(@)[-1]", ("min(@)", "@[-1]")),
        ("the one with the fewest needs, and of several such the alphabetically first", "min(@, key=lambda t: (len(needs[t]), t))",
         "sorted(sorted(@), key=lambda t: len(needs[t]))[0]", ("min(@)", "max(@, key=lambda t: (len(needs[t]), t))")),
        ("the one with the most needs, and of several such the alphabetically first", "min(@, key=lambda t: (-len(needs[t]), t))",
         "sorted(sorted(@), key=lambda t: -len(needs[t]))[0]", ("min(@)", "max(@, key=lambda t: (len(needs[t]), t))")),
        ("the one with the fewest needs, and of several such the alphabetically last", "max(@, key=lambda t: (-len(needs[t]), t))",
         "sorted(sorted(@)[::-1], key=lambda t: len(needs[t]))[0]", ("max(@)", "min(@, key=lambda t: (len(needs[t]), t))")),
    ]  # fmt: skip
    first = Piece(*draw.pick(firsts))
    letter = draw.pick("abcdef")
    marks = [
        Piece(f"a text of the tasks joined by `{m}`", f"'{m}'.join(@)", f"'{m}'.join(list(@))", ("@",)) for m in "->,/+"
    ]
    forms = {
        "easy": [Piece("the list of all tasks", "@", "list(@)", ("@[::-1]", "sorted(@)"), steps=0)],
        "medium": [Piece("the list of all tasks", "@", "list(@)", ("@[::-1]", "sorted(@)"), steps=0)],
        "hard": marks,
    }
    form = draw.pick(forms[level])
    skip = (
        Piece("", "@", "@", steps=0)
        if level == "easy"
        else Piece(
            f"The task {letter} is done already: it is not in the order, and nobody has to wait for it.",
            f"{{t: [n for n in ns if n != '{letter}'] for t, ns in @.items() if t != '{letter}'}}",
            f"{{t: [n for n in @[t] if not n == '{letter}'] for t in @ if not t == '{letter}'}}",
            ("@", f"{{t: ns for t, ns in @.items() if t != '{letter}'}}"),
        )
    )
    count = number(draw.integer(2, 6), least=1)
    cut = count if draw.chance(0.7) else Piece("", "99", "99", ("3",), steps=0)
    failed = "[]" if level != "hard" else "''"

    def needs(it: Inputs) -> dict[str, list[str]]:
        names = it.draw.shuffled(NODES[: it.draw.integer(0, 7)])
        loop = it.draw.chance(0.2)
        return {
            name: it.draw.sample([n for n in (names if loop else names[:at]) if n != name], it.draw.integer(0, 2))
            for at, name in reversed(list(enumerate(names)))
        }

    return Sketch(
        "needs",
        f"""
        def NAME(needs):
            needs, order = <skip:needs>, []
            while len(order) < len(needs):
                ready = [t for t in needs if t not in order and all(n in order for n in needs[t])]
                if not ready:
                    return {failed}
                order.append(<first:ready>)
            order = order[:<cut>]
            return <form:order>
        """,
        f"""
        def NAME(needs):
            needs = <skip:needs>
            left, order = {{t: set(ns) for t, ns in needs.items()}}, []
            while left:
                ready = [t for t, ns in left.items() if not ns]
                if len(ready) == 0:
                    return {failed}
                best = <first:ready>
                order.append(best)
                left = {{t: ns - {{best}} for t, ns in left.items() if t != best}}
            order = order[:<cut>]
            return <form:order>
        """,
        lambda it: (needs(it),),
        (({},), ({"a": []},), ({"b": ["a"], "a": []},), ({"a": ["b"], "b": ["a"]},),
         ({"d": [], "c": ["d"], "b": ["d"], "a": ["c", "b"]},)),
        {"first": first, "skip": skip, "form": form, "cut": cut},
        rules=(
            "Every task in a list of needs is a key of the dict as well.",
            *((skip.text,) if skip.text else ()),
            *((f"Return only the first {cut.text} tasks of the order (all, if there are fewer).",) if cut.text else ()),
            *((f"Return not a list, but {form.text}.",) if level == "hard" else ()),
            f"If no order is possible for all tasks, return an empty {'text' if level == 'hard' else 'list'}.",
        ),
        steps=2,
    )  # fmt: skip


@family(
    "Write {call}. `rows` is a list of texts of equal length, a map: `#` is rock, everything else is free. Fields are "
    "neighbours {near}. "
    "An area is a set of free fields that hang together by neighbours, as large as it can be. Return {what} {size}.",
    "A map is given as `rows`, texts of the same length in which `#` marks rock; other characters are free fields. "
    "Free fields that "
    "are connected, over neighbours {near}, are an area. [Define|Write] {call}, which returns {what} {size}.",
    "{call} reads a map, a list of equally long texts. Each character is a field, `#` a rock. Two fields touch {near}. "
    "Fields that are "
    "no rocks and touch, directly or over others, are one area. The function returns {what} {size}.",
)
def areas(draw: Draw, level: Difficulty) -> Sketch:
    """Areas on a map."""
    four = "((0, 1), (1, 0), (0, -1), (-1, 0))"
    eight = "[(i, j) for i in (-1, 0, 1) for j in (-1, 0, 1) if i or j]"
    plus = draw.chance(0.5)
    near = Piece("if they share a side", four, "[(i, j) for i in (-1, 0, 1) for j in (-1, 0, 1) if abs(i) + abs(j) == 1]", (eight,),
                 steps=0) if plus else Piece("if they share a side or a corner", eight, eight, (four,), steps=0)  # fmt: skip
    by, more = draw.integer(2, 9), draw.integer(1, 9)
    low = draw.integer(2, 4)
    size = draw.pick(
        [
            Piece(f"that have at least {low} fields", f"len(@) >= {low}", f"not len(@) < {low}", (f"len(@) > {low}", "True")),
            Piece(f"that have at most {low} fields", f"len(@) <= {low}", f"not len(@) > {low}", (f"len(@) < {low}", "True")),
            Piece("that have no field at the edge of the map (first or last row or column)",
                  "all(0 < y < len(rows) - 1 and 0 < x < len(rows[0]) - 1 for y, x in @)",
                  "not any(y in (0, len(rows) - 1) or x in (0, len(rows[0]) - 1) for y, x in @)",
                  ("True", "all(0 < y < len(rows) - 1 for y, x in @)")),
            Piece("that have a field at the edge of the map (first or last row or column)",
                  "any(y in (0, len(rows) - 1) or x in (0, len(rows[0]) - 1) for y, x in @)",
                  "not all(0 < y < len(rows) - 1 and 0 < x < len(rows[0]) - 1 for y, x in @)",
                  ("True", "any(y in (0, len(rows) - 1) for y, x in @)")),
        ]
    )  # fmt: skip
    what = draw.pick(
        [
            Piece(f"{by} times the number of areas, plus {more},", f"{by} * len(@) + {more}", f"{more} + len(@) * {by}",
                  (f"{by} * (len(@) + {more})", "len(@)")),
            Piece(f"the number of fields (plus {more}) of all areas together", f"sum(map(len, @)) + {more}",
                  f"{more} + sum(len(each) for each in @)", (f"len(@) + {more}", "sum(map(len, @))")),
            Piece(f"{by} times the number of fields of the largest area (0 without one) of those",
                  f"{by} * max(map(len, @), default=0)", f"max([0] + [len(each) * {by} for each in @])",
                  (f"{by} * min(map(len, @), default=0)", "max(map(len, @), default=0)")),
            Piece(f"the sorted list (small numbers first) of {by} times the number of fields, for all areas",
                  f"sorted({by} * len(each) for each in @)", f"[n * {by} for n in sorted(map(len, @))]",
                  ("sorted(map(len, @))", f"sorted({by} * len(each) for each in @)[::-1]")),
        ]
    )  # fmt: skip
    rock = draw.pick("xo") if level != "easy" else ""
    walls = Piece(f"Fields marked `{rock}` are rock, too.", f"in '#{rock}'", f"in ['#', '{rock}']", ("== '#'",)) if rock else Piece(
        "", "== '#'", "in ['#']", steps=0
    )  # fmt: skip
    least = number(draw.integer(2, 4)) if level == "hard" else Piece("", "0", "0", steps=0)
    only = f"Areas with {least.text} fields exactly are left out before all else." if level == "hard" else ""

    def rows(it: Inputs) -> list[str]:
        width = it.draw.integer(1, 6)
        return [
            it.text(it.draw.pick(["..#", ".#", f".#{rock or '.'}"]), width, width) for _ in range(it.draw.integer(0, 5))
        ]

    return Sketch(
        "rows",
        """
        def NAME(rows):
            free = {(y, x) for y, row in enumerate(rows) for x, c in enumerate(row) if not c <walls>}
            areas = []
            while free:
                area, todo = set(), [free.pop()]
                while todo:
                    y, x = todo.pop()
                    area.add((y, x))
                    for i, j in <near>:
                        if (y + i, x + j) in free:
                            free.remove((y + i, x + j))
                            todo.append((y + i, x + j))
                areas.append(area)
            kept = [area for area in areas if (<size:area>) and len(area) != <least>]
            return <what:kept>
        """,
        """
        def NAME(rows):
            number = {}
            for y, row in enumerate(rows):
                for x, c in enumerate(row):
                    if not c <walls>:
                        number[y, x] = len(number)
            changed = True
            while changed:
                changed = False
                for y, x in number:
                    for i, j in <near>:
                        if number.get((y + i, x + j), 0) > number[y, x]:
                            number[y + i, x + j], changed = number[y, x], True
            areas = [[at for at in number if number[at] == n] for n in sorted(set(number.values()))]
            kept = [area for area in areas if <size:area> and not len(area) == <least>]
            return <what:kept>
        """,
        lambda it: (rows(it),),
        (
            ([],),
            (["."],),
            (["#"],),
            (["..#", "##.", "..."],),
            ([".#.", "#.#", ".#."],),
            (["#####", "#..x#", "#o#.#", "#####"],),
        ),
        {"near": near, "size": size, "what": what, "walls": walls, "least": least},
        rules=(*((walls.text,) if rock else ()), *((only,) if only else ()), "An empty list is a map without areas."),
        steps=3,
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
        {"share": share, "keep": numbers.test(draw, level), "order": _order(draw)},
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
