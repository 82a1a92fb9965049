"""The instructions of a Dockerfile: lines that go on joined, comments dropped, here-documents with what names them.

Two parsers can be had as libraries. `dockerfile-parse` knows no here-documents and takes their lines for instructions;
`dockerfile` is BuildKit's own, and brings the runtime of Go with it, whose threads and signals do not go with our
forks. What a parser would do for us is in this file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_ESCAPE = re.compile(r"\s*#\s*escape\s*=\s*(\S)\s*$", re.IGNORECASE)
_DIRECTIVE = re.compile(r"\s*#\s*\w+\s*=")
_HEREDOC = re.compile(r"<<(?P<dash>-?)(?P<quote>[\"']?)(?P<name>[A-Za-z_][\w.]*)(?P=quote)(?![\w<])")
WITH_HEREDOCS = ("RUN", "COPY", "ADD")


@dataclass(frozen=True, slots=True)
class HereDocument:
    """The lines between an instruction and a line that is its `name`. In a `literal` one no variable is replaced."""

    name: str
    content: str
    literal: bool


@dataclass(frozen=True, slots=True)
class Instruction:
    """One instruction: its first line's number, its word in capitals, its options (`--chmod=755`) and the rest."""

    line: int
    word: str
    options: tuple[str, ...]
    rest: str
    documents: tuple[HereDocument, ...] = ()


class BrokenTextError(ValueError):
    """What is no Dockerfile, at a *line*."""

    def __init__(self, line: int, what: str) -> None:
        super().__init__(what)
        self.line = line


def instructions(text: str) -> Iterator[Instruction]:
    """Yield the instructions in *text*.

    Raises:
        BrokenTextError: For an escape that cannot be, and for a here-document without an end.
    """
    continuation = re.compile(rf"{re.escape(_escape(text))}[ \t]*$")
    lines = iter(enumerate(text.splitlines(), 1))
    whole, began = "", 0
    for number, line in lines:
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        began = began if whole else number
        whole += continuation.sub("", line)
        if not continuation.search(line):
            yield _instruction(began, whole, lines)
            whole = ""
    if whole:
        yield _instruction(began, whole, lines)


def _instruction(began: int, whole: str, lines: Iterator[tuple[int, str]]) -> Instruction:
    word, _, rest = whole.strip().partition(" ")
    word, rest, options = word.upper(), rest.strip(), list[str]()
    while word != "FROM" and (found := re.match(r"(--\S+)(\s+|$)", rest)):
        options.append(found[1])
        rest = rest[found.end() :]
    names = list(_HEREDOC.finditer(rest)) if word in WITH_HEREDOCS else []
    documents = tuple(_document(began, found, lines) for found in names)
    return Instruction(began, word, tuple(options), rest, documents)


def _document(began: int, found: re.Match[str], lines: Iterator[tuple[int, str]]) -> HereDocument:
    content = list[str]()
    for _, line in lines:
        line = line.lstrip("\t") if found["dash"] else line
        if line == found["name"]:
            return HereDocument(found["name"], "".join(f"{each}\n" for each in content), bool(found["quote"]))
        content.append(line)
    raise BrokenTextError(began, f"the here-document {found['name']} has no end")


def _escape(text: str) -> str:
    """Return the sign by which lines go on: the usual one, or that of a directive, which stands above all else."""
    for number, line in enumerate(text.splitlines(), 1):
        if not _DIRECTIVE.match(line):
            break
        if found := _ESCAPE.match(line):
            if found[1] not in "\\`":
                raise BrokenTextError(number, f"escape={found[1]}: only \\ and ` can be")
            return found[1]
    return "\\"
