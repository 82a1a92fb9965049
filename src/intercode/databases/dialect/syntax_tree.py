"""A statement as sqlglot reads it, with an end to its patience: some texts of a hundred signs it reads for hours."""

from __future__ import annotations

import logging
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # slow to import: done where a statement is really read
    from sqlglot import exp
    from sqlglot.parsers.mysql import MySQLParser

STEPS = 300
"""How often the reader may move for each word of a text, beyond `FREE`; what means something takes about 20."""

FREE = 50_000


def syntax_trees(statement: str) -> list[exp.Expr]:
    """All statements in *statement*, which is MySQL's. Raises ValueError for what cannot be read."""
    from sqlglot.dialects.mysql import MySQL

    logging.getLogger("sqlglot").setLevel(logging.CRITICAL)  # it warns of what it cannot read; that is no news here
    try:
        found = MySQL().tokenize(statement)
        return [each for each in _reader()(dialect=MySQL()).parse(found, statement) if each is not None]
    except catches_parse_errors() as error:
        raise ValueError(f"cannot be read: {error}") from error


@cache
def catches_parse_errors() -> tuple[type[Exception], ...]:
    """What sqlglot raises for text that is far from SQL, its own errors apart: `SHOW TABLE` ends in an IndexError."""
    from sqlglot.errors import SqlglotError

    return SqlglotError, RecursionError, LookupError, AttributeError, TypeError, ValueError


@cache
def _reader() -> type[MySQLParser]:
    from sqlglot.parsers.mysql import MySQLParser

    class Reader(MySQLParser):
        """Gives up."""

        moves = 0

        def _advance(self, times: int = 1) -> None:
            self.moves += 1
            if self.moves > FREE + STEPS * len(self._tokens):
                raise ValueError("too hard to be read")
            super()._advance(times)

    return Reader
