"""Going through the tokens of a statement once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from intercode.worlds.sql.databases.dialect.tokenizer import Token, plain


def split(items: Sequence[Token]) -> Iterator[list[Token]]:
    """Yield the parts of a list between its commas."""
    depth, part = 0, list[Token]()
    for token in items:
        depth += {"(": 1, ")": -1}.get(token.text, 0)
        if token.text == "," and depth == 0:
            yield part
            part = []
        else:
            part.append(token)
    if part:
        yield part


class TokenReader:
    """Goes through tokens once."""

    def __init__(self, found: Sequence[Token]) -> None:
        self.found, self.at = found, 0

    def more(self) -> bool:
        """Return whether there is a token left."""
        return self.at < len(self.found)

    def peek(self) -> str:
        """Return the next token in lower case; nothing for a string or at the end."""
        return self.found[self.at].lower if self.more() and self.found[self.at].kind != "string" else ""

    def next(self) -> Token:
        """Go past one token; an empty one at the end."""
        self.at += 1
        return self.found[self.at - 1] if self.at <= len(self.found) else Token("symbol", "", 0)

    def skip(self, *words: str) -> bool:
        """Go past exactly these words, or stay."""
        here = [token.lower for token in self.found[self.at : self.at + len(words)]]
        if here != list(words):
            return False
        self.at += len(words)
        return True

    def name(self) -> str:
        """Go past a name; nothing at the end."""
        return plain(self.next()) if self.more() else ""

    def qualified_name(self) -> tuple[str, str]:
        """Go past a name that may have another in front of it: that one, or nothing, and the name."""
        name = self.name()
        return (name, self.name()) if self.skip(".") else ("", name)

    def group(self) -> list[Token]:
        """Return what is in the parentheses that begin here, without them; nothing where none begin."""
        if self.peek() != "(":
            return []
        depth, begin = 0, self.at
        while self.more():
            depth += {"(": 1, ")": -1}.get(self.next().text, 0)
            if depth == 0:
                return list(self.found[begin + 1 : self.at - 1])
        return list(self.found[begin + 1 :])

    def rest(self) -> list[Token]:
        """Return what has not been gone past."""
        return list(self.found[self.at :])


def text_of(found: Sequence[Token]) -> str:
    """Tokens as text again, with single blanks where there was space."""
    parts, end = list[str](), None
    for token in found:
        parts.append((" " if end is not None and token.start > end else "") + token.text)
        end = token.start + len(token.text)
    return "".join(parts)
