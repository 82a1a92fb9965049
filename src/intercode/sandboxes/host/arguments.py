"""What may travel to a session at all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from intercode.errors import UserError

LONGEST = 128 << 10
"""Bytes that all arguments may have together; the kernel takes no single one that is longer."""


def check(argv: Sequence[str], env: Mapping[str, str], cwd: str) -> None:
    """Raise UserError for what no kernel would take: nothing at all, NUL bytes, lone surrogates, over 128 KiB."""
    if not argv:
        raise UserError("no program named: argv is empty")
    for text in (*argv, *env, *env.values(), cwd):
        if "\0" in text:
            raise UserError(f"a NUL byte in {text[:80]!r}: arguments, variables and paths cannot hold one")
    if (length := sum(len(_encode(text)) + 1 for text in argv)) > LONGEST:
        raise UserError(f"arguments of {length} bytes: {LONGEST} is the most; pass long text through standard input")


def _encode(text: str) -> bytes:
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError as error:
        raise UserError(f"not text: {text[:80]!r} holds a lone surrogate") from error
