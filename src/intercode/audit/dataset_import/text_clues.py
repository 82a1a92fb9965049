"""What a gold's text and messages give away: that it wants the network or a terminal, or names what is not there."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

_PROGRAMS = re.compile(
    r"(?:^|[;&|(`\n]|\b(?:sudo|xargs|exec|then|do|time|nohup)\s)\s{0,99}(curl|wget|ssh|scp|sftp|rsync|ping6?|telnet|ftp|nc|netcat|dig|nslookup|host|traceroute|mount\.nfs"
    r"|apt(?:-get)?(?=\s+(?:install|update))|pip3?(?=\s+(?:install|download))|npm(?=\s+install)"
    r"|git(?=\s+(?:clone|fetch|pull|push)))(?=\s|$)"
)
_ADDRESS = re.compile(r"\b(?:https?|ftp)://[^\s'\"]+")
_NO_NETWORK = re.compile(
    r"Could not resolve host[^\r\n]*|Temporary failure in name resolution|Network is unreachable"
    r"|Name or service not known|unable to resolve host address[^\r\n]*"
)
_TERMINAL = re.compile(
    r"not a tty|not a terminal|not (?:from|to) a terminal|Inappropriate ioctl for device|must be run from a terminal"
    r"|TERM environment variable not set",
    re.IGNORECASE,
)
_QUOTES = "\u2018\u2019'\"`"
_UNKNOWN = re.compile(r": (?:No such file or directory|command not found)|(?<=\S) \(No such file or directory\)")
_NOT_THERE = re.compile(
    r"can't open file '([^'\n]{1,999})'|Table '([^'\n]{1,999})' doesn't exist|no such (?:table|column): (\S{1,999})"
    r"|Unknown column '([^'\n]{1,999})'|ModuleNotFoundError: No module named '([^'\n]{1,999})'"
)
_BACKWARDS = re.compile(rf"[^\s:{_QUOTES}]+")
_LONGEST_NAME = 4096
"""Characters that a path may have: what stands before a complaint is not searched any further."""
MOST_NAMES = 20
"""Names that are told of one gold."""
_PLAIN_PATH = re.compile(r"(?:/|\./|\.\./|~/)[\w./+@%-]*\w")


def wants_network(gold: str, shown: str) -> tuple[str, ...]:
    """Return the programs and addresses in *gold* that need a network, and what messages in *shown* say of one."""
    found = [*_PROGRAMS.findall(gold), *_ADDRESS.findall(gold), *_NO_NETWORK.findall(shown)]
    return tuple(dict.fromkeys(found))


def wants_terminal(shown: str) -> tuple[str, ...]:
    """Return what messages in *shown* say of a terminal that there is not."""
    return tuple(dict.fromkeys(found[0] for found in _TERMINAL.finditer(shown)))


def complaints(shown: str) -> tuple[str, ...]:
    """The files, programs, tables, columns and modules that messages in *shown* do not find, `MOST_NAMES` at most.

    Takes a time that grows with the length of *shown* and no faster, whatever it holds.
    """
    found: dict[str, None] = {}
    for name in _unfound(shown):
        found[name] = None
        if len(found) == MOST_NAMES:
            break
    return tuple(found)


def _unfound(shown: str) -> Iterator[str]:
    for match in _UNKNOWN.finditer(shown):
        before = shown[max(0, match.start() - _LONGEST_NAME) : match.start()]
        before = before.removesuffix(" for reading").removesuffix(" for writing").rstrip(_QUOTES)
        name = _BACKWARDS.match(before[::-1])
        if name and not name[0].endswith("("):  # else some "(2: No such file or directory)"
            yield name[0][::-1]
    for groups in _NOT_THERE.findall(shown):
        yield next(filter(None, groups))


def named_paths(gold: str) -> Iterator[str]:
    """Yield the words of *gold* that can be nothing but paths: no patterns, no variables."""
    try:
        words = shlex.split(gold, comments=False)
    except ValueError:  # quotes that do not match: no shell command
        words = []
    for word in dict.fromkeys(words):
        if _PLAIN_PATH.fullmatch(word):
            yield word
