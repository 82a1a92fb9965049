"""Texts in memory that processes share, for gymnasium's asynchronous vectors: each environment's in a place of its own.

Gymnasium's `Text` has no way either: what it reads from shared memory stays what it was when the vector was made.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from intercode.env.observations import with_notice

ROOM = 4 << 20
"""Bytes for each text: an observation as long as `Limits` has it by default fits in, whatever its bytes were."""

_HEAD = 8
PLACE = _HEAD + ROOM
"""Bytes that each text has of the memory: its length, then the text."""


class SharedTexts(Sequence[str]):
    """The texts as they are now; a copy is a tuple of them."""

    def __init__(self, memory: Any) -> None:
        self._places: NDArray[np.uint8] = np.frombuffer(memory, dtype=np.uint8).reshape(-1, PLACE)

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[str, ...]: ...
    def __getitem__(self, index: int | slice) -> str | tuple[str, ...]:
        if isinstance(index, slice):
            return tuple(self)[index]
        place = self._places[index]
        size = int.from_bytes(place[:_HEAD].tobytes(), "big")
        data: bytes = place[_HEAD : _HEAD + size].tobytes()
        return data.decode("utf-8", "surrogatepass")

    def put(self, index: int, text: str) -> None:
        """Write a text; of one that is too long the end is left out, and it says so."""
        data = text.encode("utf-8", "surrogatepass")
        if len(data) > ROOM:
            beginning = data[: ROOM - 100].decode("utf-8", "ignore")
            data = with_notice(beginning, f"{len(data) - len(beginning.encode())} more bytes left out").encode()
        self._places[index][:_HEAD] = list(len(data).to_bytes(_HEAD, "big"))
        self._places[index][_HEAD : _HEAD + len(data)] = np.frombuffer(data, dtype=np.uint8)

    def __deepcopy__(self, memo: object) -> tuple[str, ...]:
        return tuple(self)
