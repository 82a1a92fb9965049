"""Recorded episodes executed again, on a world of choice: what each left behind, and both scores of that."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from threading import local

from benchmarks.agreement.episodes import Episode, World
from intercode import datasets
from intercode.audit.replay.published.nl2bash import ENDLESS
from intercode.audit.replay.world_state import StateItem, Values, readers
from intercode.datasets.base import Dataset
from intercode.env.env import Env
from intercode.errors import MachineError
from intercode.types import Action, Scores
from intercode.types.databases import QueryResult
from intercode.worlds.bash import BashEnv
from intercode.worlds.sql import SqlEnv, databases
from intercode.worlds.sql.scoring.final_state import SqlEnding
from intercode_sandbox.embedded import EmbeddedSandbox

PUBLISHED = {"bash": "nl2bash", "sql": "spider"}
VERIFIED = {"bash": "nl2bash-verified", "sql": "spider-verified"}


@dataclass(frozen=True, slots=True)
class Step:
    """An action and what it showed."""

    action: str
    observation: str


@dataclass(frozen=True, slots=True)
class Difference:
    """A file, a table or the shell's folder that is not as it was; None for what is not there."""

    kind: str
    name: str
    before: StateItem | None
    after: StateItem | None


@dataclass(frozen=True, slots=True)
class Ending:
    """How an episode ended. `error` is the machine's, and then the rest is missing.

    `statement` and `rows` are the last ones of the SQL world, and `gold_rows` what the gold shows there.
    """

    episode: Episode
    steps: Sequence[Step] = ()
    differences: Sequence[Difference] = ()
    scores: Scores | None = None
    statement: str = ""
    rows: QueryResult | None = None
    gold_rows: QueryResult | None = None
    error: str = ""


Open = Callable[[], Env]


@contextmanager
def world(name: World, dataset: Dataset, database: str = "mysql") -> Iterator[Open]:
    """Provide how to open environments over *dataset* that run actions as the published benchmark did.

    What they share is closed at the end.
    """
    with ExitStack() as stack:
        if name == "bash":
            sandbox = stack.enter_context(EmbeddedSandbox())
            yield lambda: BashEnv(dataset, sandbox=sandbox, scoring="paper", turns=ENDLESS)
        else:
            engine = stack.enter_context(databases.find(database))
            yield lambda: SqlEnv(dataset, database=engine, scoring="paper", turns=ENDLESS)


def play_all(
    episodes: Sequence[Episode],
    open_env: Open,
    *,
    parallel: int = 2,
    on_done: Callable[[int], object] = lambda done: None,
    looking: bool = False,
) -> list[Ending]:
    """Return all *episodes*, each in a fresh world.

    *on_done* hears how many are done; *looking* also reads what changed.
    """
    with ExitStack() as stack:
        own = local()

        def one(pair: tuple[int, Episode]) -> Ending:
            if not hasattr(own, "env"):
                own.env = stack.enter_context(open_env())
            ending = play(pair[1], own.env, looking=looking)
            on_done(pair[0] + 1)
            return ending

        with ThreadPoolExecutor(parallel) as pool:
            return list(pool.map(one, enumerate(episodes)))


def play(episode: Episode, env: Env, *, looking: bool = False) -> Ending:
    """Return *episode* once more in *env*, and judged where it ends."""
    try:
        return _played(episode, env, looking)
    except MachineError as error:
        return Ending(episode, error=f"{type(error).__name__}: {error}")


def _played(episode: Episode, env: Env, looking: bool) -> Ending:
    env.start_episode(env.dataset.find(episode.task))
    with ExitStack() as stack:
        lookers = [(each, dict(each.read())) for each in (readers(env) if looking else ())]
        for looker, _ in lookers:
            stack.callback(looker.close)
        steps = []
        for turn in episode.turns:
            if turn.kind == "run":
                seen = env.take_action(Action("execute", turn.code)).observation
                steps.append(Step(turn.code, seen.text))
        differences: list[Difference] = []
        for looker, before in lookers:
            now = looker.read()
            for name in sorted({*before, *now}):
                old, new = (_value(values, name, looker.original) for values in (before, now))
                if old != new:
                    differences.append(Difference(looker.kind, name, *looker.items(old, new)))
        scores = env.judge()
        ending = env.ending(env.task)
    shown = ending if isinstance(ending, SqlEnding) else None
    return Ending(
        episode,
        steps,
        differences,
        scores,
        (shown.agent.statement or "") if shown else "",
        shown.agent.result if shown else None,
        shown.gold.result if shown else None,
    )


def _value(values: Values, name: str, original: Callable[[str], object]) -> object:
    return values[name] if name in values else original(name)


def progress(name: str) -> Callable[[int], object]:
    """Tells every hundredth that is done."""
    return lambda done: done % 100 or print(f"{name}: {done} episodes", file=sys.stderr)


def load(world: World, *, verified: bool = False) -> Dataset:
    """Return the published set of *world*, or its verified one. Raises UnknownNameError where there is none."""
    return datasets.load((VERIFIED if verified else PUBLISHED)[world])
