"""Maps of fields, as lists of texts."""

from __future__ import annotations

from intercode_generate.draw import Draw
from intercode_generate.family import Difficulty
from intercode_generate.python.inputs import Inputs
from intercode_generate.python.pieces import Piece, number
from intercode_generate.python.registry import family
from intercode_generate.python.sketch import Sketch


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
    near = (
        Piece(
            "if they share a side",
            four,
            "[(i, j) for i in (-1, 0, 1) for j in (-1, 0, 1) if abs(i) + abs(j) == 1]",
            (eight,),
            steps=0,
        )
        if plus
        else Piece("if they share a side or a corner", eight, eight, (four,), steps=0)
    )
    by, more = draw.integer(2, 9), draw.integer(1, 9)
    low = draw.integer(2, 4)
    size = draw.pick(
        [
            Piece(
                f"that have at least {low} fields",
                f"len(@) >= {low}",
                f"not len(@) < {low}",
                (f"len(@) > {low}", "True"),
            ),
            Piece(
                f"that have at most {low} fields",
                f"len(@) <= {low}",
                f"not len(@) > {low}",
                (f"len(@) < {low}", "True"),
            ),
            Piece(
                "that have no field at the edge of the map (first or last row or column)",
                "all(0 < y < len(rows) - 1 and 0 < x < len(rows[0]) - 1 for y, x in @)",
                "not any(y in (0, len(rows) - 1) or x in (0, len(rows[0]) - 1) for y, x in @)",
                ("True", "all(0 < y < len(rows) - 1 for y, x in @)"),
            ),
            Piece(
                "that have a field at the edge of the map (first or last row or column)",
                "any(y in (0, len(rows) - 1) or x in (0, len(rows[0]) - 1) for y, x in @)",
                "not all(0 < y < len(rows) - 1 and 0 < x < len(rows[0]) - 1 for y, x in @)",
                ("True", "any(y in (0, len(rows) - 1) for y, x in @)"),
            ),
        ]
    )
    what = draw.pick(
        [
            Piece(
                f"{by} times the number of areas, plus {more},",
                f"{by} * len(@) + {more}",
                f"{more} + len(@) * {by}",
                (f"{by} * (len(@) + {more})", "len(@)"),
            ),
            Piece(
                f"the number of fields (plus {more}) of all areas together",
                f"sum(map(len, @)) + {more}",
                f"{more} + sum(len(each) for each in @)",
                (f"len(@) + {more}", "sum(map(len, @))"),
            ),
            Piece(
                f"{by} times the number of fields of the largest area (0 without one) of those",
                f"{by} * max(map(len, @), default=0)",
                f"max([0] + [len(each) * {by} for each in @])",
                (f"{by} * min(map(len, @), default=0)", "max(map(len, @), default=0)"),
            ),
            Piece(
                f"the sorted list (small numbers first) of {by} times the number of fields, for all areas",
                f"sorted({by} * len(each) for each in @)",
                f"[n * {by} for n in sorted(map(len, @))]",
                ("sorted(map(len, @))", f"sorted({by} * len(each) for each in @)[::-1]"),
            ),
        ]
    )
    rock = draw.pick("xo") if level != "easy" else ""
    walls = (
        Piece(f"Fields marked `{rock}` are rock, too.", f"in '#{rock}'", f"in ['#', '{rock}']", ("== '#'",))
        if rock
        else Piece("", "== '#'", "in ['#']", steps=0)
    )
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
