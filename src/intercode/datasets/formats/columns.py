"""Which column holds what: under other names, inside other columns, or as messages of a conversation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

QUERIES = (
    "query", "nl", "invocation", "question", "instruction", "prompt", "problem", "request", "input", "text",
    "messages", "conversations",
)  # fmt: skip
GOLDS = (
    "gold", "bash", "cmd", "command", "sql", "answer", "solution", "reward_model.ground_truth", "ground_truth",
    "completion", "response", "chosen", "output", "target", "code", "messages", "conversations",
)  # fmt: skip
MORE_GOLDS = ("golds", "bash2", "answers", "solutions")
"""How others call these columns, the likeliest first. They are only guessed in messages, and never taken unasked."""

ROLES: Mapping[str, tuple[str, ...]] = {"user": ("user", "human"), "assistant": ("assistant", "gpt")}

NAMED = "in a folder's task.toml: {lines}; of a file: {options}"


def look_up(columns: Mapping[str, Any], name: str, default: object = None) -> Any:
    """Return the value of the column *name*, `reward_model.ground_truth` being in another; *default* where none is."""
    if name in columns:
        return columns[name]
    outer, _, inner = name.partition(".")
    value = columns.get(outer)
    return look_up(value, inner, default) if inner and isinstance(value, dict) else default


def message_of(value: object, role: str) -> Any:
    """Return what the one message of *role* says where *value* is a conversation, else *value* itself.

    Raises:
        ValueError: If it has several messages of that role.
    """
    if not isinstance(value, list) or not value or not all(map(_is_message, value)):
        return value
    found = [each.get("content", each.get("value")) for each in value if _role(each) in ROLES[role]]
    if len(found) > 1:
        raise ValueError(f"it has {len(found)} messages of the {role}, and a task has one request")
    return found[0] if found else None


def guess(record: Mapping[str, Any], *, but: str = "") -> str:
    """Return the lines of settings that name the columns of *record* as they are called there; "" without a guess.

    *but* is a setting that is right as it is.
    """
    there = {
        setting: next((name for name in names if look_up(record, name) is not None), "")
        for setting, names in (("query", QUERIES), ("gold", GOLDS), ("golds", MORE_GOLDS))
    }
    told = {setting: name for setting, name in there.items() if name and name not in (setting, but)}
    told.pop(but, None)
    if not told or not there["query"]:
        return ""
    lines = " and ".join(f'{setting} = "{name}"' for setting, name in told.items())
    options = " ".join(f"--dataset-option {setting}={name}" for setting, name in told.items())
    return NAMED.format(lines=lines, options=options)


def _is_message(value: object) -> bool:
    return isinstance(value, dict) and bool(_role(value)) and ("content" in value or "value" in value)


def _role(message: Mapping[str, Any]) -> Any:
    return message.get("role", message.get("from"))
