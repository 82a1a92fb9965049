"""Small classes, whose tests make an object and call its methods one after the other."""

from __future__ import annotations

from intercode_generate.draw import Draw
from intercode_generate.family import Difficulty
from intercode_generate.python import numbers
from intercode_generate.python.inputs import Inputs
from intercode_generate.python.objects import class_sketch
from intercode_generate.python.pieces import Piece, number
from intercode_generate.python.registry import family
from intercode_generate.python.sketch import Arguments, Sketch


@family(
    "Write a class for an account, made by {call} with an integer of money. Its method `put(amount)` adds {bonus} and "
    "returns "
    "the new balance. Its method `take(amount)` takes the amount and a fee of {fee} from the balance and returns True; "
    "but if the "
    "balance would be below {floor} then, nothing changes and it returns False. `balance()` returns the balance.",
    "Define a class {call}: an account that begins with that integer as its balance. Methods: `put(amount)`, where the "
    "balance "
    "grows by {bonus}, and which returns the balance after that; `take(amount)`, which lowers the balance by the "
    "amount plus "
    "{fee} and returns True, unless that would leave less than {floor}: then it changes nothing and returns False; and "
    "`balance()`, which tells the balance.",
    "An account is an object made by {call}, whose argument is the first balance, an integer. `balance()` returns what "
    "is on it. "
    "`put(amount)` raises that by {bonus}, and returns it. `take(amount)` reduces it by the amount and by another "
    "{fee} as a fee. "
    "If less than {floor} would be left, it is refused: it returns False and changes nothing; else it returns True.",
)
def account(draw: Draw, level: Difficulty) -> Sketch:
    """Return a balance with a fee and a floor."""
    over, by = draw.integer(10, 40), draw.integer(1, 6)
    bonuses = [
        Piece("the amount", "amount", "amount * 1", ("-amount", "0"), steps=0),
        Piece(
            f"the amount, and by {by} more if it is at least {over}",
            f"amount + ({by} if amount >= {over} else 0)",
            f"amount + {by} * (not amount < {over})",
            (f"amount + ({by} if amount > {over} else 0)", f"amount + {by}"),
            (over,),
        ),
        Piece(
            f"the amount minus {by}, but never less than 0",
            f"max(0, amount - {by})",
            f"(amount - {by} if amount > {by} else 0)",
            (f"amount - {by}", "amount"),
            (by,),
        ),
    ]
    bonus = bonuses[0] if level == "easy" else draw.pick(bonuses[1:])
    floor = number(draw.integer(-30, 5))
    fee = number(draw.integer(1, 9), least=0)
    many = draw.integer(2, 4)
    limit = level == "hard"
    rule = f"After {many} refusals `take` always refuses." if limit else ""
    guard = Piece(rule, f"self.refused >= {many}", f"not self.refused < {many}", (f"self.refused > {many}", "False"))
    guard = guard if limit else Piece("", "False", "None", steps=0)

    def operations(it: Inputs) -> Arguments:
        amounts = [over, over - 1, by, it.draw.integer(0, 60), it.draw.integer(0, 20)]
        found: list[list[object]] = []
        for _ in range(it.draw.integer(2, 8)):
            name = it.draw.pick(("put", "take", "take", "balance"))
            found.append([name] if name == "balance" else [name, it.draw.pick(amounts)])
        return [it.draw.integer(0, 50)], [*found, ["balance"]]

    edge = floor.numbers[0] + fee.numbers[0]
    return class_sketch(
        "money",
        """
        class NAME:
            def __init__(self, money):
                self.money = money
                self.refused = 0

            def put(self, amount):
                self.money += <bonus>
                return self.money

            def take(self, amount):
                if <guard> or self.money - amount - <fee> < <floor>:
                    self.refused += 1
                    return False
                self.money -= amount + <fee>
                return True

            def balance(self):
                return self.money
        """,
        """
        class NAME:
            def __init__(self, money):
                self.entries = [money]
                self.refused = 0

            def balance(self):
                return sum(self.entries)

            def put(self, amount):
                self.entries.append(<bonus>)
                return self.balance()

            def take(self, amount):
                left = self.balance() - (amount + <fee>)
                good = left >= <floor> and not <guard>
                if good:
                    self.entries.append(-amount - <fee>)
                else:
                    self.refused += 1
                return good
        """,
        operations,
        (
            ([0], [["balance"]]),
            ([50], [["take", 50 - edge], ["balance"]]),
            ([50], [["take", 51 - edge], ["balance"]]),
            (
                [9],
                [
                    ["take", 99],
                    ["take", 99],
                    ["take", 99],
                    ["take", 99],
                    ["take", 99],
                    ["put", 99],
                    ["take", 1],
                    ["balance"],
                ],
            ),
        ),
        slots={"bonus": bonus, "fee": fee, "floor": floor, "guard": guard},
        wrong=(
            """
            class NAME:
                def __init__(self, money):
                    self.money = money

                def put(self, amount):
                    self.money += <bonus>
                    return self.money

                def take(self, amount):
                    if self.money - amount < <floor>:
                        return False
                    self.money -= amount + <fee>
                    return True

                def balance(self):
                    return self.money
            """,
        ),
        rules=(*((rule,) if rule else ()), "Amounts are integers of 0 or more."),
        steps=3,
    )


@family(
    "Write a class {call} for a counter, made with the integer it begins at. `up()` adds {by} and `down()` takes "
    "{less} away. {ends} Both "
    "return the new value. `value()` returns {shown}.",
    "Define a class {call}: a counter, at first at `start`. Its methods `up()` and `down()` change it by {by} upwards "
    "and by {less} "
    "downwards, and return what it is then. {ends} `value()` does not change it, and returns {shown}.",
    "A counter is made by {call}, with an integer to begin at. Write the class. `up()` raises it by {by}, `down()` "
    "lowers it by {less}; "
    "both return the counter's new number. {ends} The method `value()` returns {shown}.",
)
def counter(draw: Draw, level: Difficulty) -> Sketch:
    """Return a counter with ends."""
    low = draw.integer(-15, 0)
    high = low + draw.integer(8, 30)
    size = high - low + 1
    ends = draw.pick(
        [
            Piece(
                f"A number above {high} becomes {high}, and one below {low} becomes {low}.",
                f"max({low}, min({high}, n))",
                f"sorted(({low}, n, {high}))[1]",
                (f"min({high}, n)", f"max({low}, min({high - 1}, n))"),
            ),
            Piece(
                f"A number above {high} becomes {low}, and one below {low} becomes {high}.",
                f"({low} if n > {high} else {high} if n < {low} else n)",
                f"(n if {low} <= n <= {high} else {low} if n > {high} else {high})",
                (f"({low} if n >= {high} else {high} if n < {low} else n)", f"max({low}, min({high}, n))"),
            ),
            Piece(
                f"The numbers from {low} to {high} are a ring: after {high} comes {low} again, and before {low} is "
                "{high}; every step goes along it, one number at a time.",
                f"(n - {low}) % {size} + {low}",
                f"{low} + (n + {size} - {low}) % {size}",
                (f"({low} if n > {high} else {high} if n < {low} else n)", f"(n - {low}) % {size - 1} + {low}"),
            ),
            Piece(
                f"A step that would lead above {high} or below {low} is not made.",
                f"(n if {low} <= n <= {high} else self.n)",
                f"(n if n in range({low}, {high + 1}) else self.n)",
                (f"max({low}, min({high}, n))", "n"),
            ),
        ]
    )
    shown = numbers.change(draw, level)
    shown = Piece(
        shown.text.replace("the number", "the counter's number"), shown.one, shown.other, shown.wrong, steps=shown.steps
    )

    def operations(it: Inputs) -> Arguments:
        mostly = it.draw.pick(("up", "down"))
        names = [it.draw.pick((mostly, mostly, "up", "down", "value")) for _ in range(it.draw.integer(2, 12))]
        return [it.draw.integer(low, high)], [[name] for name in [*names, "value"]]

    return class_sketch(
        "start",
        """
        class NAME:
            def __init__(self, start):
                self.n = start

            def up(self):
                n = self.n + <by>
                self.n = <ends>
                return self.n

            def down(self):
                n = self.n - <less>
                self.n = <ends>
                return self.n

            def value(self):
                return <shown:self.n>
        """,
        """
        class NAME:
            def __init__(self, start):
                self.n = start

            def _move(self, by):
                n = self.n + by
                self.n = <ends>
                return self.n

            def up(self):
                return self._move(<by>)

            def down(self):
                return self._move(-<less>)

            def value(self):
                n = self.n
                return <shown:n>
        """,
        operations,
        (
            ([high], [["up"], ["up"], ["value"]]),
            ([low], [["down"], ["down"], ["value"]]),
            ([low], [["value"]]),
            ([high], [["value"], ["down"], ["up"], ["up"], ["up"], ["down"], ["value"]]),
        ),
        slots={
            "by": number(draw.integer(1, 7), least=1),
            "less": number(draw.integer(1, 7), least=1),
            "ends": ends,
            "shown": shown,
        },
        rules=(f"`start` is always from {low} to {high}.",),
        steps=2,
    )
