"""What may travel to a session at all."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from intercode_sandbox.errors import UserError

LONGEST = 8 << 20
"""Bytes of arguments and environment together that are passed on. No kernel takes more than 6 MiB; what it refuses of
the rest is the command's own failure, as in a shell."""


def check(argv: Sequence[str], env: Mapping[str, str], cwd: str) -> None:
    """Raise UserError for what no kernel would take: nothing at all, NUL bytes, lone surrogates, over 8 MiB."""
    if not argv or not argv[0]:
        raise UserError("no program named: argv is empty")
    check_length(len(encode((cwd, *argv, *env, *env.values()))))


def check_length(length: int) -> None:
    """Raise UserError for more than 8 MiB."""
    if length > LONGEST:
        raise UserError(f"arguments of {length} bytes: {LONGEST} is the most; pass long text through standard input")


def encode(texts: Sequence[str]) -> bytes:
    """Return *texts* as bytes, each with a NUL byte at its end.

    Raises:
        UserError: For those that hold one, or are no text.
    """
    together = "\0".join((*texts, ""))
    if together.count("\0") != len(texts):
        text = next(text for text in texts if "\0" in text)
        raise UserError(f"a NUL byte in {text[:80]!r}: arguments, variables and paths cannot hold one")
    try:
        return os.fsencode(together)
    except UnicodeEncodeError as error:
        text = next(text for text in texts if together[error.start] in text)
        raise UserError(f"not text: {text[:80]!r} holds a lone surrogate") from error
