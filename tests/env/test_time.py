"""Time limits: of one action, of all, and of a whole episode."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

import intercode
from intercode.audit.replay.replayer import replay
from intercode.audit.replay.source import ReplayOptions
from intercode.env.env import Env
from intercode.errors import UserError
from intercode.runs import store
from intercode.runs.job import prepare
from intercode.runs.runner import Runner
from intercode.runs.settings import Settings
from intercode.runs.store import RunStore
from intercode.types import Action

OVER = "[the episode's 600 s are over: it is judged as it stands]"
EPISODE = 600.0
"""What an episode may take: so long that none gets there by itself, on the busiest machine."""

SLOW = {
    "starter": "sleep 60",
    "starter-sql": "WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n) SELECT COUNT(*) FROM n",
    "starter-python": "import time; time.sleep(60)",
    "starter-ctf": "sleep 60",
}


def made(dataset: str, **options: Any) -> Env:
    return intercode.make(dataset, **({"database": "sqlite"} if dataset == "starter-sql" else {}), **options)


@pytest.mark.parametrize("dataset", SLOW)
def test_one_action_can_be_given_less_time(dataset: str) -> None:
    with made(dataset) as env:
        env.reset()
        began = time.monotonic()
        turn = env.take_action(Action("execute", SLOW[dataset]), seconds=0.3)
        assert turn.observation.timed_out
        assert time.monotonic() - began < 8.0
        assert env.status is None
        assert env.action_seconds == env.limit_seconds == 10.0


def test_all_actions_can_be_given_less_time_and_none_more() -> None:
    with intercode.make("starter", seconds=0.3) as env:
        env.reset()
        assert env.step("sleep 60")[0] == "[timed out after 0.3 s; killed]"
        assert env.take_action(Action("execute", "sleep 60"), seconds=100).observation.timed_out
        with pytest.raises(UserError, match="seconds=0"):
            env.take_action(Action("execute", "true"), seconds=0)
        env.step("touch /tmp/x")
        assert env.judge() is not None  # golds have the session's time, not this


def test_a_persistent_shell_holds_to_it_too() -> None:
    with intercode.make("starter", scoring="exact", shell="persistent") as env:
        env.reset()
        env.step("x=kept")
        assert env.take_action(Action("execute", "sleep 60"), seconds=0.3).observation.timed_out
        assert env.step("echo $x")[0] == "kept\n"


@pytest.mark.parametrize("dataset", SLOW)
def test_an_action_ends_with_its_episode_which_is_judged(dataset: str) -> None:
    with made(dataset, episode_seconds=EPISODE) as env:
        env.reset(options={"task": 0})  # to judge a whole program that sleeps takes longer
        env.clock.elapsed = EPISODE - 1.0
        began = time.monotonic()
        text, reward, terminated, truncated, info = env.step(SLOW[dataset])
        assert time.monotonic() - began < 9.0
        assert (reward, terminated, truncated, env.status) == (0.0, False, True, "truncated")
        assert text.endswith(OVER)
        assert "scores" in info


def test_a_late_action_is_not_run_and_says_why() -> None:
    with intercode.make("starter", episode_seconds=EPISODE, scoring="exact") as env:
        env.reset(options={"task": 0})
        env.step(env.task.gold or "")
        env.clock.elapsed = EPISODE
        text, reward, terminated, truncated, _ = env.step("touch /tmp/late")
        assert text == "[nothing was run: the episode's 600 s are over: it is judged as it stands]"
        assert (reward, terminated, truncated) == (1.0, False, True)
        assert env.history[-1].action.kind == "nothing"


def test_a_late_answer_does_not_count_and_giving_up_does() -> None:
    with intercode.make("starter-ctf", episode_seconds=EPISODE, scoring="exact") as env:
        env.reset(options={"task": 0})
        env.clock.elapsed = EPISODE
        assert env.step(f"submit {env.task.gold}")[1:4] == (0.0, False, True)
        env.reset(options={"task": 0})
        env.clock.elapsed = EPISODE
        env.step("skip")
        assert env.status == "skipped"


def test_the_next_episode_has_all_its_time() -> None:
    with intercode.make("starter", episode_seconds=EPISODE) as env:
        for _ in range(2):
            env.reset()
            assert EPISODE / 2 < env.clock.seconds_left <= EPISODE
            assert env.step("echo a")[0] == "a\n"
            env.clock.elapsed = EPISODE
            assert env.clock.seconds_left == 0.0


def test_a_fork_goes_on_with_the_time_that_is_left() -> None:
    with intercode.make("starter", episode_seconds=EPISODE) as env:
        env.reset()
        env.clock.elapsed = EPISODE - 100.0
        with env.fork() as fork:
            assert 40.0 < fork.clock.seconds_left <= 100.0


def test_a_run_bounds_its_episodes_and_replays_alike(tmp_path: Path) -> None:
    """Of the two actions the second comes too late: nothing of it is run, then and now."""
    model = tmp_path / "slow.json"
    model.write_text('{"replies": {"": ["```bash\\necho a\\n```", "```bash\\ntouch /tmp/late\\n```", "submit"]}}')
    settings = Settings(
        agent="react", model=f"scripted:{model}", model_options={"delay": "6"}, limit=1, episode_seconds=11.5
    )
    with prepare(settings) as job, RunStore.create(tmp_path / "run", job.manifest) as run:
        Runner(job, run).run()
    stored = store.read(tmp_path / "run")
    assert stored.manifest.settings.episode_seconds == 11.5
    (episode,) = stored.episodes
    assert (episode.status, len(episode.turns)) == ("truncated", 2)
    assert "nothing was run" in episode.turns[-1].observation.text
    (comparison,) = replay([tmp_path / "run"], ReplayOptions())
    assert all(each.agrees for each in comparison.episodes)
