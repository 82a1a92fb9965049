"""Answers within reach of chance: whoever asks a reward about one guess after the other finds them."""

from __future__ import annotations

import re

_NUMBER = re.compile(r"[-+]?\d{1,3}(\.0*)?")
_WORD = re.compile(r"[^\W\d_]{1,5}")


def is_guessed(text: str) -> bool:
    """Return whether *text* is a bare number below 1000, or one short word such as yes, none or root."""
    found = text.strip()
    return bool(_NUMBER.fullmatch(found) or _WORD.fullmatch(found))
