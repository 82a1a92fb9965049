"""Packages that commands of a Dockerfile install by apt, told from the rest of them.

Where apt cannot be run (on this machine's own programs, or without a network), what it would install must be there.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable
from dataclasses import replace

from intercode.datasets.dockerfiles.steps import Run, Step

_APT_OPTIONS_WITH_VALUE = ("-o", "-t", "--target-release", "--option")
_NOT_SPLIT = re.compile(r"""["'`|(){}<>\n\\#]|\$\(|(?<!&)&(?!&)""")
_KEYWORDS = re.compile(r"(!|\[\[|case|do|done|elif|else|esac|fi|for|function|if|select|then|time|until|while)(\s|$)")
"""What makes a command more than a list of simple ones: signs anywhere, and words that one of them begins with."""

_PLAIN_WORD = re.compile(r"[\w@%+=:,./~-]+")
"""A word that the shell takes as it is: nothing in it stands for something else."""

DONE = ":"
"""Stands for a part that is done otherwise: it succeeds."""


def without_apt(steps: Iterable[Step]) -> tuple[tuple[Step, ...], tuple[str, ...]]:
    """Return *steps* without what their commands only do about Debian packages, and the packages, each once."""
    left, packages = list[Step](), dict[str, None]()
    for step in steps:
        if isinstance(step, Run):
            command, found = split_apt(step.command)
            step = replace(step, command=command)
            packages |= dict.fromkeys(found)
        left.append(step)
    return tuple(left), tuple(packages)


def split_apt(command: str) -> tuple[str, tuple[str, ...]]:
    """Return *command* without its simple parts that are about Debian packages, and the packages that these install.

    A version that is asked for (`tmux=3.3a-3`) is not kept. A command that is no plain list of commands stays whole.
    """
    if not re.search(r"\bapt(-get)?\b", command) or _NOT_SPLIT.search(command):
        return command, ()
    parts = [part for part in map(str.strip, re.split(r"(&&|;)", command)) if part]
    if any(map(_KEYWORDS.match, parts)):
        return command, ()
    left, packages = list[str](), list[str]()
    for part in parts:
        found = None if part in ("&&", ";") else _apt(shlex.split(part))
        left.append(part if found is None else DONE)
        packages += found or ()
    if DONE not in left:
        return command, ()
    while left[:1] == [DONE]:
        left = left[2:]
    if ";" not in left:  # all have to succeed, so those that do for sure may be left out
        left = [part for part in left if part not in (DONE, "&&")]
        return " && ".join(left), tuple(packages)
    return " ".join(left), tuple(packages)


def _apt(words: list[str]) -> list[str] | None:
    """Return the packages that a simple command installs, none where it only cares for lists.

    None where it is another.
    """
    while words and re.fullmatch(r"\w+=\S*", words[0]):
        words = words[1:]
    if words[:2] in (["rm", "-rf"], ["rm", "-r"]) and all(
        w.startswith(("/var/lib/apt", "/var/cache/apt")) for w in words[2:]
    ):
        return []
    if not words or words[0] not in ("apt", "apt-get"):
        return None
    if not all(_PLAIN_WORD.fullmatch(word.partition("=")[0]) for word in words):
        return None  # which packages is known to the shell alone
    plain, rest = list[str](), iter(words[1:])
    for word in rest:
        if word in _APT_OPTIONS_WITH_VALUE:
            next(rest, "")
        elif not word.startswith("-"):
            plain.append(word.partition("=")[0])
    if plain[:1] == ["install"]:
        return plain[1:]
    return [] if plain[:1] in (["update"], ["clean"], ["autoclean"], ["autoremove"]) else None
