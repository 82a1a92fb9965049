"""JSON as a browser takes it, whatever a sandbox or a model has put into an episode."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from intercode.errors import BadDataError
from intercode.report.export import clean
from intercode.types import trajectories

SHOWN = 16_384
"""Characters of a text that an episode is sent with; the rest is fetched when it is asked for."""

LEAST = 1024
"""The same for an episode of so many texts that it would still be too large."""

LARGEST = 24 << 20
"""Characters of an episode that is sent with `SHOWN`."""

_decoder = msgspec.json.Decoder(dict[str, Any])


def encode(data: Any) -> bytes:
    """Return *data* as JSON: NaN is null, and half a surrogate pair is `?`."""
    try:
        return msgspec.json.encode(data)
    except (UnicodeEncodeError, ValueError):
        return msgspec.json.encode(clean(data))


def decode(line: bytes) -> dict[str, Any]:
    """Return the object in *line*.

    Raises:
        BadDataError: If it is no JSON object.
    """
    try:
        return _decoder.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return trajectories.parse(line)  # which also takes NaN, and names what is wrong


def shorten_texts(episode: dict[str, Any]) -> dict[str, Any]:
    """Return *episode* with its long texts cut.

    One that was is an object of its beginning, its length and its place.
    """
    most = SHOWN
    while True:
        found, size = _cut_texts(episode, (), most)
        if size <= LARGEST or most == LEAST:
            assert isinstance(found, dict)
            return found
        most = LEAST


def text_at(episode: Any, path: str) -> str:
    """Return the text of *episode* at *path*, names and numbers with `/` between.

    Raises:
        BadDataError: If none is.
    """
    found = episode
    try:
        for name in path.split("/"):
            found = found[int(name)] if isinstance(found, list) else found[name]
    except (LookupError, TypeError, ValueError) as error:
        raise BadDataError(f"no text at {path}") from error
    if not isinstance(found, str):
        raise BadDataError(f"no text at {path}")
    return found


def _cut_texts(value: Any, path: tuple[str, ...], most: int) -> tuple[Any, int]:
    """Return *value* with texts cut to *most* characters, and how many are left of all of them."""
    if isinstance(value, str):
        if len(value) <= most:
            return value, len(value)
        return {"$text": value[:most], "length": len(value), "path": "/".join(path)}, most
    if isinstance(value, Mapping):
        pairs = {name: _cut_texts(each, (*path, name), most) for name, each in value.items()}
        return {name: each for name, (each, _) in pairs.items()}, sum(size for _, size in pairs.values())
    if isinstance(value, list):
        parts = [_cut_texts(each, (*path, str(place)), most) for place, each in enumerate(value)]
        return [each for each, _ in parts], sum(size for _, size in parts)
    return value, 8
