"""Text on a terminal: what came out of a sandbox must not steer it."""

from __future__ import annotations

_PICTURES = {code: 0x2400 + code for code in range(32) if chr(code) not in "\n\t"} | {0x7F: 0x2421}
"""Control characters, and the pictures that stand for them: a terminal obeys the former."""

_OTHERS = dict.fromkeys(range(0x80, 0xA0), 0xFFFD)
"""The same with the eighth bit, of which there are no pictures: U+009B begins a command as Escape and `[` do."""


def escape_control_characters(text: str) -> str:
    """*text* as a terminal may have it, whatever it holds."""
    return text.translate(_PICTURES | _OTHERS).encode("utf-8", "replace").decode()
