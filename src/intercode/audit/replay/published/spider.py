"""Published recordings of the SQL world as material: each harness stepped and judged as it did.

Some files were scored by an older reward, plain intersection over union. Both are computed; which fits is seen when a
whole file has been replayed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from intercode.audit.replay.comparison import ComparedEpisode, ComparedTurn, Pair, until_failure
from intercode.audit.replay.published import extra_tables, session_settings
from intercode.audit.replay.published.nl2bash import ENDLESS, SKIPPED
from intercode.audit.replay.published.recorded_turns import REACT_NO_SQL, REACT_ROWS, RecordedTurn
from intercode.audit.replay.published.recordings import RecordedEpisode, Recording
from intercode.audit.replay.published.task_sets import TaskSets
from intercode.audit.replay.source import ReplayItem, ReplayOptions, ReplaySource
from intercode.env.env import Env
from intercode.runs.factories import Say, env_of, make_backend
from intercode.runs.settings import Settings
from intercode.types import Action, Score, Scoring
from intercode.worlds.sql import SqlEnv, databases
from intercode.worlds.sql.databases.dialect.commands import server_command
from intercode.worlds.sql.env import show_rows
from intercode.worlds.sql.judging import judge_exactly
from intercode.worlds.sql.scoring.paper import paper, paper_iou

Variant = str
"""A scoring, or `paper-iou`."""

BYTES = re.compile(r"(?<=[(\s,])b(?=['\"])")
"""The mark of bytes before a value in a row."""


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
        """Return the episodes of *recording* that are wanted, ready to be played.

        Raises:
            UserError: If none of its episodes is wanted.
        """
        episodes = recording.episodes
        is_clean = self._options.clean or self._options.verified
        nothing: list[tuple[str, ...]] = [()] * len(episodes)
        tables, held = nothing, nothing
        if not is_clean:
            tables = extra_tables.extra_tables(recording, self._sets.load(episodes[0].dataset))
            held = session_settings.settings(recording)
        rows = zip(episodes, tables, held, strict=True)
        selected = [row for row in rows if self._options.want(row[0].task) and self._sets.has(row[0])]
        return ReplaySource(
            path=recording.path,
            kind=recording.harness,
            pieces=tuple(
                ReplayItem(
                    each.task,
                    0,
                    self._make_env(each.dataset, planted),
                    SqlPlayer(recording, each, self._options.scoring, settings).play,
                )
                for each, planted, settings in selected[: self._options.limit]
            ),
            note="; ".join(filter(None, (extra_tables.note(tables), session_settings.note(held)))),
        )

    def close(self) -> None:
        """Close the database."""
        self._backend.close()

    def _make_env(self, name: str, tables: tuple[str, ...]) -> Callable[[], Env]:
        """Return how to make an environment over the data set *name*, with *tables* planted in its databases."""
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
        """Return all turns that can be had; what the machine fails at is in `error`."""
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
        env.set_gold("; ".join([*settings, gold or ""]))

    def _now(self, env: SqlEnv, turn: RecordedTurn) -> SqlReplayResult:
        if turn.kind == "run":
            env.take_action(Action("execute", turn.code))
        if session_settings.is_setting(turn):
            before = self.episode.turns[: self.episode.turns.index(turn) + 1]
            self._hold(env, [*self.settings, *(each.code for each in before if session_settings.is_setting(each))])
        return SqlReplayResult(self._text(env, turn), self._scores(env) if turn.judged else {})

    def _text(self, env: SqlEnv, turn: RecordedTurn) -> str | None:
        """Return what the harness would show: what was run, or the last of that again, or words of its own."""
        is_react = self.recording.harness == "react"
        if turn.kind == "nothing":
            return REACT_NO_SQL if is_react else None
        if turn.kind == "skip":
            return SKIPPED
        if env.last.result is None:
            return "None"
        if self.recording.harness == "by hand" and env.last.result.rows is not None:
            return "".join(map(str, env.last.result.rows))  # the environment's own log writes rows without a list
        return show_rows(env.last.result, most=REACT_ROWS if is_react else None)

    def _scores(self, env: SqlEnv) -> Mapping[Variant, Score]:
        if self.scoring == "exact":
            return {"exact": judge_exactly(env.ending(env.task))}
        ending = env.ending(env.task)
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
                None if now.text is None else Pair(_without_bytes(then), now.text),
                {self.scoring: Pair(then.reward, now.scores[variant].value if then.judged else 0.0)},
                judged=then.judged,
                executed=then.kind == "run",
            )
            for number, (then, now) in enumerate(zip(self.episode.turns, turns, strict=False), 1)
        )
        succeeded = any(now.scores[variant].success for now in turns if now.scores)
        success = Pair(self.episode.success, succeeded)
        return ComparedEpisode(self.episode.task, 0, compared, success, error, otherwise or {})


def _without_bytes(turn: RecordedTurn) -> str:
    """Return what was seen at *turn*, with text where one of the published connectors gave a column's type as bytes."""
    command = server_command(turn.code) if turn.kind == "run" else None
    is_about_columns = command is not None and command.kind == "columns"
    return BYTES.sub("", turn.observation) if is_about_columns else turn.observation
