"""Classes that msgspec fills from outside data, made ready for it by one thread."""

from __future__ import annotations

import threading
from typing import TypeVar

T = TypeVar("T")

_lock = threading.Lock()
_ready: set[object] = set()


def ready(kind: type[T]) -> type[T]:
    """Return *kind*, whose fields msgspec has read by now; it is to be given to all of msgspec's functions that decode.

    msgspec (0.22) keeps what it knows of a dataclass on the class before that is whole. A second thread that decodes
    meanwhile reads through a null pointer, which ends the process.
    """
    if kind not in _ready:
        import msgspec

        with _lock:
            msgspec.json.Decoder(kind)
            _ready.add(kind)
    return kind


def decode(raw: bytes | str, kind: type[T]) -> T:
    """Return what the JSON *raw*, which anybody may have written, says.

    Raises:
        msgspec.MsgspecError: If it is no JSON of that form, no UTF-8, or nested too deeply.
    """
    import msgspec

    try:
        return msgspec.json.decode(raw, type=ready(kind))
    except RecursionError as error:
        raise msgspec.DecodeError("JSON is malformed: it is nested too deeply") from error
    except UnicodeDecodeError as error:
        raise msgspec.DecodeError(f"JSON is malformed: it is not UTF-8 (byte {error.start})") from error
