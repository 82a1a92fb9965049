"""Pieces about whole numbers: conditions on them, what is made of them, and what is made of many."""

from __future__ import annotations

from intercode_generate.draw import Draw
from intercode_generate.family import Difficulty
from intercode_generate.python.pieces import Piece


def condition(draw: Draw, level: Difficulty = "easy") -> Piece:
    """Return a condition, as a phrase that follows `that`: `is at least 5`. Two of them where the task is not easy."""
    if level == "easy" or (level == "medium" and draw.chance(0.4)):
        return draw.pick(_TESTS)(draw)
    first, second = (make(draw) for make in draw.sample(_TESTS, 2))
    if draw.chance(0.5):
        return joined(first, second, "and", f"{first.text} and also {second.text}")
    return joined(first, second, "or", f"{first.text}, or {second.text}, or both")


def joined(first: Piece, second: Piece, word: str, text: str) -> Piece:
    """Two conditions as one, by the *word* `and` or `or`, and said as *text*. Nearly right is the other word."""
    swapped = "or" if word == "and" else "and"
    wrong = [f"({first.one} {swapped} {second.one})"]
    wrong += [f"({each} {word} {second.one})" for each in first.wrong[:1]]
    wrong += [f"({first.one} {word} {each})" for each in second.wrong[:1]]
    other = f"({second.other} {word} {first.other})"
    numbers = (*first.numbers, *second.numbers)
    return Piece(text, f"({first.one} {word} {second.one})", other, tuple(wrong), numbers, steps=2)


def _divisible(draw: Draw) -> Piece:
    by = draw.integer(2, 9)
    return Piece(f"is divisible by {by}", f"@ % {by} == 0", f"not @ % {by}", (f"@ % {by + 1} == 0", f"@ % {by} != 0"))


def _remainder(draw: Draw) -> Piece:
    by = draw.integer(3, 11)
    rest = draw.integer(1, by - 1)
    return Piece(
        f"leaves the remainder {rest} when divided by {by} (by Python's `%`)",
        f"@ % {by} == {rest}",
        f"(@ - {rest}) % {by} == 0",
        (f"@ % {by} == {rest - 1}", f"@ % {by} >= {rest}"),
        (rest, rest + by, rest - by),
    )


def _at_least(draw: Draw) -> Piece:
    bound = draw.integer(-20, 30)
    return Piece(f"is at least {bound}", f"@ >= {bound}", f"not @ < {bound}", (f"@ > {bound}",), (bound,))


def _below(draw: Draw) -> Piece:
    bound = draw.integer(-20, 30)
    return Piece(f"is less than {bound}", f"@ < {bound}", f"not @ >= {bound}", (f"@ <= {bound}",), (bound,))


def _between(draw: Draw) -> Piece:
    low = draw.integer(-20, 15)
    high = low + draw.integer(2, 25)
    return Piece(
        f"lies between {low} and {high} (both included)",
        f"{low} <= @ <= {high}",
        f"@ in range({low}, {high + 1})",
        (f"{low} <= @ < {high}", f"{low} < @ <= {high}"),
        (low, high),
    )


def _near(draw: Draw) -> Piece:
    middle, most = draw.integer(-15, 15), draw.integer(2, 12)
    return Piece(
        f"differs from {middle} by at most {most}",
        f"abs(@ - {middle}) <= {most}",
        f"{middle - most} <= @ <= {middle + most}",
        (f"abs(@ - {middle}) < {most}", f"@ - {middle} <= {most}"),
        (middle - most, middle + most),
    )


def _last_digit(draw: Draw) -> Piece:
    digit = draw.integer(1, 9)
    return Piece(
        f"ends in the decimal digit {digit} (whatever its sign)",
        f"abs(@) % 10 == {digit}",
        f"str(@)[-1] == '{digit}'",
        (f"@ % 10 == {digit}", f"str(@)[0] == '{digit}'"),
        (digit, digit + 10),
    )


def _digit_sum(draw: Draw) -> Piece:
    bound = draw.integer(3, 12)
    return Piece(
        f"has decimal digits that add up to at least {bound} (the sign does not count)",
        f"sum(map(int, str(abs(@)))) >= {bound}",
        f"not sum(int(digit) for digit in str(@).lstrip('-')) < {bound}",
        (f"sum(map(int, str(abs(@)))) > {bound}", f"abs(@) >= {bound}"),
        (bound, bound + 9, 10 * bound),
    )


_TESTS = (_divisible, _remainder, _at_least, _below, _between, _near, _last_digit, _digit_sum)


def change(draw: Draw, level: Difficulty = "easy") -> Piece:
    """Return what is made of a number, as a noun: `3 times the number`.

    Two changes, one after the other, where it is hard.
    """
    first = draw.pick(_CHANGES)(draw)
    if level != "hard":
        return first._replace(text=first.text.replace("#", "the number"))
    second = draw.pick([make for make in _CHANGES if make is not _clamped])(draw)
    text = f"{second.text.replace('#', 'that result')}, where that result is {first.text.replace('#', 'the number')}"

    def of(outer: str, inner: str) -> str:
        return outer.replace("@", f"({inner})")

    wrong = tuple(of(second.one, each) for each in first.wrong[:1]) + tuple(
        of(each, first.one) for each in second.wrong
    )
    return Piece(
        text, of(second.one, first.one), of(second.other, first.other), (*wrong, first.one), first.numbers, steps=2
    )


def _scaled(draw: Draw) -> Piece:
    by, more = draw.integer(2, 7), draw.integer(1, 9)
    return Piece(
        f"{by} times #, plus {more}",
        f"@ * {by} + {more}",
        f"{more} + {by} * @",
        (f"(@ + {more}) * {by}", f"@ * {by} + {more + 1}"),
    )


def _reduced(draw: Draw) -> Piece:
    by, less = draw.integer(2, 5), draw.integer(1, 9)
    return Piece(
        f"{by} times # minus {less}", f"@ * {by} - {less}", f"-{less} - @ * -{by}", (f"{less} - @ * {by}", f"@ * {by}")
    )


def _squared(draw: Draw) -> Piece:
    less = draw.integer(1, 20)
    return Piece(
        f"{less} less than the square of #",
        f"(@) ** 2 - {less}",
        f"(@) * (@) - {less}",
        (f"((@) - {less}) ** 2", f"(@) * 2 - {less}"),
    )


def _modulo(draw: Draw) -> Piece:
    by = draw.integer(3, 13)
    return Piece(
        f"the remainder of # when divided by {by} (by Python's `%`)",
        f"(@) % {by}",
        f"(@) - {by} * ((@) // {by})",
        (f"(@) % {by + 1}", f"abs(@) % {by}"),
        (by, -by),
    )


def _divided(draw: Draw) -> Piece:
    by = draw.integer(2, 9)
    return Piece(
        f"# divided by {by} and rounded down, as Python's `//` does it",
        f"(@) // {by}",
        f"((@) - (@) % {by}) // {by}",
        (f"int((@) / {by})", f"-(-(@) // {by})"),
        (by, -by),
    )


def _distance(draw: Draw) -> Piece:
    other = draw.integer(-40, 40)
    return Piece(
        f"the absolute difference of # and {other}",
        f"abs(@ - {other})",
        f"max(@ - {other}, {other} - (@))",
        (f"@ - {other}", f"abs(@ - {other + 1})"),
        (other,),
    )


def _clamped(draw: Draw) -> Piece:
    low = draw.integer(-15, 10)
    high = low + draw.integer(4, 25)
    return Piece(
        f"# limited to the range from {low} to {high} (below it {low}, above it {high})",
        f"max({low}, min({high}, @))",
        f"sorted(({low}, @, {high}))[1]",
        (f"max({low}, min({high - 1}, @))", f"min({high}, @)", f"max({low}, @)"),
        (low, high),
    )


def _digits(draw: Draw) -> Piece:
    by = draw.integer(2, 9)
    return Piece(
        f"{by} times the sum of the decimal digits of # (the sign does not count)",
        f"{by} * sum(map(int, str(abs(@))))",
        f"sum({by} * int(digit) for digit in str(@).lstrip('-'))",
        (f"{by + 1} * sum(map(int, str(abs(@))))", f"{by} * len(str(abs(@)))"),
        (9, 10),
    )


_CHANGES = (_scaled, _reduced, _squared, _modulo, _divided, _distance, _clamped, _digits)


def key(draw: Draw) -> Piece:
    """Return a change by which numbers can be ranked: many numbers share a value, and their order is not their own."""
    found = draw.pick((_modulo, _distance, _distance, _digits))(draw)
    return found._replace(text=found.text.replace("#", "the number"))


def summary(draw: Draw) -> Piece:
    """Return what is made of many numbers, as a noun before `of`: its code has `@` for a list that is not empty."""
    return draw.pick(
        [
            Piece("sum", "sum(@)", "sum(sorted(@))", ("max(@)", "len(@)")),
            Piece("largest", "max(@)", "sorted(@)[-1]", ("min(@)", "@[-1]")),
            Piece("smallest", "min(@)", "sorted(@)[0]", ("max(@)", "@[0]")),
            Piece(
                "range (largest minus smallest)",
                "max(@) - min(@)",
                "sorted(@)[-1] - sorted(@)[0]",
                ("@[-1] - @[0]", "max(@)"),
            ),
            Piece(
                "sum of squares",
                "sum(each * each for each in @)",
                "sum(each ** 2 for each in @)",
                ("sum(@) ** 2", "sum(@)"),
            ),
            Piece(
                "lower median (of an even number of values the smaller of the two in the middle)",
                "sorted(@)[(len(@) - 1) // 2]",
                "sorted(@, reverse=True)[len(@) // 2]",
                ("sorted(@)[len(@) // 2]", "@[(len(@) - 1) // 2]"),
            ),
        ]
    )
