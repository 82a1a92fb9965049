"""A statement as sqlglot reads it. Slow to import: imported where a statement is really read."""

from __future__ import annotations

import logging

from sqlglot import exp
from sqlglot.dialects.mysql import MySQL
from sqlglot.errors import ParseError, SqlglotError
from sqlglot.parsers.mysql import MySQLParser

STEPS = 300
"""How often the reader may move for each word of a text, beyond `FREE`; what means something takes about 20."""

FREE = 50_000

PARSE_ERRORS = (SqlglotError, RecursionError, LookupError, AttributeError, TypeError, ValueError)
"""What sqlglot raises for text that is far from SQL: `SHOW TABLE` ends in an IndexError."""


class PatientReader(MySQLParser):
    """MySQL's parser, which gives up: some texts of a hundred characters it would read for hours."""

    moves = 0

    def _advance(self, times: int = 1) -> None:
        self.moves += 1
        if self.moves > FREE + STEPS * len(self._tokens):
            raise ValueError("too hard to be read")
        super()._advance(times)


def syntax_trees(statement: str, reader: type[PatientReader] = PatientReader) -> list[exp.Expr]:
    """Return all statements in *statement*, which is MySQL's.

    Raises:
        ValueError: For what cannot be read.
    """
    logging.getLogger("sqlglot").setLevel(logging.CRITICAL)  # it warns of what it cannot read; that is no news here
    try:
        found = reader(dialect=MySQL()).parse(MySQL().tokenize(statement), statement)
    except ParseError as error:  # its own text shows the place in colours
        reason = next((each["description"] for each in error.errors), str(error))
        raise ValueError(f"cannot be read: {reason}") from error
    except PARSE_ERRORS as error:
        raise ValueError(f"cannot be read: {error}") from error
    return [each for each in found if each is not None]
