"""What the published recordings of each world are replayed on."""

from __future__ import annotations

from collections.abc import Mapping

from intercode.audit.replay.published.mbpp import PythonReplay
from intercode.audit.replay.published.nl2bash import BashReplay
from intercode.audit.replay.published.picoctf import CtfReplay
from intercode.audit.replay.published.recorded_turns import World
from intercode.audit.replay.published.spider import SqlReplay

PublishedReplay = BashReplay | SqlReplay | PythonReplay | CtfReplay

REPLAYS: Mapping[World, type[PublishedReplay]] = {
    "bash": BashReplay,
    "sql": SqlReplay,
    "python": PythonReplay,
    "ctf": CtfReplay,
}
"""By the benchmark's worlds; for others nothing was published."""
