"""Of which types the options of environments are: Python checks none, and a wrong one would fail far from its call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Integral, Real
from os import PathLike
from typing import Any

from intercode.datasets.base import Dataset
from intercode.types.databases import Database
from intercode.util import option_types
from intercode_sandbox.images import Image
from intercode_sandbox.sandbox import Limits, Sandbox

NUMBER = "a number of seconds, such as 60, or None"
YES_OR_NO = "True or False"

TYPES: option_types.Types = {
    "dataset": ((str, PathLike, Dataset), "a name, a path or a Dataset"),
    "world": ((str, PathLike), "the name of a world, or the path of a Python file with one or of a task folder"),
    "sandbox": ((str, Sandbox), "a name or a Sandbox"),
    "image": ((str, PathLike, Image), "a name, a path or an Image"),
    "limits": ((Limits,), "Limits of intercode_sandbox.sandbox, such as Limits(seconds=60), or None"),
    **dict.fromkeys(
        ("network", "verifier_network"), ((str, Sequence, bool), "'none', 'allow' or a list of hosts, or None")
    ),
    "database": ((str, Database), "a name, an address or a Database"),
    "turns": ((Integral,), "a whole number, such as 10"),
    "attempts": ((Integral,), "a whole number, such as 3"),
    "seconds": ((Real,), NUMBER),
    "episode_seconds": ((Real,), NUMBER),
    "reward_every_turn": ((bool,), YES_OR_NO),
    "handicap": ((bool,), YES_OR_NO),
    "render_mode": ((str,), "'ansi' or None"),
}
"""Of which types the values of options are, and what to call these. Others are checked by their values."""

OPTIONAL = (
    "world",
    "sandbox",
    "image",
    "limits",
    "network",
    "verifier_network",
    "database",
    "seconds",
    "episode_seconds",
    "render_mode",
)
"""Options that may be None."""


def check_types(given: Mapping[str, Any]) -> None:
    """Check the types of the values of options.

    Args:
        given: Values by the names of their options. Options that `TYPES` does not know are let through.

    Raises:
        UserError: If a value is of another type than its option takes. Names the option, and what it takes.
    """
    option_types.check(given, TYPES, OPTIONAL)
