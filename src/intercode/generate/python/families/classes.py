"""Small classes, whose tests make an object and call its methods one after the other."""

from __future__ import annotations

from intercode.generate.draw import Draw
from intercode.generate.family import Difficulty
from intercode.generate.python import numbers
from intercode.generate.python.inputs import Inputs
from intercode.generate.python.pieces import Piece, choice, number
from intercode.generate.python.registry import family
from intercode.generate.python.sketch import Arguments, Sketch

SETUP = """\
def replay(start, operations):
    made = NAME(*start)
    return [getattr(made, name)(*given) for name, *given in operations]
"""
"""What the tests call: an object made with *start*, and what each operation on it returns."""


def _class(
    start: str, gold: str, second: str, operations: object, edges: tuple[Arguments, ...], **rest: object
) -> Sketch:
    return Sketch(start, gold, second, operations, edges, setup=SETUP, entry="replay", **rest)  # type: ignore[arg-type]


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
    """A balance with a fee and a floor."""
    over, by = draw.integer(10, 40), draw.integer(1, 6)
    bonuses = [
        Piece("the amount", "amount", "amount * 1", ("-amount", "0"), steps=0),
        Piece(f"the amount, and by {by} more if it is at least {over}", f"amount + ({by} if amount >= {over} else 0)",
              f"amount + {by} * (not amount < {over})", (f"amount + ({by} if amount > {over} else 0)", f"amount + {by}"), (over,)),
        Piece(f"the amount minus {by}, but never less than 0", f"max(0, amount - {by})",
              f"(amount - {by} if amount > {by} else 0)", (f"amount - {by}", "amount"), (by,)),
    ]  # fmt: skip
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
    return _class(
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
        (([0], [["balance"]]), ([50], [["take", 50 - edge], ["balance"]]), ([50], [["take", 51 - edge], ["balance"]]),
         ([9], [["take", 99], ["take", 99], ["take", 99], ["take", 99], ["take", 99], ["put", 99], ["take", 1], ["balance"]])),
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
    )  # fmt: skip


@family(
    "Write a class {call} for a store of integers with room for `size` of them, at first empty. `add(number)` stores a "
    "number: one that "
    "{keep} is rejected (returns False, changes nothing); with a full store, {full}; what is stored returns True. "
    "`take()` removes and "
    "returns {which}; without any it returns None. `all()` returns a list of what is stored, the oldest first.",
    "Define a class {call}, a container for at most `size` integers, empty in the beginning. Its method `add(number)` "
    "refuses a number "
    "that {keep}: it returns False and nothing changes. Otherwise, if the container is full, {full}. A number that "
    "gets in returns True. "
    "`take()` removes {which} and returns it, or returns None if there is nothing. `all()` returns the numbers as a "
    "list, from the "
    "oldest to the newest.",
    "{call} makes an empty box for up to `size` integers; write the class. Methods: `add(number)` returns whether the "
    "number was put in. "
    "If a number {keep}, it is not. If it may be but the box is full, {full}. `take()` returns {which} and removes it; "
    "from an empty box "
    "it returns None. `all()` lists the content, first what came in first.",
)
def store(draw: Draw, level: Difficulty) -> Sketch:
    """A bounded store."""
    full = draw.pick(
        [
            Piece("the oldest number is removed to make room", "self.kept.pop(0)", "del self.kept[0]",
                  ("self.kept.pop()", "return False")),
            Piece("the newest number is removed to make room", "self.kept.pop()", "del self.kept[-1]",
                  ("self.kept.pop(0)", "return False")),
            Piece("the number is rejected as well (returns False, changes nothing)", "return False", "return 0 == 1",
                  ("self.kept.pop(0)", "pass")),
            Piece("the smallest stored number (of equal ones the oldest) is removed to make room",
                  "self.kept.remove(min(self.kept))", "self.kept.remove(sorted(self.kept)[0])",
                  ("self.kept.remove(max(self.kept))", "self.kept.pop(0)")),
            Piece("the largest stored number (of equal ones the oldest) is removed to make room",
                  "self.kept.remove(max(self.kept))", "self.kept.remove(sorted(self.kept)[-1])",
                  ("self.kept.remove(min(self.kept))", "self.kept.pop()")),
        ]
    )  # fmt: skip
    which = draw.pick(
        [
            Piece("the oldest number", "self.kept.pop(0)", "self.kept.pop(-len(self.kept))", ("self.kept.pop()", "self.kept[0]")),
            Piece("the newest number", "self.kept.pop()", "self.kept.pop(len(self.kept) - 1)",
                  ("self.kept.pop(0)", "self.kept[-1]")),
            Piece("the largest number (of equal ones the oldest)", "self.kept.pop(self.kept.index(max(self.kept)))",
                  "self.kept.pop(max(range(len(self.kept)), key=lambda i: (self.kept[i], -i)))",
                  ("self.kept.pop(self.kept.index(min(self.kept)))", "max(self.kept)")),
            Piece("the smallest number (of equal ones the oldest)", "self.kept.pop(self.kept.index(min(self.kept)))",
                  "self.kept.pop(min(range(len(self.kept)), key=lambda i: (self.kept[i], i)))",
                  ("self.kept.pop(self.kept.index(max(self.kept)))", "min(self.kept)")),
        ]
    )  # fmt: skip

    def operations(it: Inputs) -> Arguments:
        found: list[list[object]] = [
            ["add", it.integer(-40, 60)] if it.draw.chance(0.65) else [it.draw.pick(("take", "all"))]
            for _ in range(it.draw.integer(3, 12))
        ]
        return [it.draw.integer(1, 3)], [*found, ["all"]]

    return _class(
        "size",
        """
        class NAME:
            def __init__(self, size):
                self.size, self.kept = size, []

            def add(self, number):
                if <keep:number>:
                    return False
                if len(self.kept) == self.size:
                    <full>
                self.kept.append(number)
                return True

            def take(self):
                return <which> if self.kept else None

            def all(self):
                return list(self.kept)
        """,
        """
        class NAME:
            def __init__(self, size):
                self.kept = []
                self.size = size

            def take(self):
                if not self.kept:
                    return None
                return <which>

            def all(self):
                return self.kept[:]

            def add(self, number):
                if not (<keep:number>):
                    if not len(self.kept) < self.size:
                        <full>
                    self.kept += [number]
                    return True
                return False
        """,
        operations,
        (([1], [["take"], ["all"]]), ([2], [["add", n] for n in (5, -3, 14, 7, 20, -11)] + [["all"], ["take"], ["all"]]),
         ([3], [["add", n] for n in (12, 3, 12, 8, 8)] + [["take"], ["take"], ["all"], ["take"], ["take"], ["all"]])),
        slots={"keep": numbers.test(draw, level), "full": full, "which": which},
        rules=("`size` is at least 1. Equal numbers may be stored more than once.",),
        steps=3,
    )  # fmt: skip


@family(
    "Write a class {call} for a cache of at most `size` entries. `put(key, value)` stores a value and returns None: a "
    "new key in a full "
    "cache first pushes out {which}. `get(key)` returns the value, or {none} if the key is not there. `keys()` returns "
    "the list of keys, "
    "{order}. {uses}",
    "Define a class {call}. It remembers values (integers) by keys (texts), for no more than `size` keys. `put(key, "
    "value)` returns None. "
    "It changes the value of a known key; before it adds a new one to a full cache, it forgets {which}. `get(key)` "
    "gives the value for "
    "the key and {none} for an unknown one. `keys()` gives the known keys as a list {order}. {uses}",
    "{call} is to be a class. Its objects hold up to `size` entries, each an integer under a text. Methods: `put(key, "
    "value)` adds or "
    "changes an entry and returns None; if a new one does not fit, {which} is removed before. `get(key)` returns an "
    "entry's integer, or "
    "{none} where there is none. `keys()` returns all keys in a list {order}. {uses}",
)
def cache(draw: Draw, level: Difficulty) -> Sketch:
    """A cache that forgets."""
    uses = choice(
        *(
            ("An entry is used when it is put, changed or got.", "self.touch(key)", "pass")
            if draw.chance(0.5)
            else ("An entry is used when it is put or changed; getting it is no use.", "pass", "self.touch(key)")
        )
    )
    which = draw.pick(
        [
            Piece("the entry whose last use is longest ago", "next(iter(self.kept))", "list(self.kept)[0]",
                  ("next(reversed(self.kept))", "min(self.kept)")),
            Piece("the entry that was used last", "next(reversed(self.kept))", "list(self.kept)[-1]",
                  ("next(iter(self.kept))", "max(self.kept)")),
            Piece("the entry with the smallest value, of several such the one whose last use is longest ago",
                  "min(self.kept, key=self.kept.get)", "sorted(self.kept, key=lambda k: self.kept[k])[0]",
                  ("max(self.kept, key=self.kept.get)", "next(iter(self.kept))")),
            Piece("the entry with the largest value, of several such the one whose last use is longest ago",
                  "max(self.kept, key=self.kept.get)", "sorted(self.kept, key=lambda k: -self.kept[k])[0]",
                  ("min(self.kept, key=self.kept.get)", "next(iter(self.kept))")),
        ]
    )  # fmt: skip
    order = draw.pick(
        [
            Piece("in alphabetical order", "sorted(@)", "sorted(list(@))", ("list(@)", "sorted(@)[::-1]"), steps=0),
            Piece("in reverse alphabetical order", "sorted(@)[::-1]", "sorted(@, reverse=True)", ("sorted(@)", "list(@)"), steps=0),
            Piece("with the one whose last use is longest ago first", "list(@)", "[key for key in @]",
                  ("sorted(@)", "list(@)[::-1]"), steps=0),
            Piece("with the one that was used last first", "list(@)[::-1]", "list(reversed(list(@)))", ("list(@)", "sorted(@)"), steps=0),
        ]
    )  # fmt: skip
    none = draw.integer(-5, 0)
    change = numbers.change(draw, level) if level != "easy" else Piece("", "@", "@", steps=0)
    rules = (f"`put` does not store the number itself, but this: {change.text}.",) if change.text else ()

    def operations(it: Inputs) -> Arguments:
        found: list[list[object]] = []
        for _ in range(it.draw.integer(4, 12)):
            key = it.draw.pick("abcd")
            found.append(
                it.draw.pick([["put", key, it.integer(-9, 30)], ["put", key, it.draw.integer(1, 3)], ["get", key]])
            )
        return [it.draw.integer(1, 3)], [*found, ["keys"]]

    body = """
            def touch(self, key):
                self.kept[key] = self.kept.pop(key)

            def keys(self):
                return <order:self.kept>
    """
    return _class(
        "size",
        f"""
        class NAME:
            def __init__(self, size):
                self.size, self.kept = size, {{}}

            def put(self, key, value):
                if key not in self.kept and len(self.kept) == self.size:
                    del self.kept[<which>]
                self.kept.pop(key, None)
                self.kept[key] = <change:value>

            def get(self, key):
                if key not in self.kept:
                    return <none>
                <uses>
                return self.kept[key]
{body}
        """,
        """
        class NAME:
            def __init__(self, size):
                self.size = size
                self.kept = {}

            def touch(self, key):
                value = self.kept[key]
                del self.kept[key]
                self.kept[key] = value

            def put(self, key, value):
                value = <change:value>
                if key in self.kept:
                    del self.kept[key]
                elif not len(self.kept) < self.size:
                    self.kept.pop(<which>)
                self.kept.update({key: value})

            def keys(self):
                return <order:self.kept>

            def get(self, key):
                if key in self.kept:
                    <uses>
                return self.kept.get(key, <none>)
        """,
        operations,
        (([1], [["keys"], ["get", "a"]]), ([2], [["put", "a", 1], ["put", "b", 2], ["get", "a"], ["put", "c", 3], ["keys"]]),
         ([2], [["put", "b", 5], ["put", "a", 4], ["put", "b", 1], ["put", "c", 3], ["get", "a"], ["get", "b"], ["keys"]]),
         ([3], [["put", "b", 5], ["put", "a", 4], ["put", "c", 1], ["put", "a", 3], ["get", "b"], ["put", "d", 2], ["keys"]])),
        slots={"uses": uses, "which": which, "order": order, "none": number(none), "change": change},
        rules=(*rules, "`size` is at least 1."),
        steps=3,
    )  # fmt: skip


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
    """A counter with ends."""
    low = draw.integer(-15, 0)
    high = low + draw.integer(8, 30)
    size = high - low + 1
    ends = draw.pick(
        [
            Piece(f"A number above {high} becomes {high}, and one below {low} becomes {low}.", f"max({low}, min({high}, n))",
                  f"sorted(({low}, n, {high}))[1]", (f"min({high}, n)", f"max({low}, min({high - 1}, n))")),
            Piece(f"A number above {high} becomes {low}, and one below {low} becomes {high}.",
                  f"({low} if n > {high} else {high} if n < {low} else n)",
                  f"(n if {low} <= n <= {high} else {low} if n > {high} else {high})",
                  (f"({low} if n >= {high} else {high} if n < {low} else n)", f"max({low}, min({high}, n))")),
            Piece(f"The numbers from {low} to {high} are a ring: after {high} comes {low} again, and before {low} is {high}; every step "
                  "goes along it, one number at a time.", f"(n - {low}) % {size} + {low}", f"{low} + (n + {size} - {low}) % {size}",
                  (f"({low} if n > {high} else {high} if n < {low} else n)", f"(n - {low}) % {size - 1} + {low}")),
            Piece(f"A step that would lead above {high} or below {low} is not made.", f"(n if {low} <= n <= {high} else self.n)",
                  f"(n if n in range({low}, {high + 1}) else self.n)", (f"max({low}, min({high}, n))", "n")),
        ]
    )  # fmt: skip
    shown = numbers.change(draw, level)
    shown = Piece(
        shown.text.replace("the number", "the counter's number"), shown.one, shown.other, shown.wrong, steps=shown.steps
    )

    def operations(it: Inputs) -> Arguments:
        mostly = it.draw.pick(("up", "down"))
        names = [it.draw.pick((mostly, mostly, "up", "down", "value")) for _ in range(it.draw.integer(2, 12))]
        return [it.draw.integer(low, high)], [[name] for name in [*names, "value"]]

    return _class(
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
        (([high], [["up"], ["up"], ["value"]]), ([low], [["down"], ["down"], ["value"]]), ([low], [["value"]]),
         ([high], [["value"], ["down"], ["up"], ["up"], ["up"], ["down"], ["value"]])),
        slots={
            "by": number(draw.integer(1, 7), least=1),
            "less": number(draw.integer(1, 7), least=1),
            "ends": ends,
            "shown": shown,
        },
        rules=(f"`start` is always from {low} to {high}.",),
        steps=2,
    )  # fmt: skip


@family(
    "Write a class {call} for bookings of a room, all within one day of `hours` hours; times are integers from 0 to "
    "`hours`. "
    "`book(start, end)` returns True and notes the booking if it is possible, else False. It is possible if it lies "
    "within the day, has "
    "{length}, and {gap}. `free()` returns {free}.",
    "Define a class {call}. It keeps the bookings of a room for a day from 0 to `hours` (integers). `book(start, end)` "
    "accepts a booking "
    "and returns True, or refuses it and returns False. Accepted is what is inside the day, has {length}, and {gap}. "
    "The method "
    "`free()` returns {free}.",
    "A room is booked by the hour on a day that lasts from 0 to `hours`. Write the class {call} with two methods. "
    "`book(start, end)`, with "
    "integers, returns True if the booking is taken and False if not. It is taken if no part of it is outside the day, "
    "it has "
    "{length}, and {gap}. `free()` returns {free}.",
)
def bookings(draw: Draw, level: Difficulty) -> Sketch:
    """Bookings that do not overlap."""
    least, most = draw.integer(1, 2), draw.integer(3, 6)
    span = draw.integer(0, 3 if level != "easy" else 0)
    length = Piece(
        f"a length of {least} to {most} hours (both included)",
        f"{least} <= end - start <= {most}",
        f"end - start in range({least}, {most + 1})",
        (f"{least} <= end - start < {most}", f"{least} < end - start <= {most}"),
    )
    if span:
        said = f"there are at least {span} hours between it and every booking before or after it"
        said = said.replace("at least 1 hours", "at least 1 hour")
    else:
        said = "it shares no time with another booking (to begin when another ends is no sharing)"
    gap = Piece(said, f"all(end + {span} <= a or b + {span} <= start for a, b in self.kept)",
                f"not any(end + {span} > a and b + {span} > start for a, b in self.kept)",
                (f"all(end + {span} < a or b + {span} < start for a, b in self.kept)", "all(start != a for a, b in self.kept)",
                 f"all(end + {span + 1} <= a or b + {span + 1} <= start for a, b in self.kept)"))  # fmt: skip
    by = draw.integer(2, 9)
    free = draw.pick(
        [
            Piece(f"{by} times the number of hours that no booking takes", f"{by} * (self.hours - sum(b - a for a, b in self.kept))",
                  f"sum({by} for h in range(self.hours) if not any(a <= h < b for a, b in self.kept))",
                  ("self.hours - sum(b - a for a, b in self.kept)", f"{by} * sum(b - a for a, b in self.kept)")),
            Piece("the list of the bookings as lists `[start, end]`, sorted by their start", "[list(each) for each in sorted(self.kept)]",
                  "sorted([a, b] for a, b in self.kept)",
                  ("[list(each) for each in self.kept]", "[list(each) for each in sorted(self.kept)[::-1]]")),
            Piece(f"{by} times the earliest hour (0, 1, and so on) that no booking takes, or -1 if there is none",
                  f"next(({by} * h for h in range(self.hours) if all(not a <= h < b for a, b in self.kept)), -1)",
                  f"min([{by} * h for h in range(self.hours) if not any(a <= h < b for a, b in self.kept)] or [-1])",
                  (f"next(({by} * h for h in range(self.hours) if all(not a <= h <= b for a, b in self.kept)), -1)", "0")),
            Piece("the longest booking as a list `[start, end]`, of equally long ones the one that was booked first, or an empty list "
                  "without bookings", "list(max(self.kept, key=lambda each: each[1] - each[0], default=[]))",
                  "next(([a, b] for n in range(99, 0, -1) for a, b in self.kept if b - a == n), [])",
                  ("list(max(sorted(self.kept), key=lambda each: each[1] - each[0], default=[]))", "list(max(self.kept, default=[]))")),
        ]
    )  # fmt: skip
    odd = level == "hard"
    rule = numbers.test(draw) if odd else Piece("", "False", "None", steps=0)

    def operations(it: Inputs) -> Arguments:
        hours = it.draw.integer(8, 24)
        found: list[list[object]] = []
        for _ in range(it.draw.integer(2, 9)):
            start = it.draw.integer(-1, hours)
            found.append(
                ["book", start, start + it.draw.pick([least, most, most + 1, least - 1, it.draw.integer(1, 5)])]
            )
            if it.draw.chance(0.2):
                found.append(["free"])
        return [hours], [*found, ["free"]]

    return _class(
        "hours",
        """
        class NAME:
            def __init__(self, hours):
                self.hours, self.kept = hours, []

            def book(self, start, end):
                if start < 0 or end > self.hours or (<rule:start>):
                    return False
                if not <length> or not <gap>:
                    return False
                self.kept.append((start, end))
                return True

            def free(self):
                return <free>
        """,
        """
        class NAME:
            def __init__(self, hours):
                self.kept = []
                self.hours = hours

            def free(self):
                return <free>

            def book(self, start, end):
                inside = 0 <= start and not end > self.hours
                good = inside and <length> and <gap> and not (<rule:start>)
                if good:
                    self.kept += [(start, end)]
                return bool(good)
        """,
        operations,
        (([8], [["free"]]), ([8], [["book", 0, least], ["book", least + span, least + span + least], ["book", 8 - least, 8], ["free"]]),
         ([12], [["book", 4, 4 + most], ["book", 5, 5 + least], ["book", 4 + most, 12], ["book", 0, 2], ["free"]])),
        slots={"length": length, "gap": gap, "free": free, "rule": rule},
        rules=(f"Besides, a booking is refused if its start {rule.text}.",) if odd else (),
        steps=3,
    )  # fmt: skip
