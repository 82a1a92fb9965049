"""From a pattern to a regular expression."""

import re


def translate(pattern):
    """An expression for whole paths, relative and with slashes.

    `*` is any text without a slash, `?` one character but a slash, `**` any number of folders. A pattern without a
    slash fits at any depth; one with a slash, at its beginning or within, is meant from the top.
    """
    anchored = "/" in pattern.rstrip("/")
    pattern = pattern.strip("/")
    made, place = "", 0
    while place < len(pattern):
        character = pattern[place]
        if pattern[place : place + 2] == "**":
            made += ".*"
            place += 2
        elif character == "*":
            made += "[^/]*"
            place += 1
        elif character == "?":
            made += "[^/]"
            place += 1
        else:
            made += re.escape(character)
            place += 1
    return made if anchored else f"(.*/)?{made}"
