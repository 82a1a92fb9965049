"""Checks that the values of options are of the types that they take: Python does not, and fails far from the call."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from reprlib import Repr
from typing import Any

from intercode.errors import UserError

Types = Mapping[str, tuple[tuple[type, ...], str]]
"""By the names of options: of which types their values are, and what to call these."""

_short = Repr()
_short.maxstring = _short.maxother = 60


def check(given: Mapping[str, Any], types: Types, optional: Collection[str] = ()) -> None:
    """Check the types of the values of options.

    Args:
        given: Values by the names of their options. Options that *types* does not know are let through.
        types: What the options take.
        optional: Options that may be None as well.

    Raises:
        UserError: If a value is of another type than its option takes. Names the option, and what it takes.
    """
    for name, value in given.items():
        if name not in types or (value is None and name in optional):
            continue
        known, takes = types[name]
        # True and False are whole numbers in Python, and nobody who writes them means 1 or 0
        if not isinstance(value, known) or (isinstance(value, bool) and bool not in known):
            raise UserError(f"{name}={_short.repr(value)}: it takes {takes}")
