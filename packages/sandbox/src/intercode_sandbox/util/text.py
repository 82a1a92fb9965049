"""What people read: words that go by numbers, and sentences put together."""

from __future__ import annotations

from collections.abc import Iterable


def pluralize(count: int, one: str, many: str = "") -> str:
    """Return `1 episode`, `2 episodes`: *count* and the noun, alone or with its verb.

    *many* where an `s` does not make it.
    """
    return f"{count} {one if count == 1 else many or f'{one}s'}"


ENDINGS = (".", "?", "!", "…")
CLOSING = "\"'`)]»"
"""What may stand behind the mark that ends a sentence."""


def shorten(text: str, most: int) -> str:
    """Return *text*, cut where it has more than *most* characters."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def sentences(*parts: str) -> str:
    """Return *parts* one after another, each but the last ended by one mark: its own if it has one, else a full stop.

    Texts of others, such as a server's message, may come with a mark or without; empty ones are left out.
    """
    said = [part.strip() for part in parts if part.strip()]
    return " ".join([*map(_end_sentence, said[:-1]), *said[-1:]])


def failure(what: str, *, fix: str = "", resume: str = "") -> str:
    """Return a failure in three lines at most: what happened, how to fix it, and the command that resumes the work."""
    parts = {"": " ".join(what.split()), "  fix: ": fix, "  resume: ": resume}
    return "\n".join(f"{label}{part}" for label, part in parts.items() if part)


def clauses(*parts: str) -> str:
    """Return *parts* as one sentence with semicolons between: a full stop at the end of one is dropped for it."""
    said = [part.strip() for part in parts if part.strip()]
    return "; ".join([*(part.rstrip(".;, ") for part in said[:-1]), *said[-1:]])


def _end_sentence(sentence: str) -> str:
    return sentence if sentence.rstrip(CLOSING).endswith(ENDINGS) else f"{sentence.rstrip(',;: ')}."


def did_you_mean(name: str, names: Iterable[str]) -> str:
    """Return `Did you mean 'starter'?` where one of *names* looks like *name*, else ""."""
    from difflib import get_close_matches

    found = get_close_matches(name, list(names), n=1)
    return f"Did you mean {found[0]!r}?" if found else ""
