"""What is read in a reply."""

from __future__ import annotations

from dataclasses import dataclass

from intercode.types import Action


@dataclass(frozen=True, slots=True)
class ParsedReply:
    """One reply, taken apart.

    Attributes:
        action: What is to be done. None where no code was found.
        thought: What stands before the action.
        is_closed: Whether the reply itself says where the action ends, as a fence does. Of a reply that was cut, an
            action that is not closed may be half of one.
    """

    action: Action | None
    thought: str = ""
    is_closed: bool = True
