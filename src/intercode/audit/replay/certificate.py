"""The certificate of a replay: for each step of a run, whether executing it again showed and left the same.

Everything that is stored of an episode counts but for what is measured (times, costs) and a model's own (its thoughts
and calls), the notes that scores carry for people, and the agent's name.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from intercode.audit.replay.comparison import ComparedEpisode, ComparedTurn, Comparison, Pair, differing
from intercode.audit.replay.normalize import normalize
from intercode.audit.replay.stored_runs import checksum_of
from intercode.errors import MachineError
from intercode.runs import manifest
from intercode.runs.store import StoredRun
from intercode.util.atomic_write import write_text

NAME = "certificate.json"
FORMAT = 2

Step = Literal["same", "normalised", "differs"]
"""`normalised`: what was seen differs in clocks, process ids and sizes only; state and rewards are the same."""


@dataclass(frozen=True, slots=True)
class ReplayCertificate:
    """What was found about the run in `path`. `data` is what the file holds."""

    path: Path
    data: Mapping[str, Any]

    @property
    def holds(self) -> bool:
        """Return whether every step of every finished episode came out the same, but for clocks, ids and sizes."""
        return bool(self.data["certified"])

    @property
    def left_out(self) -> Mapping[str, int]:
        """Return how many of the run's episodes it says nothing about, by why: they `failed`, or are `missing` yet."""
        run = self.data["run"]
        return {kind: run[kind] for kind in ("failed", "missing")}

    @property
    def steps(self) -> Mapping[Step, int]:
        """Return how many steps there are of each kind."""
        counts: Mapping[Step, int] = self.data["steps"]
        return counts


def certify(compared: Comparison) -> ReplayCertificate:
    """Judge *compared*, a replay of one of our runs, and write the certificate beside its episodes.

    A certificate is about these very episodes: it names their file's checksum, and does not hold for a file that has
    changed since it was read.

    Raises:
        MachineError: If it cannot be written.
    """
    assert compared.run is not None
    episodes = [_episode(each) for each in compared.episodes]
    steps = Counter(step for each in episodes for step in each["steps"])
    stands_still = checksum_of(compared.path) == compared.checksum
    note = compared.remarks
    note = note if stands_still else f"the run went on while it was verified: verify it again; {note}"
    data = {
        "format": FORMAT,
        "certified": bool(episodes) and stands_still and not any(each["differs"] for each in episodes),
        "checksum": compared.checksum,
        "when": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": manifest.machine(),
        "run": _about(compared.run) | {"networked": compared.networked},
        "note": note.removesuffix("; "),
        "steps": {kind: steps[kind] for kind in ("same", "normalised", "differs")},
        "episodes": episodes,
    }
    return ReplayCertificate(_write(compared.path / NAME, data), data)


def judge_step(turn: ComparedTurn) -> Step:
    """Return one step. All must be the same to the letter but what was seen, which must be so when it is normalised."""
    rewards = any(pair.then != pair.now for pair in turn.rewards.values())
    if turn.state_agrees is False or rewards or differing(turn.others):
        return "differs"
    if turn.observation is None or turn.observation.then == turn.observation.now:
        return "same"
    then, now = (sorted(normalize(text).split("\n")) for text in (turn.observation.then, turn.observation.now))
    return "normalised" if then == now else "differs"


def _about(run: StoredRun) -> dict[str, Any]:
    """Return what was certified: the run's own settings, and how many of its episodes there are."""
    settings, failed = run.manifest.settings, sum(not each.is_complete for each in run.episodes)
    return {
        "dataset": settings.dataset,
        "world": settings.world,
        "scoring": settings.scoring,
        "agent": settings.agent,
        "images": dict(run.manifest.images),
        "data": dict(run.manifest.data),
        "machine": dict(run.manifest.machine),
        "planned": run.manifest.episodes,
        "failed": failed,
        "missing": run.manifest.episodes - len(run.episodes),
    }


def _episode(episode: ComparedEpisode) -> dict[str, Any]:
    steps = [judge_step(turn) for turn in episode.turns]
    states = [turn.state.now for turn in episode.turns if turn.state]
    return {
        "task": episode.task, "repeat": episode.repeat, "steps": steps, "states": states, "error": episode.error,
        "differs": list(_differences(episode)),
    }  # fmt: skip


def _differences(episode: ComparedEpisode) -> Iterator[str]:
    """In words, what is not as it was."""
    if episode.error:
        yield episode.error
    yield from (_describe_change(name, pair) for name, pair in differing(episode.others).items())
    for turn in episode.turns:
        if judge_step(turn) != "differs":
            continue
        others = [_describe_change(name, pair) for name, pair in differing(turn.others).items()]
        if turn.state is not None and turn.state_agrees is False:
            others.append(_describe_change("state", turn.state))
        yield from (f"turn {turn.number}: {difference}" for difference in others or ["another observation"])


def _describe_change(name: str, pair: Pair[Any]) -> str:
    return f"{name} was {pair.then}, is now {pair.now}"


def _write(path: Path, data: Mapping[str, Any]) -> Path:
    try:
        write_text(path, json.dumps(data, indent=1) + "\n")
    except OSError as error:
        raise MachineError(
            f"cannot write {path}: {error.strerror}; make room or rights there and verify again"
        ) from error
    return path
