"""Of which types the options of our data sets are, those that a value of another type would pass for one of theirs."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Integral
from os import PathLike
from typing import Any

from intercode.util import option_types

PATH = ((str, PathLike), "a path, such as './2024'")
YES_OR_NO = ((bool,), "true or false")

TYPES: option_types.Types = {
    "count": ((Integral,), "a whole number, such as 100"),
    "file_system": ((Integral,), "a whole number, such as 1"),
    "history": ((Integral,), "a whole number, such as 100"),
    "seed": ((Integral,), "a whole number, such as 7"),
    **dict.fromkeys(("databases", "environments", "file", "folder", "repositories"), PATH),
    **dict.fromkeys(
        ("allow_pickle", "evidence", "excluded", "hints", "incomplete", "network", "verifier_network"), YES_OR_NO
    ),
}
"""Of which types the values are, and what to call these. Others are checked by their values."""

OPTIONAL = ("databases", "environments", "file", "file_system", "folder", "repositories")
"""Options that may be None."""


def check_types(given: Mapping[str, Any]) -> None:
    """Check the types of the values of options of one of our data sets.

    Raises:
        UserError: If a value is of another type than its option takes. Names the option, and what it takes.
    """
    option_types.check(given, TYPES, OPTIONAL)
