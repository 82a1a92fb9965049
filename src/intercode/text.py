"""Words that go by numbers, in what people read."""

from __future__ import annotations


def pluralize(count: int, one: str, many: str = "") -> str:
    """`1 episode`, `2 episodes`: *count* and the noun, alone or with its verb; *many* where an `s` does not make it."""
    return f"{count} {one if count == 1 else many or f'{one}s'}"
