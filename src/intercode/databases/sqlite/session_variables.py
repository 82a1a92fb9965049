"""What a session has SET: variables of the user, given to SQLite as parameters, which it writes the same way."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from intercode.databases.dialect.token_reader import TokenReader, split, text_of
from intercode.databases.dialect.tokenizer import meaningful


class SessionVariables(dict[str, Any]):
    """By name, in whatever letters, without the sign in front; what was not set is NULL."""

    def __missing__(self, name: str) -> Any:
        return self.get(name.lower())

    def put(self, name: str, value: Any) -> None:
        """Keep a result's value as SQLite takes it."""
        kept = value is None or isinstance(value, int | float | str | bytes)
        self[name.lower()] = value if kept else float(value) if hasattr(value, "as_tuple") else str(value)


def assigned(statement: str) -> Iterator[tuple[str, str]]:
    """The variables that a SET names, and the expressions that they are set to; settings are left out."""
    reader = TokenReader([token for token in meaningful(statement) if token.text != ";"])
    reader.skip("set")
    for part in split(reader.rest()):
        if len(part) > 2 and part[0].text[:1] == "@" and part[0].text[1:2] != "@" and part[1].text in ("=", ":="):
            yield part[0].text[1:].strip("`'"), text_of(part[2:])
