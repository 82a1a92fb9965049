"""ALTER TABLE, RENAME TABLE and DROP INDEX of MySQL as changes of a definition, for an engine without such words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import count

from intercode.worlds.sql.databases.dialect.definition import KEYS, TableDefinition, read_item
from intercode.worlds.sql.databases.dialect.errors import format_error
from intercode.worlds.sql.databases.dialect.token_reader import TokenReader, split, text_of
from intercode.worlds.sql.databases.dialect.tokenizer import Token, first_word, meaningful, plain

QUIET = frozenset({
    "algorithm", "auto_increment", "charset", "character", "collate", "convert", "default", "disable",
    "enable", "engine", "force", "lock", "order", "row_format",
})  # fmt: skip
"""Words of parts that are about how a table is kept, which nobody sees here."""


class AlterationError(Exception):
    """MySQL's error for what cannot be done, its only argument."""


@dataclass(frozen=True, slots=True)
class Alteration:
    """What is to be done to a table, part by part."""

    table: str
    items: tuple[Sequence[Token], ...]


def alterations(statement: str) -> list[Alteration] | None:
    """Return what *statement* does to one table after the other; None where it is none of these, or not understood."""
    if first_word(statement) not in ("alter", "rename", "drop"):
        return None
    reader = TokenReader([token for token in meaningful(statement) if token.text != ";"])
    if reader.skip("rename", "table"):
        parts = [(part[:1], part[1:]) for part in split(reader.rest())]
        return [Alteration(plain(table[0]), ((_RENAME, *item),)) for table, item in parts if item]
    if reader.skip("drop", "index") and reader.more():
        index = reader.next()
        return [Alteration(reader.name(), ((_DROP, _INDEX, index),))] if reader.skip("on") and reader.more() else None
    if reader.skip("alter", "table") and reader.more():
        return [Alteration(reader.name(), tuple(split(reader.rest())))]
    return None


_RENAME, _DROP, _INDEX = (Token("word", word, 0) for word in ("rename", "drop", "index"))


class Redefinition:
    """A definition while it is changed. `origins`: of the columns that there were, their names before, by name now."""

    def __init__(self, definition: TableDefinition) -> None:
        self.definition = definition
        self.origins = {column.name: column.name for column in definition.columns}
        self.name = definition.name
        self.changed = False
        """Whether anything but the name is another."""

    def apply(self, item: Sequence[Token]) -> bool:
        """Do one part; False where it is not understood.

        Raises:
            AlterationError: If MySQL refuses it.
        """
        reader = TokenReader(item)
        word = reader.next().lower
        if word == "rename" and reader.peek() not in ("column", "index", "key"):
            return self._rename(reader)
        self.changed |= word not in QUIET
        parts = {"add": self._add, "modify": self._modify, "change": self._change, "drop": self._drop,
                 "rename": self._rename_part, "alter": self._default, "comment": self._comment}  # fmt: skip
        return word in QUIET or (word in parts and reader.more() and parts[word](reader))

    # Parts: each tells whether it is understood

    def _add(self, reader: TokenReader) -> bool:
        if reader.found[reader.at].kind == "word" and reader.peek() in KEYS:
            return self._add_key(reader.rest())
        reader.skip("column")
        columns = list(split(reader.group())) if reader.peek() == "(" else [reader.rest()]
        return bool(columns) and all(self._put(column, len(self.definition.columns)) for column in columns)

    def _add_key(self, item: Sequence[Token]) -> bool:
        fresh, mine = TableDefinition(self.name), self.definition
        read_item(fresh, TokenReader(item))
        self._take_primary(fresh.primary)
        mine.unique += [(self._own(*key), key[1]) for key in fresh.unique]
        mine.indexes += [(self._own(*key), key[1]) for key in fresh.indexes]
        mine.foreign += fresh.foreign
        mine.checks += fresh.checks
        own = (*fresh.primary, *(name for _, names in (*fresh.unique, *fresh.indexes) for name in names))
        if missing := next((name for name in own if not self._has(name)), None):
            raise AlterationError(format_error(1072, f"Key column '{missing}' doesn't exist in table"))
        return True

    def _take_primary(self, added: tuple[str, ...]) -> None:
        if added and self.definition.primary not in ((), added):
            raise AlterationError(format_error(1068, "Multiple primary key defined"))
        self.definition.primary = added or self.definition.primary
        wanted = {name.lower() for name in added}
        for at, column in enumerate(self.definition.columns):
            if column.name.lower() in wanted:
                self.definition.columns[at] = replace(column, nullable=False)

    def _own(self, name: str, columns: tuple[str, ...]) -> str:
        """Return the name of a new key: where it is called after its column and that is taken, with a number."""
        taken = {own.lower() for own, _ in (*self.definition.unique, *self.definition.indexes)}
        if name.lower() not in taken:
            return name
        if name != columns[0]:
            raise AlterationError(format_error(1061, f"Duplicate key name '{name}'"))
        return next(f"{name}_{number}" for number in count(2) if f"{name}_{number}".lower() not in taken)

    def _modify(self, reader: TokenReader) -> bool:
        reader.skip("column")
        return reader.more() and self._put(reader.rest(), self._at(plain(reader.found[reader.at])), instead=True)

    def _change(self, reader: TokenReader) -> bool:
        reader.skip("column")
        return reader.more() and self._put(reader.rest()[1:], self._at(reader.name()), instead=True)

    def _put(self, item: Sequence[Token], at: int, *, instead: bool = False) -> bool:
        """Return a column at that place, or where it says itself."""
        item, after = _split_position(item)
        if len(item) < 2:
            return False
        fresh, old = TableDefinition(self.name), self.definition.columns[at].name if instead else ""
        read_item(fresh, TokenReader(item))
        if len(fresh.columns) != 1:
            return False
        (column,) = fresh.columns
        if self._has(column.name) and column.name.lower() != old.lower():
            raise AlterationError(format_error(1060, f"Duplicate column name '{column.name}'"))
        if instead:
            del self.definition.columns[at]
            self.origins[column.name] = self.origins.pop(old)
            self._rename_in_keys(old, column.name)
        if after is not None:
            at = self._at(after) + 1 if after else 0
        self._take_primary(fresh.primary)
        self.definition.unique += fresh.unique
        self.definition.foreign += fresh.foreign
        self.definition.checks += fresh.checks
        nullable = column.nullable and column.name not in self.definition.primary
        self.definition.columns.insert(at, replace(column, nullable=nullable))
        return True

    def _drop(self, reader: TokenReader) -> bool:
        if reader.skip("primary", "key"):
            if not self.definition.primary:
                raise _cannot_drop("PRIMARY")
            self.definition.primary = ()
            return True
        if reader.skip("foreign", "key") or reader.peek() in ("index", "key", "constraint", "check"):
            if reader.peek() in ("index", "key", "constraint", "check") and len(reader.rest()) > 1:
                reader.next()
            return self._drop_key(reader.name())
        reader.skip("column")
        return self._drop_column(self._at(reader.name()))

    def _drop_key(self, name: str) -> bool:
        definition = self.definition
        named = [key.name or f"{self.name}_ibfk_{at}" for at, key in enumerate(definition.foreign, 1)]
        foreign = [key for key, own in zip(definition.foreign, named, strict=True) if own.lower() != name.lower()]
        unique = [key for key in definition.unique if key[0].lower() != name.lower()]
        indexes = [key for key in definition.indexes if key[0].lower() != name.lower()]
        if (foreign, unique, indexes) == (definition.foreign, definition.unique, definition.indexes):
            raise _cannot_drop(name)
        definition.foreign, definition.unique, definition.indexes = foreign, unique, indexes
        return True

    def _drop_column(self, at: int) -> bool:
        definition = self.definition
        name = definition.columns[at].name
        if len(definition.columns) == 1:
            raise AlterationError(
                format_error(1090, "You can't delete all columns with ALTER TABLE; use DROP TABLE instead")
            )
        if key := next((key for key in definition.foreign if name in key.columns), None):
            raise AlterationError(
                format_error(1828, f"Cannot drop column '{name}': needed in a foreign key constraint '{key.name}'")
            )
        del definition.columns[at]
        self.origins.pop(name, None)
        definition.primary = _without(definition.primary, name)
        for keys in (definition.unique, definition.indexes):
            keys[:] = [(own, left) for own, columns in keys if (left := _without(columns, name))]
        return True

    def _rename(self, reader: TokenReader) -> bool:
        """Return the table."""
        reader.skip("to") or reader.skip("as")
        self.name = reader.name()
        return bool(self.name) and not reader.more()

    def _rename_part(self, reader: TokenReader) -> bool:
        kind, old = reader.next().lower, reader.name()
        if not reader.skip("to") or not reader.more():
            return False
        new = reader.name()
        if kind == "column":
            at = self._at(old)
            old = self.definition.columns[at].name
            self.definition.columns[at] = replace(self.definition.columns[at], name=new)
            self.origins[new] = self.origins.pop(old)
            self._rename_in_keys(old, new)
            return True
        for keys in (self.definition.unique, self.definition.indexes):
            keys[:] = [(new if own.lower() == old.lower() else own, columns) for own, columns in keys]
        return True

    def _default(self, reader: TokenReader) -> bool:
        reader.skip("column")
        at = self._at(reader.name())
        if not (drops := reader.skip("drop", "default")) and not (reader.skip("set", "default") and reader.more()):
            return False
        default = None if drops else text_of(reader.rest())
        self.definition.columns[at] = replace(self.definition.columns[at], default=default)
        return True

    def _comment(self, reader: TokenReader) -> bool:
        reader.skip("=")
        self.definition.comment = reader.name()
        return not reader.more()

    # How

    def _at(self, name: str) -> int:
        names = [column.name.lower() for column in self.definition.columns]
        if name.lower() not in names:
            raise AlterationError(format_error(1054, f"Unknown column '{name}' in '{self.definition.name}'"))
        return names.index(name.lower())

    def _has(self, name: str) -> bool:
        return any(column.name.lower() == name.lower() for column in self.definition.columns)

    def _rename_in_keys(self, old: str, new: str) -> None:
        definition = self.definition
        definition.primary = _replace_column(definition.primary, old, new)
        for keys in (definition.unique, definition.indexes):
            keys[:] = [(name, _replace_column(columns, old, new)) for name, columns in keys]
        definition.foreign = [
            replace(key, columns=_replace_column(key.columns, old, new)) for key in definition.foreign
        ]


def _split_position(item: Sequence[Token]) -> tuple[Sequence[Token], str | None]:
    """Return a column without its place, and the column that it comes after.

    Nothing for FIRST, None where it does not say.
    """
    words = [token.lower if token.kind == "word" else "" for token in item]
    if words[-1:] == ["first"]:
        return item[:-1], ""
    if words[-2:-1] == ["after"]:
        return item[:-2], plain(item[-1])
    return item, None


def _without(columns: tuple[str, ...], name: str) -> tuple[str, ...]:
    return tuple(column for column in columns if column.lower() != name.lower())


def _replace_column(columns: tuple[str, ...], old: str, new: str) -> tuple[str, ...]:
    return tuple(new if column.lower() == old.lower() else column for column in columns)


def _cannot_drop(name: str) -> AlterationError:
    return AlterationError(format_error(1091, f"Can't DROP '{name}'; check that column/key exists"))
