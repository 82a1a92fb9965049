"""The certificate of a replay: for each step of a run, whether executing it again showed and left the same."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

from intercode.errors import MachineError
from intercode.runs import manifest
from intercode.runs.replay.compare import ComparedEpisode, ComparedTurn, Comparison
from intercode.runs.replay.normalise import normalised
from intercode.trajectories import EPISODES

NAME = "certificate.json"
FORMAT = 1

Step = Literal["same", "normalised", "differs"]
"""`normalised`: what was seen differs in clocks, process ids and sizes only; state and rewards are the same."""


@dataclass(frozen=True, slots=True)
class Certificate:
    """What was found about the run in `path`. `data` is what the file holds."""

    path: Path
    data: Mapping[str, Any]

    @property
    def holds(self) -> bool:
        """Whether every step of every finished episode came out the same, clocks, process ids and sizes aside."""
        return bool(self.data["certified"])

    @property
    def steps(self) -> Mapping[Step, int]:
        """How many steps there are of each kind."""
        counts: Mapping[Step, int] = self.data["steps"]
        return counts


def certify(compared: Comparison) -> Certificate:
    """Judge *compared*, a replay of one of our runs, and write the certificate beside its episodes.

    A certificate is about these very episodes: it names their file's checksum. Raises MachineError where it cannot be
    written.
    """
    episodes = [_episode(each) for each in compared.episodes]
    steps = Counter(step for each in episodes for step in each["steps"])
    broken = [each for each in episodes if each["error"] or "differs" in each["steps"]]
    data = {
        "format": FORMAT,
        "certified": bool(episodes) and not broken,
        "checksum": sha256((compared.path / EPISODES).read_bytes()).hexdigest(),
        "when": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": manifest.machine(),
        "note": compared.note,
        "steps": {kind: steps[kind] for kind in ("same", "normalised", "differs")},
        "episodes": episodes,
    }
    return Certificate(_write(compared.path / NAME, data), data)


def judged(turn: ComparedTurn) -> Step:
    """One step. State and rewards must be the same to the letter; what was seen, at least when normalised."""
    if turn.state_agrees is False or turn.reward_agrees is False:
        return "differs"
    if turn.observation is None or turn.observation.then == turn.observation.now:
        return "same"
    then, now = (sorted(normalised(text).split("\n")) for text in (turn.observation.then, turn.observation.now))
    return "normalised" if then == now else "differs"


def _episode(episode: ComparedEpisode) -> dict[str, Any]:
    steps = [judged(turn) for turn in episode.turns]
    states = [turn.state.now for turn in episode.turns if turn.state]
    return {
        "task": episode.task, "repeat": episode.repeat, "steps": steps, "states": states, "error": episode.error,
    }  # fmt: skip


def _write(path: Path, data: Mapping[str, Any]) -> Path:
    draft = path.with_suffix(f".{os.getpid()}")
    try:
        draft.write_text(json.dumps(data, indent=1) + "\n")
        draft.replace(path)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise MachineError(
            f"cannot write {path}: {error.strerror}; make room or rights there and verify again"
        ) from error
    return path
