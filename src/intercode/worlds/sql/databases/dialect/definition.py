"""What a CREATE TABLE of MySQL says, as values: read from its tokens, strict about nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from intercode.worlds.sql.databases.dialect.token_reader import TokenReader, split, text_of
from intercode.worlds.sql.databases.dialect.tokenizer import (
    Token,
    cache_statements,
    content,
    first_word,
    meaningful,
    plain,
)


@dataclass(frozen=True, slots=True)
class ColumnDefinition:
    """A column. `type` is as MySQL shows it (`int`, `varchar(50)`), `default` an expression's text or None."""

    name: str
    type: str
    nullable: bool = True
    default: str | None = None
    counts: bool = False
    on_update: bool = False
    collation: str = ""
    generated: str = ""
    comment: str = ""
    invisible: bool = False

    @property
    def word(self) -> str:
        """The type's first word: `varchar`."""
        return self.type.partition("(")[0].partition(" ")[0]


@dataclass(frozen=True, slots=True)
class ForeignKey:
    """A reference to another table; `actions` as written: `ON DELETE CASCADE`."""

    name: str
    columns: tuple[str, ...]
    table: str
    references: tuple[str, ...]
    actions: str = ""


@dataclass(slots=True)
class TableDefinition:
    """A table's columns and keys. `unique` and `indexes` are (name, columns).

    `expressions` are the unique keys that are over expressions: (name, the expressions).
    """

    name: str
    database: str = ""
    temporary: bool = False
    if_missing: bool = False
    columns: list[ColumnDefinition] = field(default_factory=list)
    primary: tuple[str, ...] = ()
    unique: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)
    indexes: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)
    foreign: list[ForeignKey] = field(default_factory=list)
    checks: list[str] = field(default_factory=list)
    comment: str = ""
    expressions: list[tuple[str, str]] = field(default_factory=list)

    def key_of(self, column: str) -> str:
        """Return what DESC prints under Key: PRI, UNI, MUL or nothing."""
        if column in self.primary:
            return "PRI"
        if any(columns == (column,) for _, columns in self.unique):
            return "UNI"
        firsts = [columns[0] for _, columns in (*self.indexes, *self.unique)]
        firsts += [key.columns[0] for key in self.foreign]
        return "MUL" if column in firsts else ""

    def copy(self) -> TableDefinition:
        """Return another one that says the same."""
        return replace(
            self,
            columns=[*self.columns],
            unique=[*self.unique],
            indexes=[*self.indexes],
            foreign=[*self.foreign],
            checks=[*self.checks],
            expressions=[*self.expressions],
        )


def parse(statement: str) -> TableDefinition | None:
    """Return the definition in a CREATE TABLE with a list of columns.

    None for anything else (CREATE TABLE … AS, LIKE).
    """
    found = _read(statement)
    return None if found is None else found.copy()


@cache_statements
def _read(statement: str) -> TableDefinition | None:
    """Return the same, remembered: whoever looks at a state asks for each table's again."""
    if first_word(statement) != "create":
        return None
    reader = TokenReader(meaningful(statement))
    reader.next()
    temporary = reader.skip("temporary")
    if not reader.skip("table"):
        return None
    if_missing = reader.skip("if", "not", "exists")
    database, name = reader.qualified_name()
    items = reader.group()
    options = reader.rest()
    rest = {token.lower for token in options if token.kind == "word"}
    if not items or rest & {"select", "as", "like"} or items[0].lower in ("select", "like"):
        return None
    definition = TableDefinition(name, database, temporary, if_missing, comment=read_comment(options))
    for item in split(items):
        if not item:
            return None
        read_item(definition, TokenReader(item))
    return definition if definition.columns else None


def read_comment(options: Sequence[Token]) -> str:
    """Return the text of COMMENT = '…' among a table's *options*; nothing where there is none."""
    words = [token.lower if token.kind == "word" else token.text for token in options]
    at = words.index("comment") + 1 if "comment" in words else len(words)
    at += words[at : at + 1] == ["="]
    return content(options[at].text) if at < len(options) and options[at].kind == "string" else ""


def read_item(definition: TableDefinition, reader: TokenReader) -> None:
    """Add a column or a key to *definition*: one part of the list in CREATE TABLE."""
    quoted = reader.found[0].kind == "name"
    name = reader.name() if not quoted and reader.skip("constraint") and reader.peek() not in KEYS else ""
    word = "" if quoted else reader.peek()
    if word == "period" and reader.skip("period", "for"):  # names two columns of the table
        return
    if word not in KEYS or (word == "key" and len(reader.found) < 2):
        _read_column(definition, reader)
    elif reader.skip("primary", "key"):
        definition.primary = _columns(reader)
    elif reader.skip("foreign", "key"):
        own = reader.name() if reader.peek() != "(" else name
        definition.foreign.append(_reference(own, _columns(reader), reader))
    elif reader.skip("check"):
        _read_check(definition, reader)
    else:
        _read_key(definition, reader, name)


KEYS = frozenset({"primary", "unique", "key", "index", "fulltext", "spatial", "foreign", "check", "constraint"})


def _read_check(definition: TableDefinition, reader: TokenReader) -> None:
    check = text_of(reader.group())
    if not reader.skip("not", "enforced"):
        definition.checks.append(check)


def _read_key(definition: TableDefinition, reader: TokenReader, name: str) -> None:
    kind = reader.next().lower
    if kind in ("unique", "fulltext", "spatial") and reader.peek() in ("key", "index"):
        reader.next()
    if reader.peek() not in ("(", "using"):
        name = reader.name()
    if reader.skip("using"):
        reader.next()
    while reader.more() and reader.peek() != "(":
        reader.next()
    parts = reader.group()
    if any(part and part[0].text == "(" for part in split(parts)):  # only a unique one changes what a table takes
        definition.expressions += [(name or "functional_index", text_of(parts))] * (kind == "unique")
        return
    columns = tuple(plain(part[0]) for part in split(parts) if part)
    if columns:
        (definition.unique if kind == "unique" else definition.indexes).append((name or columns[0], columns))


def _columns(reader: TokenReader) -> tuple[str, ...]:
    """Names in parentheses, without lengths and orders; a name before them is gone past."""
    while reader.more() and reader.peek() != "(":
        reader.next()
    return tuple(plain(part[0]) for part in split(reader.group()) if part)


def _reference(name: str, columns: tuple[str, ...], reader: TokenReader) -> ForeignKey:
    reader.skip("references")
    _, table = reader.qualified_name()
    references = _columns(reader)
    return ForeignKey(name, columns, table, references or columns, text_of(reader.rest()))


def _read_column(definition: TableDefinition, reader: TokenReader) -> None:
    name, kind = reader.name(), _type(reader)
    nullable, counts, on_update = True, False, False
    default: str | None = None
    collation = generated = constraint = comment = ""
    invisible = False
    while reader.more():
        if reader.skip("not", "null"):
            nullable = False
        elif reader.skip("default"):
            default = _expression(reader)
        elif reader.skip("auto_increment") or reader.skip("autoincrement"):
            counts, nullable = True, False
        elif reader.skip("primary", "key") or (reader.peek() == "key" and reader.next()):
            definition.primary, nullable = (name,), False
        elif reader.skip("unique"):
            reader.skip("key")
            definition.unique.append((name, (name,)))
        elif reader.skip("collate"):
            collation = reader.name().lower()
        elif reader.skip("invisible"):
            invisible = True
        elif reader.skip("on", "update"):
            on_update = bool(_expression(reader))
        elif reader.skip("as"):
            generated = text_of(reader.group())
        elif reader.skip("check"):
            _read_check(definition, reader)
        elif reader.skip("comment"):
            comment = reader.name()
        elif reader.skip("constraint"):
            constraint = "" if reader.peek() in ("check", "references") else reader.name()
        elif reader.skip("references"):  # a key from MySQL 9 and MariaDB 10.5 on; nothing may follow it
            definition.foreign.append(_reference(constraint, (name,), reader))
        else:
            reader.next()  # null, character set …, visible, stored, …
    if name in definition.primary:
        nullable = False
    definition.columns.append(
        ColumnDefinition(name, kind, nullable, default, counts, on_update, collation, generated, comment, invisible)
    )


_LONGER = {"integer": "int", "dec": "decimal", "numeric": "decimal", "fixed": "decimal", "character": "char",
           "bool": "tinyint(1)", "boolean": "tinyint(1)", "real": "double"}  # fmt: skip

_ALONE = frozenset({"int", "tinyint", "smallint", "mediumint", "bigint"})


def _type(reader: TokenReader) -> str:
    """Return a type as MySQL 8 shows it: in lower case, without the width of whole numbers."""
    if not reader.more():
        return ""
    word = reader.next().lower
    if word in ("double", "national", "long"):
        reader.skip("precision")
    if reader.skip("varying"):
        word = "varchar"
    word = _LONGER.get(word, word)
    size = text_of(reader.group()).replace(", ", ",")
    if word in _ALONE and not (word == "tinyint" and size == "1"):
        size = ""
    if word == "decimal":
        size = size if "," in size else f"{size or 10},0"
    if word in ("char", "binary", "bit") and not size:
        size = "1"
    sign = " unsigned" if reader.skip("unsigned") else ""
    return word + (f"({size})" if size else "") + sign


def _expression(reader: TokenReader) -> str:
    """Return a default: one token with what belongs to it."""
    if reader.peek() == "(":
        return f"({text_of(reader.group())})"
    first = reader.next()
    text = first.text
    if first.text in "+-" and reader.more():
        text += reader.next().text
    if first.lower in ("b", "x", "_utf8mb4", "_binary") and reader.more() and reader.found[reader.at].kind == "string":
        text += reader.next().text
    if reader.peek() == "(":
        text += f"({text_of(reader.group())})"
    return text


def literal(default: str | None) -> str | None:
    """Return a default as DESC prints it: without quotes, None for NULL."""
    if default is None or default.lower() == "null":
        return None
    return content(default) if default[0] in "'\"" else default.upper() if default.isidentifier() else default
