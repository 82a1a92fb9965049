"""A published dump with statements of our own at its end: tables that lay about, rows that are planted."""

from __future__ import annotations

import gzip
from dataclasses import replace
from hashlib import sha256

from intercode.types.databases import DatabaseSource
from intercode.util.atomic_write import write_bytes
from intercode_sandbox.util import paths


def with_statements(source: DatabaseSource, statements: str) -> DatabaseSource:
    """Return *source*, a dump, with *statements* run after it. The longer dump is written to the cache once.

    Statements name the database that they are about by `USE`, as the dump itself does.
    """
    if not statements:
        return source
    data = source.path.read_bytes()
    whole = (gzip.decompress(data) if source.path.suffix == ".gz" else data) + statements.encode()
    made = paths.cache() / "planted" / f"{sha256(whole).hexdigest()[:16]}.sql"
    if not made.exists():
        made.parent.mkdir(parents=True, exist_ok=True)
        write_bytes(made, whole)
    return replace(source, path=made)
