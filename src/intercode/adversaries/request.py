"""What a request names: paths, numbers, constants, examples, names of code. Reading it is no work."""

from __future__ import annotations

import re
from ast import literal_eval
from collections.abc import Iterable

NAMED = re.compile(r"(?<![\w./~-])(?:~?/|\.{1,2}/|[\w-]+(?=[./]\w))[\w./-]*\w")
"""Paths and file names in a request."""

NUMBERS = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty",
)  # fmt: skip
"""Numbers in words; a word's place is what it says."""

MOST = 16
"""Things of one kind that are taken from one request."""

LONGEST = 200
"""Characters of a constant."""

_QUOTED = re.compile(r"`([^`\n]+)`|'([^'\n]+)'|\"([^\"\n]+)\"")
_RESULT = re.compile(
    r"(?:->|=>|==|→|\b(?:returns?|gives?|answers?|prints?|yields?|is|be|equals?|output:?)\s)[\s`]*([^\s`]+)"
)
_SHOWN = re.compile(r"^\s*>>> .*\n\s*(?!>>>)(\S.*)$", re.M)
_LITERAL = re.compile(r"\[[^\[\]\n]*\]|\([^()\n]*,[^()\n]*\)|\{[^{}\n]*\}|-?\d+(?:\.\d+)?|\b(?:True|False|None)\b")
_CAPITALS = re.compile(r"\b[A-Z]{2,}\b")
_CALL = re.compile(r"[\w.]+\(.*\)")
_EXAMPLE = re.compile(
    r"\w\((?P<arguments>[^()\n]*(?:\([^()\n]*\)[^()\n]*)*)\)[`'\"]?"
    r"(?:\s*(?:==?|->|=>|→|:|\b(?:should\s+(?:be|return|give)|must\s+(?:be|return|give)|returns?|gives?|is|yields?)\b)|\n)"
    r"[ \t`]*"
)
_INSTEAD = re.compile(r"^[^().;\n]{1,40}?\b(?:should|must|not)\s+(?:be|return|give)\b[ \t`]*")
"""Where an example says what is wrong first, and then what is right."""

_DICTATED = re.compile(
    r"(?:\bread(?:ing|s)?|\bsay(?:ing|s)?|\bcontain(?:ing|s)?|\bconsist(?:ing|s) of|\bexactly|\bof the form|\bline"
    r"|\bmessage|\bwords?|\btext|\bstring|\bprint(?:s|ing)?|\bwith)\b:?\s*"
    r"([`'\"“][^`'\"“”\n]{1,120}[`'\"”]|[A-Z][A-Z0-9 :_=./-]{3,80}(?=[.\s]*(?:\n|$|[.;]\s)|\s(?:or|and)\s))"
)
"""A text in quotes or in capitals, after a word that says that it is to be there."""

_SETTING = re.compile(
    r"\b([A-Za-z_][\w-]*)[`'\"]?\s*(?:=|:|\b(?:to|is|be|as|of)\b)\s*(?:to be\s+)?"
    r"(?:[`'\"]([^`'\"\n]{1,80})[`'\"]|(-?\d{1,12}(?:\.\d{1,12})?)(?![\w.]*\w))"
)
"""A name, and a number or a text in quotes that it is to be."""

_IDENTIFIER = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+|(?<![\w-])(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[\w-]{3,40}(?![\w-])")

_CALLED = re.compile(
    r"\b([A-Za-z_]\w*)\(|`(?:\w+\.)*([A-Za-z_]\w*)(?:\(\))?`|\b([a-z]+(?:_[a-z0-9]+)+|[A-Z][a-z]+[A-Z]\w*)\b"
)


def paths(query: str) -> list[str]:
    """Return the paths and file names in *query*, each once, as they stand there."""
    return list(dict.fromkeys(path.rstrip(".") for path in NAMED.findall(query)))


def places(query: str) -> list[str]:
    """Return the absolute paths, and each file name that stands alone below each of them."""
    found = paths(query)
    tops = [path for path in found if path.startswith(("/", "~"))]
    below = [f"{top}/{name}" for top in tops for name in found if "/" not in name]
    return [*tops, *below][:MOST]


def numbers(query: str, most: int = 5000) -> list[int]:
    """Return the numbers from 1 to *most* in *query*, in digits or in words."""
    found = []
    for word in re.findall(r"(?<![\w.])\d{1,6}(?![\w.]\d)|[a-z]+", query.lower()):
        if word.isdigit():
            found.append(int(word))
        elif word in NUMBERS:
            found.append(NUMBERS.index(word))
    return [number for number in dict.fromkeys(found) if 1 <= number <= most][:MOST]


def constants(query: str) -> list[str]:
    """Python expressions for the values in *query*: those that it shows as results first, mere words last."""
    results = [word.rstrip(".,;:)") for word in _RESULT.findall(query)]
    plain = [text for text in (*results, *quoted(query)) if not _CALL.fullmatch(text)]
    first = [*_SHOWN.findall(query), *(text for text in plain if _LITERAL.fullmatch(text))]
    texts = [*first, *_LITERAL.findall(query), *_CAPITALS.findall(query), *plain]
    return _first(_expression(text) for text in texts if 0 < len(text) <= LONGEST)


def modes(query: str) -> list[str]:
    """Return the numbers in *query* that look like a file's mode, such as 640."""
    return _first(re.findall(r"(?<![\w./-])0?[0-7]{3}(?![\w/-]|[.,]\d)", query))


def examples(query: str) -> dict[str, str]:
    """Return what *query* shows of a function.

    Calls' arguments, as Python writes a tuple of them, and what they give.
    """
    found = {}
    for call in _EXAMPLE.finditer(query):
        rest, given = query[call.end() :][:LONGEST], _literal(f"({call['arguments']},)")
        should = _INSTEAD.search(rest)
        gives = _literal(rest[should.end() :] if should else rest)
        if given and gives:
            found[given] = gives
    return found


def quoted(query: str) -> list[str]:
    """Return the texts that stand in quotes in *query*."""
    return ["".join(groups) for groups in _QUOTED.findall(query)]


def identifiers(query: str) -> list[str]:
    """Return what *query* calls things by: words of letters and digits, such as `CX-17`, addresses of mail, quotes."""
    return _first([*_IDENTIFIER.findall(query), *quoted(query)])


def settings(query: str) -> dict[str, int | float | str]:
    """Return what *query* wants to be set to a number or a text in quotes, such as `the port to 8443`, and to what."""
    found: dict[str, int | float | str] = {}
    for key, text, number in _SETTING.findall(query):
        found.setdefault(key, text or (float(number) if "." in number else int(number)))
    return found


def names(query: str) -> list[str]:
    """Return the names in *query* that look like a function's or a class's."""
    found = ("".join(groups) for groups in _CALLED.findall(query))
    return _first(name for name in found if name.isidentifier())


def dictated(query: str) -> list[str]:
    """Return the texts that *query* says an answer or a file has to hold, word for word."""
    found = [match[1] for match in _DICTATED.finditer(query)]
    quotes = " `'\"“”"
    return _first(text.strip(quotes) if text[0] in quotes else text.rstrip(" .") for text in found)


def formats(query: str) -> list[str]:
    """Return the frames that *query* wants an answer in, each with `{}` for the answer: tags, boxes, labels."""
    tags = [f"<{name}>{{}}</{name}>" for name in re.findall(r"<([A-Za-z]\w{0,30})>", query)]
    boxes = ["\\boxed{{{}}}"] if "\\boxed" in query else []
    marks = ["#### {}"] if "####" in query else []
    labels = [f"{label}: {{}}" for label in re.findall(r"[`'\"]((?:Final )?[Aa]nswer|ANSWER|Result|RESULT):", query)]
    return _first([*tags, *boxes, *marks, *labels])


def _literal(text: str) -> str:
    """Return the longest literal that *text* begins with, as Python writes it; "" where it begins with none."""
    line = text.partition("\n")[0]
    ends = [len(line), *(at.start() for at in re.finditer(r"[\s.,;:`)\]}]", line))]
    for end in sorted({*ends, *(end + 1 for end in ends)}, reverse=True):
        try:
            return repr(literal_eval(line[:end].rstrip(" ,.")))
        except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
            continue
    return ""


def _expression(text: str) -> str:
    """Return *text* as the literal that it may be, and else as a text."""
    try:
        return repr(literal_eval(text))
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return repr(text)


def _first(found: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(found))[:MOST]
