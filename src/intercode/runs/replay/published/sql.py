"""Published recordings of the SQL world as material: each harness stepped and judged as it did.

Some files were scored by an older reward, plain intersection over union. Both are computed; which fits is seen when a
whole file has been replayed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from intercode import databases
from intercode.envs.base import Env
from intercode.envs.sql import SqlEnv
from intercode.envs.sql.env import show_rows
from intercode.rewards.sql.paper import paper, paper_iou
from intercode.runs.factories import Say, env_of, make_backend
from intercode.runs.replay.comparison import ComparedEpisode, ComparedTurn, Pair, until_failure
from intercode.runs.replay.published import extra_tables, session_settings
from intercode.runs.replay.published.bash import ENDLESS, SKIPPED
from intercode.runs.replay.published.recordings import (
    REACT_NO_SQL,
    REACT_ROWS,
    RecordedEpisode,
    RecordedTurn,
    Recording,
)
from intercode.runs.replay.published.task_sets import TaskSets
from intercode.runs.replay.source import ReplayItem, ReplayOptions, ReplaySource
from intercode.runs.settings import Settings
from intercode.types import Action, Score, Scoring

Variant = str
"""A scoring, or `paper-iou`."""


class SqlReplay:
    """What all published recordings of this world are replayed on: one database."""

    def __init__(self, options: ReplayOptions, say: Say) -> None:
        self._options, self._sets = options, TaskSets(verified=options.verified)
        plain = Settings(dataset="spider", world="sql", scoring=options.scoring, turns=ENDLESS)
        settings = options.settings(plain)
        self._settings = settings.changed(database=settings.database or databases.default(progress=say))
        self._backend = make_backend(self._settings, say)
        self._environments: dict[tuple[str, ...], Callable[[], Env]] = {}

    def load_source(self, recording: Recording) -> ReplaySource:
        """The episodes of *recording* that are wanted, ready to be played.

        Raises:
            UserError: If none of its episodes is wanted.
        """
        is_clean = self._options.clean or self._options.verified
        tables = () if is_clean else extra_tables.extra_tables(recording)
        make_env = self._make_env(recording.episodes[0].dataset, tables)
        held: list[tuple[str, ...]] = (
            [()] * len(recording.episodes) if is_clean else session_settings.settings(recording)
        )
        pairs = zip(recording.episodes, held, strict=True)
        selected = [pair for pair in pairs if self._options.want(pair[0].task) and self._sets.has(pair[0])]
        return ReplaySource(
            path=recording.path,
            kind=recording.harness,
            pieces=tuple(
                ReplayItem(each.task, 0, make_env, SqlPlayer(recording, each, self._options.scoring, settings).play)
                for each, settings in selected[: self._options.limit]
            ),
            note="; ".join(filter(None, (extra_tables.note(tables), session_settings.note(held)))),
        )

    def close(self) -> None:
        """Close the database."""
        self._backend.close()

    def _make_env(self, name: str, tables: tuple[str, ...]) -> Callable[[], Env]:
        """How to make an environment over the data set *name*, with *tables* planted in its databases."""
        key = (name, *tables)
        if key not in self._environments:
            dataset = extra_tables.SpiderWithExtraTables(tables) if tables else self._sets.load(name)
            self._environments[key] = partial(env_of, self._settings, dataset, self._backend)
        return self._environments[key]


@dataclass(frozen=True, slots=True)
class SqlReplayResult:
    """What a turn shows now (None: nothing to compare), and its scores where it was judged."""

    text: str | None
    scores: Mapping[Variant, Score] = field(default_factory=dict)


@dataclass(frozen=True)
class SqlPlayer:
    """Plays one recorded episode again, with the *settings* in force that earlier ones had left."""

    recording: Recording
    episode: RecordedEpisode
    scoring: Scoring
    settings: tuple[str, ...] = ()

    def play(self, env: Env) -> ComparedEpisode:
        """All turns that can be had; what the machine fails at is in `error`."""
        assert isinstance(env, SqlEnv)
        turns, error = until_failure(self._turns(env))
        if self.scoring == "exact":
            return self._compare("exact", turns, error)
        older = self._compare("paper-iou", turns, error)
        return self._compare("paper", turns, error, {"paper-iou": older})

    def _turns(self, env: SqlEnv) -> Iterator[SqlReplayResult]:
        self._begin(env)
        for turn in self.episode.turns:
            yield self._now(env, turn)

    def _begin(self, env: SqlEnv) -> None:
        env.start_episode(env.dataset.find(self.episode.local_id))
        assert env.connection is not None
        for statement in self.settings:
            env.connection.run(statement)
        self._hold(env, self.settings)

    def _hold(self, env: SqlEnv, settings: Sequence[str]) -> None:
        """Have *settings* in force for the gold too: it ran on the agent's connection."""
        gold = env.dataset.find(self.episode.local_id).gold
        env.task = replace(env.task, gold="; ".join([*settings, gold or ""]))

    def _now(self, env: SqlEnv, turn: RecordedTurn) -> SqlReplayResult:
        if turn.kind == "run":
            env.take_action(Action("execute", turn.code))
        if session_settings.is_setting(turn):
            before = self.episode.turns[: self.episode.turns.index(turn) + 1]
            self._hold(env, [*self.settings, *(each.code for each in before if session_settings.is_setting(each))])
        return SqlReplayResult(self._text(env, turn), self._scores(env) if turn.judged else {})

    def _text(self, env: SqlEnv, turn: RecordedTurn) -> str | None:
        """What the harness would show: what was run, or the last of that again, or words of its own."""
        is_react = self.recording.harness == "react"
        if turn.kind == "nothing":
            return REACT_NO_SQL if is_react else None
        if turn.kind == "skip":
            return SKIPPED
        return "None" if env.last.result is None else show_rows(env.last.result, most=REACT_ROWS if is_react else None)

    def _scores(self, env: SqlEnv) -> Mapping[Variant, Score]:
        if self.scoring == "exact":
            return {"exact": env.score()["exact"]}
        ending = env.read_ending()
        return {"paper": paper(ending), "paper-iou": paper_iou(ending)}

    def _compare(
        self,
        variant: Variant,
        turns: tuple[SqlReplayResult, ...],
        error: str,
        otherwise: Mapping[str, ComparedEpisode] | None = None,
    ) -> ComparedEpisode:
        compared = tuple(
            ComparedTurn(
                number,
                then.raw,
                None if now.text is None else Pair(then.observation, now.text),
                {self.scoring: Pair(then.reward, now.scores[variant].value if then.judged else 0.0)},
                judged=then.judged,
                executed=then.kind == "run",
            )
            for number, (then, now) in enumerate(zip(self.episode.turns, turns, strict=False), 1)
        )
        succeeded = any(now.scores[variant].success for now in turns if now.scores)
        success = Pair(self.episode.success, succeeded)
        return ComparedEpisode(self.episode.task, 0, compared, success, error, otherwise or {})
