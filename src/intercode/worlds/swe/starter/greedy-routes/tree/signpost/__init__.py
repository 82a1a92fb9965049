"""Routes: from a path to a handler."""

from signpost.pattern import Pattern, PatternError
from signpost.table import NotFound, Signpost

__all__ = ["NotFound", "Pattern", "PatternError", "Signpost"]
