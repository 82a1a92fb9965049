"""A source of SQL, statement by statement, each with the database it is for and where it stands."""

from __future__ import annotations

import re
import zlib
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from intercode.errors import BadDataError
from intercode.util.database_files import files, stem
from intercode.util.regular_files import LARGEST_DATA, read_bytes, unzip
from intercode.worlds.sql.databases.dialect.tokenizer import meaningful, plain, statements

if TYPE_CHECKING:
    from intercode.types.databases import DatabaseSource


@dataclass(frozen=True, slots=True)
class ScriptStatement:
    """One statement for one database: its `text` as it stands, and as `code` without MySQL's conditional comments."""

    database: str
    text: str
    code: str
    file: Path
    line: int

    @property
    def place(self) -> str:
        """Return where it stands, for messages."""
        return f"{self.file}, line {self.line}"


OTHERS = re.compile(
    r"(create|alter|drop)\s+(or\s+replace\s+)?(definer\s*=\s*\S+\s+)?(user|role|event|server|tablespace)\b"
    r"|alter\s+(database|schema)\b"
    r"|set\s+(global|persist|persist_only|password|role|default\s+role)\b|set\s+@@(global|persist|persist_only)\s*\."
    r"|set\s+(session\s+|@@(session\.)?|@mysqldump_temp_log_bin\s*=\s*@@(session\.)?)sql_log_bin\b"
    r"|grant\b|revoke\b|flush\b|lock\s|unlock\s|start\s+transaction|begin\b|commit\b|shutdown|reset\b|purge\b|change\s",
    re.IGNORECASE,
)
"""Statements of dumps that are about the server they came from, its accounts and its locks: left out."""


def lines(source: DatabaseSource) -> Iterator[ScriptStatement]:
    """Yield all statements that make the databases of *source*, without those about databases and accounts as such.

    Raises:
        BadDataError: If a file cannot be read, or there is no statement: what is made of a source is kept, and an empty
            one is a file that was cut.
    """
    is_empty = True
    for file in files(source.path, source.kind):
        for line in _lines(file, source.name if file == source.path else stem(file)):
            is_empty = False
            yield line
    if is_empty:
        raise BadDataError(f"{source.path}: no SQL statement in it")


def _lines(file: Path, database: str) -> Iterator[ScriptStatement]:
    """Yield a file's statements; the settings at its head are repeated for each database, which is made by itself."""
    head, is_head, current = list[ScriptStatement](), True, ""
    for statement in statements(_text(file)):
        code = uncomment(statement.text)
        if chosen := _chosen(code):
            database = chosen
        elif code and not OTHERS.match(code):
            line = ScriptStatement(database.lower(), statement.text, code, file, statement.line)
            if is_head and SETTING.match(code):
                head.append(line)
                continue
            is_head = False
            if line.database != current:
                current = line.database
                yield from (replace(each, database=current) for each in head)
            yield line


SETTING = re.compile(r"set\s", re.IGNORECASE)

CODE = re.compile(
    r"""(?P<kept>'(?:[^'\\]|\\.|'')*'|"(?:[^"\\]|\\.|"")*"|`[^`]*`)|/\*M?!(?P<version>\d*)\s?(?P<code>.*?)\*/""",
    re.DOTALL,
)

NO_VERSION = 999_999
"""What MariaDB's dumps ask for where no server is to run a comment: for the client only."""


def uncomment(text: str) -> str:
    """Return the same statement with what is in the comments that MySQL executes; dumps put whole clauses there."""
    return CODE.sub(_code, text).strip() if "/*!" in text or "/*M!" in text else text


def _code(found: re.Match[str]) -> str:
    if found["kept"] is not None:
        return found["kept"]
    return "" if int(found["version"] or 0) >= NO_VERSION else found["code"]


CHOICE = re.compile(r"(use|create\s+(?:database|schema)|drop\s+(?:database|schema))\b", re.IGNORECASE)


def _chosen(text: str) -> str:
    """Return the database that a USE, CREATE DATABASE or DROP DATABASE names; empty for other statements."""
    if not CHOICE.match(text):
        return ""
    words = [token for token in meaningful(text) if token.kind in ("word", "name")]
    skipped = {"use", "create", "drop", "database", "schema", "if", "not", "exists"}
    return next((plain(word) for word in words if word.kind == "name" or word.lower not in skipped), "")


def _text(file: Path) -> str:
    """Return a file as text; bytes that are not UTF-8 (in blobs) are kept by `surrogateescape`. Raises BadDataError."""
    try:
        data = unzip(read_bytes(file, most=LARGEST_DATA), file)
    except (OSError, EOFError, zlib.error) as error:
        raise BadDataError(f"{file}: cannot be read: {error}") from error
    if data.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):  # what PowerShell writes for `mysqldump > FILE`
        raise BadDataError(f"{file}: it is UTF-16; save it as UTF-8 (`mysqldump --result-file=FILE` writes it so)")
    return data.removeprefix(BOM_UTF8).decode("utf-8", "surrogateescape")
