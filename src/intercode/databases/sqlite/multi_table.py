"""Statements of MySQL about several tables, as ones that SQLite understands: each changes one table, by its key."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from intercode.databases.dialect.alteration import AlterationError
from intercode.databases.dialect.definition import TokenReader, split
from intercode.databases.dialect.errors import format_error
from intercode.databases.dialect.tokenizer import Token, first_word, meaningful, plain
from intercode.databases.dialect.tokenizer import tokens as tokens_of
from intercode.databases.sqlite.subqueries import word_at


@dataclass(frozen=True, slots=True)
class TableShape:
    """A table's columns in lower case, and those that tell its rows apart."""

    columns: frozenset[str]
    key: tuple[str, ...]


Shapes = Callable[[str], TableShape | None]
"""The shape of the table of that name; None where there is none."""


def one_table(statement: str, shapes: Shapes) -> str | None:
    """An UPDATE or DELETE over several tables that changes one of them, or names one otherwise; None for any other.

    Raises AlterationError for one that changes several.
    """
    if first_word(statement) not in ("update", "delete"):
        return None
    parts = _Parts.of([token for token in tokens_of(statement) if token.text != ";"])
    return (_update if parts.verb == "update" else _delete)(parts, shapes)


def dropped(statement: str) -> list[str]:
    """A DROP of several tables or views, one by one; nothing for any other statement."""
    reader = TokenReader([token for token in meaningful(statement) if token.text != ";"])
    kinds = ("table", "view")
    if (
        not reader.skip("drop")
        or not (reader.peek() in kinds or reader.skip("temporary"))
        or reader.peek() not in kinds
    ):
        return []
    kind = reader.next().lower
    missing = "IF EXISTS " if reader.skip("if", "exists") else ""
    names = ["".join(token.text for token in part) for part in split(reader.rest())]
    return [f"DROP {kind.upper()} {missing}{name}" for name in names] if len(names) > 1 else []


@dataclass(frozen=True, slots=True)
class _Parts:
    """What stands after each of a statement's own words, in their order."""

    verb: str
    after: Mapping[str, Sequence[Token]]

    @classmethod
    def of(cls, found: Sequence[Token]) -> _Parts:
        after: dict[str, list[Token]] = {}
        word, depth = "", 0
        for at, token in enumerate(found):
            depth += {"(": 1, ")": -1}.get(token.text, 0)
            own = token.kind == "word" and token.lower in OWN and token.lower not in after
            if depth == 0 and own and not (token.lower == "using" and word_at(found, at + 1) == "("):
                word = token.lower
                after[word] = []
            elif word:
                after[word].append(token)
        return cls(next(iter(after), ""), after)

    def text(self, word: str) -> str:
        return _text(self.after.get(word, ()))

    def ending(self) -> str:
        """WHERE and what comes after it."""
        return "".join(
            f" {word.upper()} {self.text(word)}" for word in ("where", "order", "limit") if word in self.after
        )


OWN = frozenset({"update", "delete", "from", "using", "set", "where", "order", "limit"})

SEVERAL = "This version of MySQL doesn't yet support 'changes of several tables in one statement'"

QUIET = frozenset({"low_priority", "quick", "ignore"})


def _update(parts: _Parts, shapes: Shapes) -> str | None:
    named = _tables(parts.after["update"])
    if "set" not in parts.after or {"from", "using"} & set(parts.after):
        return None
    pairs = [_assignment(part) for part in split(parts.after["set"])]
    if "" in named:
        return None
    if len(named) == 1:
        return _renamed(parts, named, pairs)
    owners = {_owner(target, named, shapes) for target, _ in pairs}
    if len(owners) > 1 and None not in owners:
        raise AlterationError(format_error(1235, SEVERAL))
    table = named.get(next(iter(owners)) or "") if len(owners) == 1 else None
    shape = shapes(table) if table else None
    if table is None or shape is None or not all(value for _, value in pairs):
        return None
    alias = next(iter(owners))
    keys = [f"{_named(alias or '')}.{_named(key)} AS k{at}" for at, key in enumerate(shape.key)]
    values = [f"{value} AS v{at}" for at, (_, value) in enumerate(pairs)]
    changes = ", ".join(f"{_named(target[-1])} = changed.v{at}" for at, (target, _) in enumerate(pairs))
    same = " AND ".join(f"{_named(table)}.{_named(key)} = changed.k{at}" for at, key in enumerate(shape.key))
    asked = f"SELECT {', '.join((*keys, *values))} FROM {parts.text('update')}{parts.ending()}"
    return f"UPDATE {_named(table)} SET {changes} FROM ({asked}) AS changed WHERE {same}"


def _renamed(
    parts: _Parts, named: Mapping[str, str | None], pairs: Sequence[tuple[tuple[str, ...], str]]
) -> str | None:
    """An UPDATE of one table under another name: SQLite wants AS before it, and columns without it."""
    ((alias, table),) = named.items()
    if table is None or (alias == table and all(len(target) == 1 for target, _ in pairs)):
        return None
    if any(len(target) > 1 and target[-2].lower() != alias for target, _ in pairs):
        return None
    changes = ", ".join(f"{_named(target[-1])} = {value}" for target, value in pairs)
    ignoring = "OR IGNORE " if any(token.lower == "ignore" for token in parts.after["update"]) else ""
    return f"UPDATE {ignoring}{_named(table)} AS {_named(alias)} SET {changes}{parts.ending()}"


def _delete(parts: _Parts, shapes: Shapes) -> str | None:
    targets = [token for token in parts.after["delete"] if token.kind != "space" and token.lower not in QUIET]
    refs = "from" if targets else "using"
    named_first = targets or parts.after.get("from", ())
    if refs not in parts.after or "set" in parts.after or not named_first:
        return None
    target = [token for token in named_first if token.kind in ("word", "name")]
    if len(target) > 1 and any(token.text == "," for token in named_first):
        raise AlterationError(format_error(1235, SEVERAL))
    if len(target) != 1:
        return None
    alias, named = plain(target[0]).lower(), _tables(parts.after[refs])
    table = named.get(alias)
    shape = shapes(table) if table else None
    if table is None or shape is None:
        return None
    keys = ", ".join(_named(key) for key in shape.key)
    asked = ", ".join(f"{_named(alias)}.{_named(key)}" for key in shape.key)
    found = f"SELECT {asked} FROM {parts.text(refs)}{parts.ending()}"
    return f"DELETE FROM {_named(table)} WHERE ({keys}) IN ({found})"


def _tables(refs: Sequence[Token]) -> dict[str, str | None]:
    """The tables that are named, by what they are called here; None for a query in brackets."""
    found: dict[str, str | None] = {}
    for part in _factors([token for token in refs if token.kind != "space" and token.lower not in QUIET]):
        reader = TokenReader(part)
        inside = reader.group()
        names = [] if inside else [reader.name()]
        while reader.skip("."):
            names.append(reader.name())
        reader.skip("as")
        table = names[-1].lower() if names else None
        alias = reader.name().lower() if reader.more() and reader.peek() not in ("on", "using") else table
        if alias is not None:
            found[alias] = table
    return found


def _factors(found: Sequence[Token]) -> Iterator[list[Token]]:
    """What stands between commas and JOINs, outside of brackets."""
    depth, part = 0, list[Token]()
    for token in found:
        depth += {"(": 1, ")": -1}.get(token.text, 0)
        if depth == 0 and (token.text == "," or token.lower in ("join", "straight_join")):
            yield part
            part = []
        elif not (depth == 0 and token.lower in ("inner", "left", "right", "outer", "cross", "natural")):
            part.append(token)
    yield part


def _assignment(part: Sequence[Token]) -> tuple[tuple[str, ...], str]:
    """A name with its parts, and the value that is given to it."""
    at = next((at for at, token in enumerate(part) if token.text in ("=", ":=")), len(part))
    names = tuple(plain(token) for token in part[:at] if token.kind in ("word", "name"))
    return names or ("",), _text(part[at + 1 :])


def _owner(target: Sequence[str], named: Mapping[str, str | None], shapes: Shapes) -> str | None:
    """What the table is called that has this column; None where that is not clear."""
    if len(target) > 1:
        return target[-2].lower()
    found = [alias for alias, table in named.items() if table and _has(shapes(table), target[0])]
    return found[0] if len(found) == 1 else None


def _has(shape: TableShape | None, column: str) -> bool:
    return shape is not None and column.lower() in shape.columns


def _text(found: Sequence[Token]) -> str:
    return "".join(token.text for token in found).strip()


def _named(name: str) -> str:
    """A name as MySQL quotes it: what is made here is adapted with the rest."""
    return "`" + name.replace("`", "``") + "`"
