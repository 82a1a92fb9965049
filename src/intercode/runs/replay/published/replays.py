"""What the published recordings of each world are replayed on."""

from __future__ import annotations

from collections.abc import Mapping

from intercode.runs.replay.published.bash import BashReplay
from intercode.runs.replay.published.ctf import CtfReplay
from intercode.runs.replay.published.python import PythonReplay
from intercode.runs.replay.published.recordings import World
from intercode.runs.replay.published.sql import SqlReplay

PublishedReplay = BashReplay | SqlReplay | PythonReplay | CtfReplay

REPLAYS: Mapping[World, type[PublishedReplay]] = {
    "bash": BashReplay,
    "sql": SqlReplay,
    "python": PythonReplay,
    "ctf": CtfReplay,
}
"""By the benchmark's worlds; for others nothing was published."""
