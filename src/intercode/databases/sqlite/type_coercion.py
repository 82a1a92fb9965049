"""Values of a column that is given another type: brought to it as MySQL does, or told not to fit."""

from __future__ import annotations

import re
from collections.abc import Iterator

from intercode.databases.dialect.definition import ColumnDefinition
from intercode.databases.dialect.errors import format_error

BITS = {"tinyint": 8, "smallint": 16, "mediumint": 24, "int": 32, "bigint": 64}

TEXTS = frozenset({"char", "varchar"})

MOMENTS = {"date": "mysql_day", "datetime": "mysql_moment", "timestamp": "mysql_moment", "time": "mysql_clock"}


def convert_value(value: str, old: ColumnDefinition, new: ColumnDefinition) -> str:
    """The expression *value*, of the column *old*, as *new* holds it."""
    if old.type == new.type:
        return value
    scale = _sizes(new)[-1:] or [0]
    if new.word in BITS:
        return f"CASE typeof({value}) WHEN 'real' THEN mysql_integer({value}) ELSE {value} END"
    if new.word == "decimal":
        return f"CASE typeof({value}) WHEN 'real' THEN mysql_decimal({value}, {scale[0]}) ELSE {value} END"
    if new.word in MOMENTS:
        return f"coalesce({MOMENTS[new.word]}({value}), {value})"
    if old.word == "decimal" and (new.word in TEXTS or new.word.endswith("text")):
        return f"printf('%.{_sizes(old)[-1]}f', {value})" if _sizes(old) else value
    return value


def find_misfits(name: str, new: ColumnDefinition) -> Iterator[tuple[str, str]]:
    """What holds for values that do not fit *new*, whose name in quotes is *name*, and what MySQL says then."""
    word, sizes = new.word, _sizes(new)
    out_of_range = format_error(1264, f"Out of range value for column '{new.name}' at row 1")
    if word in BITS or word == "decimal":
        kind = "decimal" if word == "decimal" else "integer"
        yield f"typeof({name}) = 'text'", format_error(1366, f"Incorrect {kind} value for column '{new.name}' at row 1")
    if word in BITS and BITS[word] < 64:
        least, most = (0, 1 << BITS[word]) if "unsigned" in new.type else (-1 << BITS[word] - 1, 1 << BITS[word] - 1)
        yield f"{name} NOT BETWEEN {least} AND {most - 1}", out_of_range
    if word == "decimal" and len(sizes) == 2:
        yield f"abs({name}) >= 1e{sizes[0] - sizes[1]}", out_of_range
    if word in TEXTS and sizes:
        yield f"length({name}) > {sizes[0]}", format_error(1265, f"Data truncated for column '{new.name}' at row 1")
    if word in MOMENTS:
        wrong = format_error(1292, f"Incorrect {word} value for column '{new.name}' at row 1")
        yield f"{name} IS NOT NULL AND {MOMENTS[word]}({name}) IS NULL", wrong
    if word == "enum" and (values := re.fullmatch(r"enum\((.*)\)", new.type, re.IGNORECASE | re.DOTALL)):
        yield f"{name} NOT IN ({values[1]})", format_error(1265, f"Data truncated for column '{new.name}' at row 1")


def _sizes(column: ColumnDefinition) -> list[int]:
    return [int(size) for size in re.findall(r"\d+", column.type.partition("(")[2])] if column.word != "enum" else []
