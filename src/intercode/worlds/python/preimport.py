"""What may be imported before an episode's actions are run again, without any of them seeing a difference.

Those imports of quiet modules that the episode itself began with, in the same order: before them nothing had been run
that could stand in a module's way, by a file of its name, another `sys.path` or in any other manner.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable

_QUIET = """
__future__ abc array ast base64 binascii bisect bz2 calendar cmath collections collections.abc colorsys contextlib
copy copyreg csv dataclasses datetime decimal difflib enum errno fnmatch fractions functools gc glob graphlib gzip
hashlib heapq hmac html inspect io itertools json keyword linecache locale math numbers operator os os.path pathlib
pickle pprint random re reprlib secrets shutil sqlite3 stat statistics string struct sys tempfile textwrap time timeit
token tokenize traceback types typing unicodedata urllib.parse uuid warnings weakref zlib
"""

QUIET = frozenset(_QUIET.split())
"""Modules of Python's own that only define something: importing one prints, starts, opens and remembers nothing."""

LONGEST = 200
"""Characters of a line that is looked at."""

_NAME = r"[^\W\d]\w*"
_MODULE = rf"{_NAME}(?:\.{_NAME})*"
_AS = rf"(?: as {_NAME})?"
_REST = re.compile(r"[ \t]*(?:#.*)?\n?")
_IMPORT = re.compile(rf"import ({_MODULE}{_AS}(?:, ?{_MODULE}{_AS})*)" + _REST.pattern)
_FROM = re.compile(rf"from ({_MODULE}) import (\*|{_NAME}{_AS}(?:, ?{_NAME}{_AS})*)" + _REST.pattern)


def first_imports(texts: Iterable[str]) -> tuple[str, ...]:
    """Return the modules that actions import before they do anything else, up to the first that is not quiet.

    Each of *texts* must be an action that raised nothing. It is read line by line and not parsed, since it may be
    hostile: of imports that are written otherwise than in one line nothing is known, nor of what follows them.
    """
    found: dict[str, None] = {}
    for text in texts:
        for line in io.StringIO(text, newline=None):  # as Python does, which ends lines at "\r" too
            if _REST.fullmatch(line):
                continue
            modules = _modules(line)
            if not modules or not QUIET.issuperset(modules):
                return tuple(found)
            found.update(dict.fromkeys(modules))
    return tuple(found)


def _modules(line: str) -> list[str]:
    """Return what *line* imports; none where it is no import."""
    if len(line) > LONGEST:
        return []
    if many := _IMPORT.fullmatch(line):
        return [each.split()[0] for each in many[1].split(",")]
    if one := _FROM.fullmatch(line):
        below = [f"{one[1]}.{each.split()[0]}" for each in one[2].split(",")]
        return [one[1], *(name for name in below if name in QUIET)]
    return []
