"""SQLite's errors in MySQL's words."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection

from intercode.databases.dialect import errors
from intercode.databases.dialect.errors import format_error
from intercode.databases.dialect.tokenizer import Token, first_word, meaningful, plain
from intercode.databases.dialect.validation import placeholder


def message(error: str, statement: str, database: str, known: Collection[str] = ()) -> str:
    """What MySQL says where SQLite says *error* of *statement*, in *database*; *known* are all that there are."""
    if found := NO_TABLE.match(error):
        return _no_table(found[1], statement, database, known)
    for pattern, told_as in PATTERNS:
        if found := pattern.match(error):
            return told_as(found, statement, database)
    return format_error(1105, error)


NO_TABLE = re.compile(
    r"(?:no such (?:table|view): |access to (?:\w+\.)?(?=sqlite_|pragma_|dbstat))(.+?)(?:(?:\.\w+)? is prohibited)?$"
)


def _no_table(name: str, statement: str, database: str, known: Collection[str]) -> str:
    schema, _, table = name.lower().rpartition(".")
    here = database if schema in ("", "main", "temp") else schema
    if here not in (database, *known, "information_schema"):
        return format_error(1049, f"Unknown database '{schema}'")
    if first_word(statement) == "drop":
        return format_error(1051, f"Unknown table '{here}.{table}'")
    return format_error(1146, f"Table '{here}.{table}' doesn't exist")


def _no_column(found: re.Match[str], statement: str, database: str) -> str:
    return format_error(1054, f"Unknown column '{found[1]}' in '{clause(statement, found[1])}'")


def _ambiguous(found: re.Match[str], statement: str, database: str) -> str:
    return format_error(1052, f"Column '{found[1]}' in {clause(statement, found[1])} is ambiguous")


def _syntax(found: re.Match[str], statement: str, database: str) -> str:
    wanted, inside = found[1], meaningful(statement)
    at = next((token.start for token in inside if token.text == wanted), statement.find(wanted))
    open_end = next((token.start for token in inside if token.kind == "open"), at)
    return errors.syntax_error(statement.rstrip().rstrip(";"), max(0, open_end))


def _incomplete(found: re.Match[str], statement: str, database: str) -> str:
    return errors.syntax_error(statement, len(statement))


def _parted(found: re.Match[str], statement: str, database: str) -> str:
    if first_word(statement) in ("delete", "drop", "truncate"):
        return format_error(1451, "Cannot delete or update a parent row: a foreign key constraint fails")
    return format_error(1452, "Cannot add or update a child row: a foreign key constraint fails")


def _unfilled(found: re.Match[str], statement: str, database: str) -> str:
    return placeholder(statement) or format_error(1064, found.string)


def _duplicate(found: re.Match[str], statement: str, database: str) -> str:
    table, _, column = found[1].split(",")[0].strip().partition(".")
    return format_error(1062, f"Duplicate entry for key '{table}.{column}'")


def _denied(found: re.Match[str], statement: str, database: str) -> str:
    if first_word(statement) in ("attach", "detach", "pragma", "vacuum", "reindex"):  # no statements of MySQL's
        return errors.syntax_error(statement.rstrip().rstrip(";"), 0)
    return format_error(1227, "Access denied; you need (at least one of) the SUPER privilege(s) for this operation")


def _fixed(number: int, text: str) -> Callable[[re.Match[str], str, str], str]:
    return lambda found, statement, database: format_error(number, found.expand(text))


def _function(found: re.Match[str], statement: str, database: str) -> str:
    return format_error(1305, f"FUNCTION {database}.{found[1]} does not exist")


def _exists(found: re.Match[str], statement: str, database: str) -> str:
    return format_error(1050, f"Table '{found[1].strip(chr(34))}' already exists")


def _too_large(found: re.Match[str], statement: str, database: str) -> str:
    return errors.TOO_LONG


def _late(found: re.Match[str], statement: str, database: str) -> str:
    return errors.TIMEOUT


SPECIAL: dict[str, Callable[[re.Match[str], str, str], str]] = {
    r"no such column: (.+)": _no_column,
    r"table \S+ has no column named (.+)": _no_column,
    r"ambiguous column name: (.+)": _ambiguous,
    r'near "(.*)": syntax error': _syntax,
    r'unrecognized token: "(.*)"': _syntax,
    r"incomplete input": _incomplete,
    r"FOREIGN KEY constraint failed": _parted,
    r"Incorrect number of bindings|Binding \d+ has no name": _unfilled,
    r"UNIQUE constraint failed: (.+)": _duplicate,
    r"no such function: (.+)": _function,
    r"table (\S+) already exists": _exists,
    r"not authorized|authorization denied|access to .* is prohibited": _denied,
    r"interrupted": _late,
    r"string or blob too big|query string is too large": _too_large,
}
"""SQLite's messages of which the answer depends on the statement."""

FIXED = {
    r"wrong number of arguments to function (\w+)\(?": (
        1582,
        r"Incorrect parameter count in the call to native function '\1'",
    ),
    r"misuse of aggregate|misuse of window|aggregate functions are not allowed": (
        1111,
        "Invalid use of group function",
    ),
    r"SELECTs to the left and right of .* do not have the same number": (
        1222,
        "The used SELECT statements have a different number of columns",
    ),
    r"sub-select returns (\d+) columns - expected (\d+)": (1241, r"Operand should contain \2 column(s)"),
    r"row value misused": (1241, "Operand should contain 1 column(s)"),
    r"table (?:\S+ )?has \d+ columns but \d+ values|\d+ values for \d+ columns": (
        1136,
        "Column count doesn't match value count at row 1",
    ),
    r"NOT NULL constraint failed: [^.]+\.(.+)": (1048, r"Column '\1' cannot be null"),
    r"CHECK constraint failed: (.+)": (3819, r"Check constraint '\1' is violated."),
    r"duplicate column name: (.+)": (1060, r"Duplicate column name '\1'"),
    r"cannot join using column (\S+)": (1054, r"Unknown column '\1' in 'from clause'"),
    r"no tables specified": (1096, "No tables used"),
    r"database or disk is full": (1114, "The table is full"),
    r"regular expression: (.+)": (1139, r"Got error '\1' from regexp"),
    r"user-defined function raised exception": (1582, "Incorrect parameter count in the call to native function"),
    r"LIKE or GLOB pattern too complex": (1210, "Incorrect arguments to LIKE"),
    r"integer overflow": (1690, "BIGINT value is out of range"),
}
"""SQLite's messages, and the number and text of MySQL's."""

PATTERNS = [(re.compile(pattern, re.DOTALL), tells) for pattern, tells in SPECIAL.items()]
PATTERNS += [(re.compile(pattern, re.DOTALL), _fixed(*told_as)) for pattern, told_as in FIXED.items()]


CLAUSES = {
    "select": "field list", "set": "field list", "from": "from clause", "on": "on clause", "where": "where clause",
    "group": "group statement", "having": "having clause", "order": "order clause", "values": "field list",
}  # fmt: skip


def clause(statement: str, column: str) -> str:
    """MySQL's name for the part of *statement* in which *column* (perhaps with its table) first stands."""
    wanted = column.rpartition(".")[2].lower()
    stack = ["field list"]
    found = meaningful(statement)
    for token, before in zip(found, [None, *found], strict=False):
        if token.text == "(":
            stack.append(stack[-1])
        elif token.text == ")" and len(stack) > 1:
            stack.pop()
        elif token.kind == "word" and token.lower in CLAUSES:
            stack[-1] = CLAUSES[token.lower]
        elif _is(token, wanted) and not _is_alias(before) and stack[-1] != "from clause":
            return stack[-1]
    return "field list"


def _is(token: Token, wanted: str) -> bool:
    return token.kind in ("word", "name") and plain(token).lower() == wanted


def _is_alias(before: Token | None) -> bool:
    return before is not None and before.lower == "as"
