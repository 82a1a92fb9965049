"""The options that a file may set which only happens to be here: `intercode.toml` may have come with somebody's code.

What is neither listed here nor called harmless in `Settings`, and every value that is not of the form given here, needs
`--config FILE`. So an option that is added later is refused until somebody has thought about it. Nothing here runs code
of a folder's, names a server, a file to write or one outside the current directory, opens a port, or sends anything but
a conversation to the usual server of a model's provider.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import partial
from os.path import isfile, realpath
from pathlib import Path
from typing import Any

from intercode.cli.shared.setting_options import OPTIONS

FORMATS = (".csv", ".json", ".jsonl", ".ndjson", ".tsv")
"""Endings of files of tasks that are text, and are read as nothing else unless an option says so."""

LONGEST = 1000
"""Characters of a value."""

SCALARS = {
    *(option.parameter for option in OPTIONS.values() if option.is_harmless),
    # how much is played, and how
    "max_turns", "min_reward", "min_turns", "number", "parallel", "parser", "refine", "split", "without_void",
    # what is shown, and how
    "differences", "disagree", "failed", "form", "gold", "grep", "json", "plan", "quiet", "sort", "status", "whole",
}  # fmt: skip
"""Options whose values are numbers, switches and words that choose."""


def is_harmless(option: str, value: Any) -> bool:
    """Return whether a file that nobody has named may set *option*, as its function calls it, to *value*."""
    if option in SCALARS:
        return True
    if option in NAMES:
        return isinstance(value, str) and len(value) <= LONGEST and NAMES[option](value)
    return isinstance(value, list) and option in PAIRS and all(PAIRS[option].fullmatch(str(each)) for each in value)


def _is_dataset(value: str) -> bool:
    """Return whether *value* names a data set that ships with InterCode, or a file of text in the current directory."""
    from intercode import datasets, registry

    name = value.partition("/")[0].replace("_", "-")
    if registry.ships("datasets", name) and name not in datasets.OWN:
        return True
    is_inside = Path(realpath(value)).is_relative_to(Path.cwd().resolve())
    return value.lower().endswith(FORMATS) and isfile(value) and is_inside


def _is_model(value: str) -> bool:
    """Return whether *value* names a model of a provider whose address is known: weights may lie in a folder."""
    from intercode import models

    return models.split(value)[0] == models.DEFAULT


def _is_plugin_of_ours(kind: str, value: str) -> bool:
    from intercode import registry

    return registry.ships(kind, value)


def _pairs(*names: str) -> re.Pattern[str]:
    """Return the form NAME=WORD, for those *names*."""
    return re.compile(rf"({'|'.join(names)})=\w[\w.+ -]*")


NAMES: Mapping[str, Callable[[str], bool]] = {
    "dataset": _is_dataset,
    "world": partial(_is_plugin_of_ours, "envs"),
    "agent": partial(_is_plugin_of_ours, "agents"),
    "model": _is_model,
}
"""Options that name something, and what they may name."""

PAIRS: Mapping[str, re.Pattern[str]] = {
    "dataset_option": _pairs(
        *("count", "difficulty", "evidence", "excluded", "file_system", "gold"),
        *("hints", "history", "incomplete", "query", "seed", "split"),
    ),
    "agent_option": _pairs(
        "dialogue_limit", "observation_limit", "parser", "refine", "repeat", "script", "steps", "width"
    ),
    "model_option": _pairs("max_tokens", "temperature", "top_p"),
}
"""Options that are lists of NAME=VALUE, and the form of each."""
