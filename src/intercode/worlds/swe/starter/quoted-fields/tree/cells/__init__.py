"""Tables as comma separated values (RFC 4180)."""

from cells.reader import CellError, parse, records
from cells.writer import text

__all__ = ["CellError", "parse", "records", "text"]
