"""What to look at before a SQL task is done: the columns of its tables."""

from __future__ import annotations

import re

TABLE = re.compile(r"\b(?:FROM|JOIN|UPDATE|INTO|TABLE)\s+`?([A-Za-z_]\w*)`?(?!\s*\.)", re.IGNORECASE)

MOST = 3


def first_looks(query: str, gold: str) -> tuple[str, ...]:
    """Return a `DESCRIBE` for each of the first tables that *gold* names."""
    return tuple(f"DESCRIBE {table}" for table in [*dict.fromkeys(TABLE.findall(gold))][:MOST])
