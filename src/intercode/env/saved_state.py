"""What a world keeps of itself, to become again what it was."""

from __future__ import annotations

from typing import Protocol

NO_WAY_BACK = "this state cannot be branched from"


class SavedState(Protocol):
    """What a world keeps of itself: whatever it is, it can be given back."""

    def close(self) -> None:
        """Forget it. Closing twice is harmless."""
