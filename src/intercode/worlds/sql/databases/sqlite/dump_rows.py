"""The rows of a dump for SQLite: there may be millions, so they are read by cells only where a column asks for it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from intercode.worlds.sql.databases.dialect.definition import ColumnDefinition, TableDefinition
from intercode.worlds.sql.databases.dialect.tokenizer import Token, content, meaningful, plain
from intercode.worlds.sql.databases.sqlite.generator import blob
from intercode.worlds.sql.databases.sqlite.table_definitions import BYTES, default_value
from intercode.worlds.sql.databases.sqlite.translation import literals

HEAD = re.compile(
    r"(insert|replace)((?:\s+(?:low_priority|high_priority|delayed|ignore))*)(?:\s+into)?\s+"
    r"(`[^`]*`|\w+)\s*(\([^()]*\))?\s*values?\b",
    re.IGNORECASE,
)
DEFAULT = re.compile(r"[(,]\s*default\s*[,)]", re.IGNORECASE)


def rows(code: str, tables: dict[str, TableDefinition]) -> str | None:
    """Return an INSERT or REPLACE of rows as SQLite takes it; None for any other statement.

    Defaults are written out, values for generated columns left out; bytes and bits are kept as what they are.
    """
    head = HEAD.match(code)
    if head is None:
        return None
    verb = "INSERT OR IGNORE" if "ignore" in head[2].lower() else head[1].upper()
    names = [token for token in meaningful(head[4] or "") if token.kind in ("word", "name")]
    definition, rest = tables.get(head[3].strip("`").lower()), code[head.end() :]
    if definition is None:
        return f"{verb} INTO {head[3]} {head[4] or ''} VALUES {literals(rest)}"
    by_name = {column.name.lower(): column for column in definition.columns}
    columns = [by_name.get(plain(name).lower()) for name in names] if names else list(definition.columns)
    kept = [name.text for name, column in zip(names, columns, strict=False) if not (column and column.generated)]
    target = f"{head[3]} ({', '.join(kept)})" if kept else head[3]
    if DEFAULT.search(rest) or any(column and (column.generated or _is_special(column)) for column in columns):
        return f"{verb} INTO {target} VALUES {''.join(_cells(rest, columns))}"
    return f"{verb} INTO {target} VALUES {literals(rest)}"


def _is_special(column: ColumnDefinition) -> bool:
    return column.word == "bit" or column.word in BYTES


def _cells(rest: str, columns: Sequence[ColumnDefinition | None]) -> Iterator[str]:
    depth, begin, cells = 0, 0, list[str]()
    for token in meaningful(rest):
        depth += {"(": 1, ")": -1}.get(token.text, 0)
        if token.text == "(" and depth == 1:
            begin, cells = token.start + 1, []
        elif (token.text == "," and depth == 1) or (token.text == ")" and depth == 0):
            column = columns[len(cells)] if len(cells) < len(columns) else None
            cells.append(_cell(rest[begin : token.start], column))
            begin = token.start + 1
            if depth == 0:
                generated = [bool(column and column.generated) for column in columns]
                yield f"({', '.join(cell for at, cell in enumerate(cells) if not any(generated[at : at + 1]))})"
        elif depth == 0 and token.text != ";":
            yield f" {token.text} "


def _cell(text: str, column: ColumnDefinition | None) -> str:
    """Return one value for SQLite."""
    text = text.strip()
    if column is None:
        return literals(text)
    if text.lower() == "default":
        return "NULL" if column.counts else default_value(column) or "NULL"
    if not _is_special(column) or text.lower() == "null":
        return literals(text)
    data = _bytes(meaningful(text))
    if data is None:
        return literals(text)
    return str(int.from_bytes(data)) if column.word == "bit" else blob(data)


def _bytes(found: Sequence[Token]) -> bytes | None:
    """Return the bytes that a text, or a number in hexadecimal digits, stands for; None for anything else."""
    last, before = found[-1], found[0].lower if len(found) == 2 else ""
    if last.kind == "number" and last.text[:2].lower() == "0x":
        digits = last.text[2:]
        return bytes.fromhex("0" * (len(digits) % 2) + digits)
    if last.kind != "string" or len(found) > 2:
        return None
    value = content(last.text)
    if before == "x":
        return bytes.fromhex(value)
    if before == "b":
        return int(value or "0", 2).to_bytes(8)
    return value.encode("utf-8", "surrogateescape")
