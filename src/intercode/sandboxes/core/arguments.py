"""What may travel to a session at all."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import lru_cache

from intercode.errors import UserError

LONGEST = 8 << 20
"""Bytes of arguments and environment together that are passed on. No kernel takes more than 6 MiB; what it refuses of
the rest is the command's own failure, as in a shell."""


def check(argv: Sequence[str], env: Mapping[str, str], cwd: str) -> None:
    """Raise UserError for what no kernel would take: nothing at all, NUL bytes, lone surrogates, over 8 MiB."""
    encode(argv, env, cwd)


def encode(argv: Sequence[str], env: Mapping[str, str], *first: str) -> bytes:
    """The texts in *first*, those of *argv*, and the variables, a NUL behind each. Raises UserError as `check` does."""
    if not argv or not argv[0]:
        raise UserError("no program named: argv is empty")
    encoded = _encode((*first, *argv)) + _variables(tuple(env.items()))
    if len(encoded) > LONGEST:
        raise UserError(
            f"arguments of {len(encoded)} bytes: {LONGEST} is the most; pass long text through standard input"
        )
    return encoded


@lru_cache(maxsize=256)  # an image's own, nearly always
def _variables(variables: tuple[tuple[str, str], ...]) -> bytes:
    return _encode([f"{name}={value}" for name, value in variables])


def _encode(texts: Sequence[str]) -> bytes:
    encoded = b"".join(map(_terminated, texts))
    if encoded.count(b"\0") > len(texts):
        wrong = next(text for text in texts if "\0" in text)
        raise UserError(f"a NUL byte in {wrong[:80]!r}: arguments, variables and paths cannot hold one")
    return encoded


def _terminated(text: str) -> bytes:
    try:
        return os.fsencode(text) + b"\0"
    except UnicodeEncodeError as error:
        raise UserError(f"not text: {text[:80]!r} holds a lone surrogate") from error
