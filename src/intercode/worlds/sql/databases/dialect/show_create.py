"""A definition as text again: what SHOW CREATE TABLE prints of it."""

from __future__ import annotations

from collections.abc import Iterator

from intercode.worlds.sql.databases.dialect.definition import ColumnDefinition, ForeignKey, TableDefinition
from intercode.worlds.sql.databases.dialect.tokenizer import quote

ENDING = "ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci"


def show_create(definition: TableDefinition) -> str:
    """Return the CREATE TABLE statement of *definition*, line by line as MySQL writes it."""
    lines = ",\n".join(f"  {line}" for line in _lines(definition))
    return f"CREATE TABLE {quote(definition.name)} (\n{lines}\n) {ENDING}{_comment(definition.comment, '=')}"


def _comment(text: str, sign: str = " ") -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "''")
    return f" COMMENT{sign}'{escaped}'" if text else ""


def _lines(definition: TableDefinition) -> Iterator[str]:
    yield from map(_column, definition.columns)
    if definition.primary:
        yield f"PRIMARY KEY ({_names(definition.primary)})"
    yield from (f"UNIQUE KEY {quote(name)} ({_names(columns)})" for name, columns in definition.unique)
    yield from (f"KEY {quote(name)} ({_names(columns)})" for name, columns in definition.indexes)
    yield from map(_foreign, definition.foreign)
    yield from (f"CHECK ({check})" for check in definition.checks)


def _column(column: ColumnDefinition) -> str:
    parts = [quote(column.name), column.type]
    if column.collation:
        parts.append(f"COLLATE {column.collation}")
    if column.generated:
        parts.append(f"GENERATED ALWAYS AS ({column.generated}) VIRTUAL")
    if not column.nullable:
        parts.append("NOT NULL")
    if column.default is not None:
        parts.append(f"DEFAULT {column.default}")
    elif column.nullable and not column.generated and not column.type.endswith(("text", "blob")):
        parts.append("DEFAULT NULL")
    if column.on_update:
        parts.append("ON UPDATE CURRENT_TIMESTAMP")
    if column.counts:
        parts.append("AUTO_INCREMENT")
    return " ".join(parts) + _comment(column.comment)


def _foreign(key: ForeignKey) -> str:
    constraint = f"CONSTRAINT {quote(key.name)} " if key.name else ""
    own, others = _names(key.columns), _names(key.references)
    return f"{constraint}FOREIGN KEY ({own}) REFERENCES {quote(key.table)} ({others}) {key.actions}".rstrip()


def _names(columns: tuple[str, ...]) -> str:
    return ",".join(map(quote, columns))
