"""MariaDB's statements in dumps as MySQL takes them: types, defaults, options and sequences that only MariaDB has."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator

from intercode.worlds.sql.databases.dialect.token_reader import TokenReader, split, text_of
from intercode.worlds.sql.databases.dialect.tokenizer import Token, meaningful

TYPES = {"uuid": "char(36)", "inet6": "varchar(39)", "inet4": "varchar(15)"}
LONG_TYPES = frozenset(
    f"{size}{kind}" for kind in ("text", "blob") for size in ("", "tiny", "medium", "long")
) | {"json", "geometry"}  # fmt: skip
NOW = frozenset({"current_timestamp", "now", "localtime", "localtimestamp"})
OPTIONS = frozenset(
    ["page_checksum", "transactional", "page_compressed", "page_compression_level", "encrypted", "encryption_key_id"]
)
ENGINES = frozenset(["aria", "columnstore", "connect", "mroonga", "oqgraph", "rocksdb", "s3", "sphinx", "spider"])
REWRITTEN = frozenset(["create", "drop", "alter", "do", "select"])
"""How statements begin that `for_mysql` may change."""

SEQUENCE = re.compile(
    r"(create|drop|alter)\s+(or\s+replace\s+)?(temporary\s+)?sequence\b|(do|select)\s+(setval|nextval)\s*\(",
    re.IGNORECASE,
)

INSERT = re.compile(r"(?:insert|replace)\s+(?:ignore\s+)?into\s+(`(?:[^`]|``)*`|\w+)\s+values\b", re.IGNORECASE)

Edit = tuple[int, int, str]
"""From where to where of a text, and what stands there instead."""


def for_mysql(text: str) -> str:
    """Return a dump's statement as MySQL takes it; nothing if it is about a sequence, which MySQL has not.

    What is rewritten is not valid in MySQL, so MySQL's own dumps stay as they are.
    """
    code = TokenReader(meaningful(text))
    if SEQUENCE.match(" ".join(token.text for token in code.found[:5])):
        return ""
    if not (code.skip("create", "table") or code.skip("create", "temporary", "table")):
        return text
    while code.more() and code.peek() != "(":
        code.next()
    edits = [edit for item in split(code.group()) for edit in _item(item)]
    edits += _options(TokenReader(code.rest()))
    for begin, end, instead in sorted(edits, reverse=True):
        text = text[:begin] + instead + text[end:]
    return text


def _end(token: Token) -> int:
    return token.start + len(token.text)


def _item(item: list[Token]) -> Iterator[Edit]:
    """Yield the edits of a column or a key."""
    if item[0].kind == "word" and item[-1].lower == "ignored":
        yield item[-1].start, _end(item[-1]), "INVISIBLE"
    if len(item) < 2 or item[0].kind not in ("name", "word"):
        return
    kind = item[1]
    if kind.lower in TYPES:
        yield kind.start, _end(kind), TYPES[kind.lower]
    at = next((place for place, token in enumerate(item) if place > 1 and token.lower == "default"), None)
    if at is not None and at + 1 < len(item):
        yield from _default(item[at:], kind.lower)


def _default(found: list[Token], kind: str) -> Iterator[Edit]:
    """Yield the edit of a default, from its word on: MySQL wants brackets around expressions, and has no sequences."""
    value, reader = found[1], TokenReader(found[2:])
    brackets = reader.found[: len(reader.group()) + 2] if reader.peek() == "(" else ()
    end = _end(brackets[-1] if brackets else value)
    if value.lower == "nextval" or (value.lower == "next" and found[2].lower == "value"):
        yield found[0].start, _end(found[-1]) if value.lower == "next" else end, ""
        return
    is_call = value.kind == "word" and bool(brackets)
    is_now = value.lower in NOW and kind in ("timestamp", "datetime")
    is_long = kind in LONG_TYPES and value.lower != "null" and value.text != "("
    if (is_call and not is_now) or is_long:
        yield value.start, end, f"({text_of([value, *brackets])})"


def _options(code: TokenReader) -> Iterator[Edit]:
    """Yield the edits of what follows the columns."""
    while code.more():
        first = code.next()
        if first.lower == "with" and code.skip("system", "versioning"):
            yield first.start, _end(code.found[code.at - 1]), ""
        elif first.lower.strip("`") in OPTIONS:
            code.skip("=")
            yield first.start, _end(code.next()), ""
        elif first.lower == "engine" and code.skip("=") and code.peek() in ENGINES:
            yield code.found[code.at].start, _end(code.next()), "InnoDB"


def inserted_table(text: str) -> str:
    """Return the table of an INSERT or REPLACE that gives all columns without naming them; nothing for any other."""
    found = INSERT.match(text)
    return found[1].strip("`").replace("``", "`") if found else ""


def without_generated(text: str, generated: Container[int]) -> str:
    """Return such an INSERT with DEFAULT in place of the values of the columns *generated*, counted from 0."""
    parts, depth, column, kept = list[str](), 0, 0, 0
    for token in meaningful(text):
        depth += {"(": 1, ")": -1}.get(token.text, 0)
        if token.text == "(" and depth == 1:
            column = 0
        elif not (token.text == "," and depth == 1) and not (token.text == ")" and depth == 0):
            continue
        elif column in generated:
            parts.append(" DEFAULT")
            kept, column = token.start, column + 1
            continue
        else:
            column += 1
        parts.append(text[kept : _end(token)])
        kept = _end(token)
    return "".join([*parts, text[kept:]])
