"""What is read in a reply."""

from __future__ import annotations

from dataclasses import dataclass

from intercode.types import Action


@dataclass(frozen=True, slots=True)
class ParsedReply:
    """`action` is None where no code was found; `thought` is what stands before it."""

    action: Action | None
    thought: str = ""
