"""What to look at before a Bash task is done: a file's first lines, an archive's list, or what lies in a folder."""

from __future__ import annotations

import re

PATH = re.compile(r"(?<![\w*.~/-])/(?:[\w@+-][\w@.+-]*/)*[\w@+-][\w@.+-]*")

LINES = re.compile(r"\.(?:c[ft]g|conf|csv|ini|json|list|log|lst|md|path|py|sh|sql|toml|tsv|txt|xml|ya?ml)(?:\.\d+)?$")
"""Endings of files that are read line by line."""

ARCHIVE = re.compile(r"\.(?:tar(?:\.\w+)?|tgz)$")

NEW = ("> {}", "mkdir {}", "mkdir -p {}")
"""How a gold makes what is not there yet."""


def first_looks(query: str, gold: str) -> tuple[str, ...]:
    """Return a command for the first file of lines that *query* names; without one, for the first path.

    What the *gold* makes is not there yet, and is looked at by nobody.
    """
    paths = [path.rstrip(".") for path in PATH.findall(query)]
    paths = [path for path in paths if not any(how.format(path) in gold for how in NEW)]
    if not paths:
        return ()
    path = next(filter(LINES.search, paths), paths[0])
    if LINES.search(path):
        return (f"head -n 2 {path}",)
    return (f"tar -tf {path} | head -n 5",) if ARCHIVE.search(path) else (f"ls {path}",)
