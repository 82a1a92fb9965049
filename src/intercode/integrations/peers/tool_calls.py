"""Calls of tools as texts: `call NAME {"argument": …}`, and how a request tells which tools there are."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

_CALL = re.compile(r"\s*call ([\w.-]+) (\{.*\})\s*", re.DOTALL)


def read_call(text: str) -> tuple[str, dict[str, Any]] | None:
    """Return the tool and the arguments that *text* calls; None where it is a message."""
    found = _CALL.fullmatch(text)
    if found is None:
        return None
    try:
        arguments = json.loads(found[2])
    except ValueError:
        return None
    return (found[1], arguments) if isinstance(arguments, dict) else None


def with_tools(text: str, tools: Iterable[tuple[str, Mapping[str, Any]]]) -> str:
    """Return *text*, and a line for each tool that can be called: its name, and each argument's type.

    Args:
        text: What an agent is shown.
        tools: Names, each with the properties of its arguments' JSON Schema.
    """
    lines = [
        f"tool: call {name} {json.dumps({key: str(value.get('type', 'string')) for key, value in given.items()})}"
        for name, given in tools
    ]
    return "\n".join([text, *lines])
