"""The small grammar of requests: `[Print|Show] every file below {place}`.

Square brackets hold alternatives, of which one is drawn; they do not nest, and an alternative may be empty. Braces hold
the name of a value. What a value says is left as it is, brackets and braces included.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from intercode_generate.draw import Draw

_CHOICE = re.compile(r"\[([^\[\]]*\|[^\[\]]*)\]")
_FIELD = re.compile(r"\{(\w+)\}")


def render(template: str, values: Mapping[str, str], draw: Draw) -> str:
    """Return *template* in words.

    Raises:
        KeyError: For a field that *values* lack.
    """
    chosen = _CHOICE.sub(lambda match: draw.pick(match[1].split("|")), template)
    return _FIELD.sub(lambda match: values[match[1]], chosen)
