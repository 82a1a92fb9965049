"""A dump's statements as the server takes them that loads it: the dump may be of another program, or a newer one."""

from __future__ import annotations

import re
from dataclasses import replace

from intercode.errors import BadDataError, DatabaseError
from intercode.worlds.sql.databases.dialect.token_reader import TokenReader, split
from intercode.worlds.sql.databases.dialect.tokenizer import Token, first_word, meaningful, quote
from intercode.worlds.sql.databases.dumps.script import ScriptStatement
from intercode.worlds.sql.databases.mysql.connection import Connection
from intercode.worlds.sql.databases.mysql.mariadb_forms import (
    REWRITTEN,
    for_mysql,
    inserted_table,
    without_generated,
)

UNKNOWN = re.compile(r"(1193|1231|1238|1229|1227) \(")
"""MySQL's numbers for a setting that the server does not have, or not with this value, or not for a session."""

GENERATED = ("3105 (", "1906 (")
"""MySQL's and strict MariaDB's numbers for a value that is given to a generated column, as MariaDB's dumps do."""

ACCOUNT = r"(?:`[^`]*`|'[^']*'|\"[^\"]*\"|\w+)"
DEFINER = re.compile(
    rf"\A((?:/\*M?!\d*\s*)?create\b.{{0,200}}?)\bdefiner\s*=\s*{ACCOUNT}(?:\s*@\s*{ACCOUNT})?",
    re.IGNORECASE | re.DOTALL,
)
QUOTED = r"'(?:[^'\\]|\\.|'')*'|\"(?:[^\"\\]|\\.|\"\")*\"|`[^`]*`"
COLLATION = re.compile(rf"{QUOTED}|\b(\w*(?:0900|uca1400|nopad)_\w+)", re.DOTALL | re.IGNORECASE)
INVISIBLE = re.compile(rf"({QUOTED})|/\*!80023\s+(INVISIBLE)\s*\*/", re.DOTALL)
VECTOR = re.compile(rf"({QUOTED})|\bvector\s*\((\d+)\)", re.DOTALL | re.IGNORECASE)


class DumpStatements:
    """Rewrites statements for the server behind *admin*: collations, definers, keys over expressions."""

    def __init__(self, admin: Connection) -> None:
        self._admin = admin
        version = str(admin.rows("SELECT VERSION()")[0][0])
        self._is_mariadb = "mariadb" in version.lower()
        self._has_vectors = tuple(map(int, re.findall(r"\d+", version)[:2])) >= (
            (11, 7) if self._is_mariadb else (9, 0)
        )
        self._collations: dict[str, str] = {}

    def run(self, line: ScriptStatement) -> None:
        """Run one statement of a dump.

        A setting that the server does not have is left out: it is about the program that made the dump.

        Raises:
            BadDataError: If it fails, or means what the server cannot do. Names file and line.
            ConnectionLostError: If the server is gone.
        """
        try:
            if text := self._adapted(line):
                self._admin.rows(text)
        except DatabaseError as error:
            reason = str(error).partition(": ")[2]
            if reason.startswith(GENERATED) and (given := inserted_table(line.text)):
                self._admin.rows(without_generated(line.text, self._generated(given)))
            elif not (first_word(line.code) == "set" and UNKNOWN.match(reason)):
                raise BadDataError(f"{line.place}: {reason}") from error

    def _generated(self, table: str) -> set[int]:
        """Return which columns of *table* are generated, counted from 0."""
        found = self._admin.rows(f"SHOW COLUMNS FROM {quote(table)}")
        return {at for at, row in enumerate(found) if str(row[-1]).endswith(" GENERATED")}

    def _adapted(self, line: ScriptStatement) -> str:
        word = first_word(line.code)
        if not self._is_mariadb and word in REWRITTEN and (text := for_mysql(line.code)) != line.code:
            line = replace(line, text=text)
        if word not in ("create", "alter", "set"):
            return line.text
        text = COLLATION.sub(lambda found: self._collation(found[1]) if found[1] else found[0], line.text)
        if word == "create":  # an account of the server that made the dump: nobody could use the view
            text = DEFINER.sub(r"\1", text, count=1)
        if word == "create" and not self._has_vectors:
            text = VECTOR.sub(lambda found: found[1] or f"varbinary({4 * int(found[2])})", text)
        return self._for_mariadb(line, text) if word == "create" and self._is_mariadb else text

    def _for_mariadb(self, line: ScriptStatement, text: str) -> str:
        """Return a definition of MySQL 8 without what MariaDB lacks or, in comments for MySQL, would not see."""
        text = INVISIBLE.sub(lambda found: found[1] or found[2], text)
        code = TokenReader(meaningful(text))
        if not (code.skip("create", "table") or code.skip("create", "temporary", "table")):
            return text
        while code.more() and code.peek() != "(":
            code.next()
        for item in reversed(list(split(code.group()))):
            words = [token.lower for token in item]
            is_key = item[0].kind == "word" and bool({"key", "index"} & set(words[:2]))
            is_functional = is_key and any(part[0].text == "(" for part in split(_parts(item)) if part)
            if is_functional and words[0] == "unique":
                way_out = "leave it out of the dump, or use a MySQL 8 or sqlite"
                raise BadDataError(f"{line.place}: MariaDB has no unique key over an expression: {way_out}")
            if is_functional or (words[-1].startswith("/*!80016") and "NOT ENFORCED" in item[-1].text):
                end = item[-1].start + len(item[-1].text)
                text = text[: text.rindex(",", 0, item[0].start)] + text[end:]  # a column stands before it
        return text

    def _collation(self, name: str) -> str:
        """Return the collation itself where the server knows it, else the one nearest to it."""
        if name not in self._collations:
            self._collations[name] = next(filter(self._is_known, (name, *_nearest(name.lower()))), name)
        return self._collations[name]

    def _is_known(self, name: str) -> bool:
        try:
            self._admin.rows(f"SELECT CONVERT('a' USING {_character_set(name)}) COLLATE {name}")
        except DatabaseError:
            return False
        return True


def _parts(key: list[Token]) -> list[Token]:
    """Return what is in the parentheses of a key."""
    reader = TokenReader(key)
    while reader.more() and reader.peek() != "(":
        reader.next()
    return reader.group()


def _character_set(collation: str) -> str:
    first = collation.partition("_")[0].lower()
    return "utf8mb4" if first in ("uca1400", "0900") else first


def _nearest(name: str) -> list[str]:
    """Return collations like *name*, the nearest first: with or without blanks at the end, accents and case."""
    found = re.search(r"bin|a[is]_c[is]", name)
    heeds = found[0] if found else "ai_ci"
    unicode = f"uca1400_{heeds}", f"0900_{heeds}"
    if heeds == "bin":
        near = ["0900_bin", "nopad_bin", "bin"]
    elif "nopad" in name or "_0900_" in name:
        near = [f"uca1400_nopad_{heeds}", unicode[1], "unicode_520_nopad_ci", "unicode_520_ci"]
    else:
        near = ["unicode_520_ci", *unicode] if heeds == "ai_ci" else [*unicode, "unicode_520_ci"]
    if heeds.endswith("cs"):
        near[-1] = "bin"
    return [f"{_character_set(name)}_{each}" for each in near]
