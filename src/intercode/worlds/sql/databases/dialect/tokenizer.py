"""A MySQL statement as tokens, and a script as statements. The tokens' texts, joined, are the statement again."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, wraps
from typing import Any, Literal, NamedTuple, TypeVar, cast

Kind = Literal["space", "string", "name", "number", "word", "variable", "code", "symbol", "open"]
"""`name` is in backticks, `code` is a comment that MySQL executes, `open` a string or comment without an end."""

TOKEN = re.compile(
    r"""
    (?P<space>\s+|--(?=\s|$)[^\n]*|\#[^\n]*|/\*(?!M?!)(?:[^*]|\*(?!/))*\*/)
  | (?P<code>/\*M?!(?:[^*]|\*(?!/))*\*/)
  | (?P<string>'(?:[^'\\]|\\.|'')*'|"(?:[^"\\]|\\.|"")*")
  | (?P<name>`(?:[^`]|``)*`)
  | (?P<number>0x[0-9a-fA-F]+\b|(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?(?![\w$]))
  | (?P<variable>@@?[\w$.]+|@`[^`]*`|@'[^']*')
  | (?P<word>[\w$]+)
  | (?P<symbol><=>|<>|>=|<=|!=|:=|\|\||&&|<<|>>|->>|->|(?!/\*|['"`]).)
  | (?P<open>.+)
    """,
    re.VERBOSE | re.DOTALL,
)


class Token(NamedTuple):  # made by the thousand: quicker than a dataclass
    """A piece of a statement, and where it begins in it."""

    kind: Kind
    text: str
    start: int

    @property
    def lower(self) -> str:
        """The text in lower case, for words."""
        return self.text.lower()


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement of a script, without its delimiter, and the line it begins in (from 1)."""

    text: str
    line: int


LONG = 16 << 10
"""Characters; what is found out about longer statements is not remembered, but for the tokens of the last one."""

Function = TypeVar("Function", bound=Callable[..., Any])


def cache_statements(function: Function) -> Function:
    """Return a *function* of a statement, and what it found out about many.

    Agents say the same things over and over.
    """
    known = lru_cache(maxsize=4096)(function)

    @wraps(function)
    def call(statement: str, *others: Any) -> Any:
        return (known if len(statement) < LONG else function)(statement, *others)

    return cast(Function, call)


def tokens(statement: str) -> tuple[Token, ...]:
    """Return all tokens, white space and comments among them."""
    return _remembered(statement) if len(statement) < LONG else _last(statement)


def _tokens(statement: str) -> tuple[Token, ...]:
    found = TOKEN.finditer(statement)
    return tuple(Token(match.lastgroup, match.group(), match.start()) for match in found)  # type: ignore[arg-type]


_remembered = lru_cache(maxsize=1024)(_tokens)
_last = lru_cache(maxsize=1)(_tokens)


def meaningful(statement: str) -> list[Token]:
    """Return the tokens without white space and comments."""
    return [token for token in tokens(statement) if token.kind != "space"]


@cache_statements
def first_word(statement: str) -> str:
    """Return the word that a statement begins with, in lower case; empty where it begins with anything else."""
    found = FIRST.match(statement)
    return found[1].lower() if found else ""


FIRST = re.compile(r"(?:\s|--(?=\s)[^\n]*\n|\#[^\n]*\n|/\*(?!M?!)(?:[^*]|\*(?!/))*\*/)*(\w+)")


def second_statement(found: Sequence[Token]) -> int | None:
    """Return where, in the statement that has these tokens, another one begins after a semicolon.

    None when it is alone.
    """
    ended = False
    for token in found:
        if token.kind == "space":
            continue
        if token.text == ";":
            ended = True
        elif ended:
            return token.start
    return None


def content(literal: str) -> str:
    """Return what a string or a name in quotes of any kind stands for."""
    quote, inside = literal[0], literal[1:-1]
    if quote == "`":
        return inside.replace("``", "`")
    if "\\" not in inside and quote not in inside:
        return inside
    return ESCAPE.sub(_unescape, inside)


ESCAPE = re.compile(r"\\(.)|''|\"\"", re.DOTALL)

MEANINGS = {"0": "\0", "b": "\b", "n": "\n", "r": "\r", "t": "\t", "Z": "\x1a", "%": "\\%", "_": "\\_"}


def _unescape(match: re.Match[str]) -> str:
    if match[1] is None:
        return match[0][0]
    return MEANINGS.get(match[1], match[1])


def quote(name: str) -> str:
    """Return a name in backticks."""
    return "`" + name.replace("`", "``") + "`"


def plain(token: Token) -> str:
    """Return a token as a name: without its quotes."""
    return content(token.text) if token.kind in ("name", "string") else token.text


PIECE = re.compile(
    r"""
    [^'"`;\#/\-\n]+ | \n
  | '(?:[^'\\]|\\.|'')*' | "(?:[^"\\]|\\.|"")*" | `[^`]*`
  | --(?=\s)[^\n]* | \#[^\n]* | /\*.*?\*/ | ; | .
    """,
    re.VERBOSE | re.DOTALL,
)

DELIMITER = re.compile(r"(?im)^[ \t]*delimiter[ \t]+(\S+)[ \t]*\r?$")


def statements(script: str) -> Iterator[Statement]:
    """Yield the statements of a *script*; lines of the client's own command DELIMITER are understood."""
    position, line, delimiter = 0, 1, ";"
    for command in [*DELIMITER.finditer(script), None]:
        part = script[position : command.start() if command else len(script)]
        yield from _split(part, delimiter, line)
        if command:
            line += part.count("\n")
            position, delimiter = command.end(), command[1]


@cache_statements
def statement_texts(script: str) -> tuple[str, ...]:
    """Return the texts of the statements in *script*."""
    return tuple(statement.text for statement in statements(script))


def _split(script: str, delimiter: str, line: int) -> Iterator[Statement]:
    if delimiter == ";":
        pieces = (match.group() for match in PIECE.finditer(script))
        yield from _join(pieces, line)
        return
    for text in script.split(delimiter):
        if text.strip():
            yield Statement(text.strip(), line + _leading_lines(text))
        line += text.count("\n")


def _join(pieces: Iterator[str], line: int) -> Iterator[Statement]:
    """Statements of what stands between semicolons; comments that are not code are left out."""
    begun, held = line, list[str]()
    for piece in pieces:
        if piece == ";":
            if held:
                yield Statement("".join(held).strip(), begun)
            held = []
        elif held or not (piece.isspace() or _is_comment(piece)):
            if not held:
                begun = line + _leading_lines(piece)
            held.append(" " if _is_comment(piece) else piece)
        line += piece.count("\n")
    if held:
        yield Statement("".join(held).strip(), begun)


def _is_comment(piece: str) -> bool:
    return piece.startswith(("--", "#")) or (piece.startswith("/*") and not piece.startswith(("/*!", "/*M!")))


def _leading_lines(text: str) -> int:
    return text[: len(text) - len(text.lstrip())].count("\n")
