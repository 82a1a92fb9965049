"""Trajectories as JSON, both ways, exactly: `loads(dumps(t)) == t`. One episode is one line."""

from __future__ import annotations

import gc
import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from itertools import chain
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intercode.errors import BadDataError
from intercode.types import InfoDict, Trajectory
from intercode.types.conversation import Json
from intercode.types.validation import check
from intercode.util.decoding import ready
from intercode.util.regular_files import read_lines

if TYPE_CHECKING:
    import msgspec

EPISODES = "episodes.jsonl"
"""The file in a run's directory that holds its episodes, one a line."""


def dumps(trajectory: Trajectory) -> str:
    """Write *trajectory* as one line, without its line break. ASCII only, so that lone surrogates survive too."""
    return json.dumps(trajectory.as_dict(), separators=(",", ":"))


def loads(line: str | bytes) -> Trajectory:
    """Read the trajectory in *line*.

    Raises:
        BadDataError: If it is none; the message says what is wrong.
    """
    return from_json(parse(line))


def parse(line: str | bytes) -> Json:
    """Read the JSON object in *line*, whether it is a trajectory or not.

    Raises:
        BadDataError: If it is not JSON, or not an object.
    """
    try:
        found = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise BadDataError(f"not JSON: {error}") from error
    if not isinstance(found, dict):
        raise BadDataError(f"not an episode: a JSON {type(found).__name__} where an object belongs")
    return found


def read(path: str | PathLike[str]) -> tuple[tuple[Trajectory, ...], bytes]:
    """Read all episodes of a file.

    Returns:
        The episodes in order, and the line at the file's end that was torn while it was written (b"" if none was).

    Raises:
        BadDataError: As `stream` does.
    """
    torn: list[bytes] = []
    with without_collecting():
        return tuple(stream(path, torn=torn.append)), b"".join(torn)


def read_line(line: bytes) -> Trajectory:
    """Read and check the episode in *line*: the quick way first, and on failure the way that can say what is wrong.

    Raises:
        BadDataError: If it is none, or holds values that no episode has.
    """
    episode = _decode(line)
    check(episode)
    return episode


def stream(
    path: str | PathLike[str],
    *,
    torn: Callable[[bytes], object] = bool,
    reader: Callable[[bytes], Trajectory] = read_line,
) -> Iterator[Trajectory]:
    """Read the episodes of a file one after the other, however many there are.

    A last line that has its line break but is not JSON is torn too: after a loss of power it may be full of zeros.

    Args:
        path: The file.
        torn: Called with a last line that is not whole.
        reader: Makes an episode of a line.

    Yields:
        Each episode, in order.

    Raises:
        BadDataError: If the file or a line cannot be read, or holds values that no episode has (`validation.check`).
            The message names the file and the line.
    """
    number, line = 0, b""
    for following in chain(_lines(Path(path)), (b"",)):
        if line and not following and not (line.startswith(b"{") and line.endswith(b"}\n")):
            torn(line)
        elif line:
            number += 1
            try:
                yield reader(line)
            except BadDataError as error:
                raise BadDataError(f"{path}, line {number}: {error}") from error
        line = following


def schema() -> Json:
    """Return the JSON Schema of what `as_dict` gives: of a `Trajectory`, with its parts and `InfoDict` in `$defs`.

    It is docs/trajectory.schema.json.
    """
    import msgspec

    (trajectory, _), parts = msgspec.json.schema_components([Trajectory, InfoDict])
    described = {name: {**part, "description": _paragraph(part["description"])} for name, part in parts.items()}
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **trajectory, "$defs": described}


def _paragraph(docstring: str) -> str:
    return " ".join(docstring.partition("\n\n")[0].split())


def from_json(data: Mapping[str, Any]) -> Trajectory:
    """Return the reverse of `Trajectory.as_dict`.

    Raises:
        BadDataError: If a field is missing or wrong; the message names it.
    """
    import msgspec

    try:
        return msgspec.convert(dict(data), ready(Trajectory))
    except (msgspec.ValidationError, UnicodeEncodeError) as error:  # half a surrogate pair where a word belongs
        said = re.sub(r"^Object missing required field `(\w+)`", r"'\1' is missing", str(error))
        raise BadDataError(f"not an episode: {said}") from error


def _lines(path: Path) -> Iterator[bytes]:
    try:
        yield from read_lines(path, within=path.parent if path.name == EPISODES else None)
    except OSError as error:
        raise BadDataError(f"cannot read {path}: {error.strerror}") from error


def _decode(line: bytes) -> Trajectory:
    import msgspec

    try:
        return _decoder().decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return loads(line)


@cache
def _decoder() -> msgspec.json.Decoder[Trajectory]:
    import msgspec

    return msgspec.json.Decoder(ready(Trajectory))


@contextmanager
def without_collecting() -> Iterator[None]:
    """Stop the garbage collector meanwhile: reading drops no objects, and collecting takes half of the time."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()
