"""A statement of MySQL in SQLite's words, token by token: fast, and enough for most of them.

What needs to be understood as a whole is left to `transpile`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from intercode.databases.dialect.scan import Token, content, first_word, remembered, tokens
from intercode.databases.dumps.script import uncommented
from intercode.databases.embedded import collation
from intercode.databases.embedded.calls import concerned, rewritten
from intercode.databases.embedded.subqueries import opened
from intercode.databases.embedded.upsert import upserted

SYMBOLS = {"&&": " AND ", "||": " OR ", "<=>": " IS ", "/": "*1.0/", "!": " NOT "}

WORDS = {"rlike": "REGEXP", "div": "/", "distinctrow": "DISTINCT", "straight_join": "JOIN", "sql_calc_found_rows": "",
         "sql_no_cache": "", "high_priority": "", "low_priority": ""}  # fmt: skip

QUOTED = frozenset({"nothing", "notnull", "glob", "transaction", "autoincrement", "deferrable", "returning", "escape"})
"""Ordinary names for MySQL, words of its own for SQLite."""

CALLS = {"left": "mysql_left", "right": "mysql_right", "format": "mysql_format", "insert": "mysql_insert",
         "if": "mysql_if", "mod": "mysql_mod", "date_format": "mysql_date_format", "char": "mysql_char",
         "truncate": "mysql_truncate", "log": "mysql_log", "length": "mysql_length",
         "mid": "substr"}  # fmt: skip
"""Functions that SQLite lacks under that name, cannot parse, or means otherwise; see `functions`."""


@remembered
def adapt(statement: str) -> str:
    """*statement* for SQLite: quotes, operators, names of functions."""
    found: Sequence[Token] = tokens(uncommented(statement))
    text = _joined(found)
    if concerned(text):
        text = "".join(token.text for token in rewritten(tokens(text)))
    if BRACKETS.search(text):
        text = "".join(token.text for token in opened(tokens(text)))
    if first_word(statement) == "insert" and "duplicate" in text.lower():
        text = upserted(tokens(text)) or text
    text = text.rstrip().rstrip(";")
    for pattern, instead in WHOLE.get(first_word(statement), ()):
        text = pattern.sub(instead, text, count=1)
    return text


BRACKETS = re.compile(r"^\s*\(|\(\s*\(|\b(?:union|intersect|except)\b[^()]{0,20}\(", re.IGNORECASE)
"""Where brackets may be that SQLite does not know."""


def _joined(found: Sequence[Token]) -> str:
    return "".join(_adapted(found, index, token) for index, token in enumerate(found))


WHOLE = {
    "truncate": ((re.compile(r"truncate\s+(table\b)?", re.IGNORECASE), "DELETE FROM "),),
    "insert": ((re.compile(r"(into\s+\S+\s*)\(\s*\)\s*values\s*\(\s*\)", re.IGNORECASE), r"\1 DEFAULT VALUES"),),
}
"""Statements of which the words would do, in another order."""


def _adapted(found: Sequence[Token], index: int, token: Token) -> str:
    if token.kind == "string":
        return _string(found, index, token)
    if token.kind == "space":
        return "\n" if token.text[0] == "#" else token.text
    if token.text == "-" and _after(found, index) == "-":
        return "- "  # two in a row would begin a comment
    if token.kind == "symbol":
        return SYMBOLS.get(token.text, token.text)
    if token.kind == "number" and token.text[:2] == "0x":
        return _blob(token.text[2:])
    return _word(found, index, token) if token.kind == "word" else token.text


def _word(found: Sequence[Token], index: int, token: Token) -> str:
    word, after = token.lower, _after(found, index)
    if after == "(" and word in CALLS:
        return CALLS[word]
    if word == "mod":
        return "%"
    if word in SILENT and _beside(found, index, 1) in SILENT[word] and _beside(found, index, -1) != ".":
        return ""
    if word == "dual" and _beside(found, index, -1) == "from":
        return ""
    if _beside(found, index, -1) == "collate":
        return "RTRIM" if word.endswith("_bin") else collation.NAME if word.endswith("_ci") else token.text
    if (word[0] == "_" or word in ("b", "x", "n")) and after[:1] in ("'", '"'):
        return ""
    if word in ("signed", "unsigned") and after == ")":  # CAST(x AS SIGNED)
        return "INTEGER"
    if word[0] == "$":  # a parameter to SQLite
        return f'"{token.text}"'
    if word in QUOTED and not (word == "escape" and after.isspace()):
        return f'"{token.text}"'
    return WORDS.get(word, token.text)


SILENT = {"from": ("dual",), **dict.fromkeys(("date", "time", "timestamp"), ("'", '"'))}
"""Words that SQLite does without before others: FROM DUAL, DATE '2024-01-31'."""


def _beside(found: Sequence[Token], index: int, step: int) -> str:
    """The next token before or after that is no space, in lower case; of a string only its quote."""
    place = index + step
    while 0 <= place < len(found) and found[place].kind == "space":
        place += step
    if not 0 <= place < len(found):
        return ""
    return found[place].text[0] if found[place].kind == "string" else found[place].lower


def _after(found: Sequence[Token], index: int) -> str:
    return found[index + 1].text if index + 1 < len(found) else ""


def _string(found: Sequence[Token], index: int, token: Token) -> str:
    """A string in single quotes without escapes; bytes and bits after `_binary`, `x` and `b`."""
    before = found[index - 1].lower if index and found[index - 1].kind == "word" else ""
    value = content(token.text)
    if before == "b" and set(value) <= {"0", "1"}:
        return str(int(value or "0", 2))
    if before == "x":
        return f"X'{value}'"
    if before == "_binary" or "\0" in value:
        return _blob(value.encode("utf-8", "surrogateescape").hex())
    quoted = "'" + value.replace("'", "''") + "'"
    like = any(token.lower == "like" for token in found[max(0, index - 2) : index])
    return f"{quoted} ESCAPE '\\'" if like and "\\" in value else quoted


def _blob(digits: str) -> str:
    return f"X'{digits if len(digits) % 2 == 0 else '0' + digits}'"
