"""The paper's table from its recorded trajectories, executed anew: published, recorded, and as both scorings judge."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from intercode.audit.replay.comparison import ComparedEpisode, Comparison
from intercode.audit.replay.replayer import replay
from intercode.audit.replay.source import ReplayOptions
from intercode.errors import UserError
from intercode.report.statistics import Interval, wilson
from intercode.report.table import Cell, Column, Table
from intercode.runs.callback import ProgressCallback
from intercode.types import DEFAULT_WORLD, SCORINGS, Scoring
from intercode_sandbox.util.text import pluralize

Key = tuple[str, str, str]
"""World, model, strategy."""

PUBLISHED: Mapping[Key, float] = {
    ("bash", "gpt-3.5", "single turn"): 0.345,
    ("bash", "gpt-3.5", "try again"): 0.465,
    ("bash", "gpt-3.5", "react"): 0.205,
    ("bash", "gpt-3.5", "plan & solve"): 0.280,
    ("sql", "gpt-3.5", "single turn"): 0.105,
    ("sql", "gpt-3.5", "try again"): 0.473,
    ("sql", "gpt-3.5", "react"): 0.587,
    ("sql", "gpt-3.5", "plan & solve"): 0.491,
    ("sql", "gpt-4", "try again"): 0.737,
}
"""Success rates of Yang, Prabhakar, Narasimhan and Yao, NeurIPS 2023 (arXiv 2306.14898), and of its poster."""

EPISODES = {"bash": 200, "sql": 1034}
"""How many episodes the published rates are over."""

RECORDING = re.compile(r"ic_(?P<world>bash|sql|python|ctf)_.+\.json(\.gz)?")
"""What files of recordings are called."""

MODEL = re.compile(r"(?:multiturn|ctf)_(.+?)[-_]\d+_turns")
"""Where files of the try-again harness name their model."""

USUAL = "gpt-3.5"
"""The model of the other harnesses, whose files name none."""


@dataclass
class Tally:
    """One line of the table: success of each episode, as recorded and as judged now."""

    recorded: list[bool] = field(default_factory=list)
    now: dict[Scoring, list[bool]] = field(default_factory=lambda: {scoring: [] for scoring in SCORINGS})
    errors: int = 0
    verified: list[bool] = field(default_factory=list)

    def interval(self, scoring: Scoring) -> Interval | None:
        """Return where the true rate lies."""
        return _interval(self.now[scoring])


@dataclass(frozen=True, slots=True)
class PaperTable:
    """All lines, in the paper's order."""

    lines: Mapping[Key, Tally]
    is_verified: bool = False

    def to_json(self) -> list[dict[str, Any]]:
        """Return a dictionary for each line."""
        return [
            {
                "world": key[0],
                "model": key[1],
                "strategy": key[2],
                "published": PUBLISHED.get(key),
                "episodes": len(tally.recorded),
                "of": EPISODES.get(key[0]),
                "errors": tally.errors,
                "recorded": _rate(tally.recorded),
                **{scoring: _rate(tally.now[scoring]) for scoring in SCORINGS},
                "intervals": {each: found.to_json() for each in SCORINGS if (found := tally.interval(each))},
                **(_verified_json(tally.verified) if self.is_verified else {}),
            }
            for key, tally in self.lines.items()
        ]

    def table(self) -> Table:
        """Return the table."""
        columns = (
            Column("world"),
            Column("model"),
            Column("strategy"),
            Column("published", "share"),
            Column("episodes here"),
            Column("recorded", "share"),
            Column("paper scoring", "share"),
            Column("95 %, paper", "interval"),
            Column("exact scoring", "share"),
            Column("95 %, exact", "interval"),
            *(VERIFIED_COLUMNS if self.is_verified else ()),
        )
        rows: list[tuple[Cell, ...]] = [
            (
                *key,
                PUBLISHED.get(key),
                f"{len(tally.recorded)} of {EPISODES[key[0]]}" if key[0] in EPISODES else str(len(tally.recorded)),
                _rate(tally.recorded),
                _rate(tally.now["paper"]),
                tally.interval("paper"),
                _rate(tally.now["exact"]),
                tally.interval("exact"),
                *(_verified_cells(tally.verified) if self.is_verified else ()),
            )
            for key, tally in self.lines.items()
        ]
        return Table("the paper's table", columns, tuple(rows), self._note())

    def _note(self) -> str:
        errors = sum(tally.errors for tally in self.lines.values())
        broken = f"{pluralize(errors, 'replay was', 'replays were')} broken by the machine, and not counted; " * bool(
            errors
        )
        verified = "; verified: the episodes whose task the verified set has" * self.is_verified
        return f"{broken}recorded and later: success on the episodes here, their actions executed anew{verified}"


def recordings(paths: Sequence[Path]) -> tuple[list[Path], list[Path]]:
    """Return the recordings among *paths* and in folders among them, each once.

    And the files that are called otherwise.

    Raises:
        UserError: If there is no recording at all.
    """
    every = [file for path in paths for file in (sorted(path.rglob("*")) if path.is_dir() else [path])]
    files = {file.resolve(): file for file in every if not file.is_dir()}.values()
    found = [file for file in files if RECORDING.fullmatch(file.name)]
    if not found:
        raise UserError(
            f"no recordings in {', '.join(map(str, paths))}: their files are called ic_WORLD_….json or ….json.gz"
        )
    return found, [file for file in files if not RECORDING.fullmatch(file.name)]


def paper_table(
    files: Sequence[Path],
    *,
    parallel: int = 1,
    limit: int | None = None,
    callback: ProgressCallback | None = None,
    verified: bool = False,
) -> PaperTable:
    """The table from the recorded *files*, replayed once for each scoring, at most *limit* episodes of each file.

    With *verified* they are replayed once more, on the verified sets and under `exact`.

    Raises:
        BadDataError: For files that cannot be replayed.
        UserError: For files that cannot be replayed.
        MachineError: If a sandbox or a database cannot be had.
        InterruptedRunError: After Ctrl-C.
    """
    found: dict[Key, Tally] = {}
    options = [ReplayOptions(scoring=scoring, limit=limit) for scoring in SCORINGS]
    options += [ReplayOptions(scoring="exact", limit=limit, verified=True)] if verified else []
    for wish in options:
        compared = replay(files, wish, parallel=parallel, callback=callback)
        alone = {_key(each) for each in compared}
        for each in compared:
            _add(found, _key(each), each, wish, first_turn=False)
            first = (*_key(each)[:2], "single turn")
            if each.kind == "try again" and first not in alone:
                _add(found, first, each, wish, first_turn=True)
    return PaperTable({key: found[key] for key in sorted(found, key=_rank)}, verified)


def _add(found: dict[Key, Tally], key: Key, compared: Comparison, wish: ReplayOptions, *, first_turn: bool) -> None:
    tally, scoring = found.setdefault(key, Tally()), wish.scoring
    for episode in compared.episodes:
        if episode.error or episode.success is None:
            tally.errors += bool(episode.error)
            continue
        then, now = _at_first(episode, scoring) if first_turn else (episode.success.then, episode.success.now)
        if wish.verified:
            tally.verified.append(now)
            continue
        tally.now[scoring].append(now)
        if scoring == SCORINGS[0]:
            tally.recorded.append(then)


def _at_first(episode: ComparedEpisode, scoring: Scoring) -> tuple[bool, bool]:
    """Return whether the first turn was a success already: the paper's single turn is the first of these episodes."""
    if not episode.turns:
        return False, False
    pair = episode.turns[0].rewards[scoring]
    return pair.then == 1.0, pair.now == 1.0


def _key(compared: Comparison) -> Key:
    named = RECORDING.fullmatch(compared.path.name)
    world = named["world"] if named else DEFAULT_WORLD
    model = MODEL.search(compared.path.name)
    longest = max((len(episode.turns) for episode in compared.episodes), default=0)
    single = compared.kind == "try again" and re.search(r"\D1_turns", compared.path.name) and longest <= 1
    return world, model[1] if model else USUAL, "single turn" if single else compared.kind


VERIFIED_COLUMNS = (
    Column("verified episodes"),
    Column("exact, verified", "share"),
    Column("95 %, verified", "interval"),
)


def _verified_cells(values: Sequence[bool]) -> tuple[Cell, ...]:
    return str(len(values)), _rate(values), _interval(values)


def _verified_json(values: Sequence[bool]) -> dict[str, Any]:
    found = _interval(values)
    about = {"episodes": len(values), "exact": _rate(values), "interval": found.to_json() if found else None}
    return {"verified": about}


def _interval(values: Sequence[bool]) -> Interval | None:
    return wilson(sum(values), len(values)) if values else None


def _rate(values: Sequence[bool]) -> float | None:
    return sum(values) / len(values) if values else None


def _rank(key: Key) -> tuple[int, Key]:
    """Return the paper's lines in its order, then others by name."""
    return ([*PUBLISHED].index(key) if key in PUBLISHED else len(PUBLISHED), key)
