"""A source of SQL, statement by statement, each with the database it is for and where it stands."""

from __future__ import annotations

import gzip
import re
import zlib
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from intercode.databases.dialect.tokenizer import meaningful, plain, statements
from intercode.databases.source_files import files, stem
from intercode.errors import BadDataError

if TYPE_CHECKING:
    from intercode.databases.base import DatabaseSource


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
        """Where it stands, for messages."""
        return f"{self.file}, line {self.line}"


OTHERS = re.compile(
    r"(create|alter|drop)\s+(user|role|event|server|tablespace)\b|grant\b|revoke\b|flush\b|set\s+(global|persist|password)\b"
    r"|lock\s|unlock\s|start\s+transaction|begin\b|commit\b|shutdown|reset\b|purge\b",
    re.IGNORECASE,
)
"""Statements of dumps that are about the server they came from, its accounts and its locks: left out."""


def lines(source: DatabaseSource) -> Iterator[ScriptStatement]:
    """All statements that make the databases of *source*, without those about databases and accounts as such.

    Raises:
        BadDataError: If a file cannot be read, or there is no statement: what is made of a source is kept, and an empty
            one is a file that was cut.
    """
    is_empty = True
    for file in files(source.path, source.kind):
        database = source.name if file == source.path else stem(file)
        for statement in statements(_text(file)):
            code = uncomment(statement.text)
            if chosen := _chosen(code):
                database = chosen.lower()
            elif code and not OTHERS.match(code):
                is_empty = False
                yield ScriptStatement(database.lower(), statement.text, code, file, statement.line)
    if is_empty:
        raise BadDataError(f"{source.path}: no SQL statement in it")


CODE = re.compile(r"/\*M?!\d*\s?(.*?)\*/", re.DOTALL)


def uncomment(text: str) -> str:
    """The same statement with what is in the comments that MySQL executes; dumps put whole clauses there."""
    return CODE.sub(r"\1", text).strip() if "/*!" in text or "/*M!" in text else text


CHOICE = re.compile(r"(use|create\s+(?:database|schema)|drop\s+(?:database|schema))\b", re.IGNORECASE)


def _chosen(text: str) -> str:
    """The database that a USE, CREATE DATABASE or DROP DATABASE names; empty for other statements."""
    if not CHOICE.match(text):
        return ""
    words = [token for token in meaningful(text) if token.kind in ("word", "name")]
    skipped = {"use", "create", "drop", "database", "schema", "if", "not", "exists"}
    return next((plain(word) for word in words if word.kind == "name" or word.lower not in skipped), "")


def _text(file: Path) -> str:
    """A file as text; bytes that are not UTF-8 (in blobs) are kept by `surrogateescape`. Raises BadDataError."""
    try:
        data = file.read_bytes()
        data = gzip.decompress(data) if file.suffix == ".gz" else data
    except (OSError, EOFError, zlib.error) as error:
        raise BadDataError(f"{file}: cannot be read: {error}") from error
    if data.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):  # what PowerShell writes for `mysqldump > FILE`
        raise BadDataError(f"{file}: it is UTF-16; save it as UTF-8 (`mysqldump --result-file=FILE` writes it so)")
    return data.removeprefix(BOM_UTF8).decode("utf-8", "surrogateescape")
