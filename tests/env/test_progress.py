"""Rewards along the way: they lead towards the gold, and cannot be milked."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from intercode.datasets import load
from intercode.datasets.base import Dataset
from intercode.env.progress import LEVELS
from intercode.errors import UserError
from intercode.rewards.base import EpisodeResult
from intercode.worlds.bash import gold_contents
from intercode.worlds.bash.env import BashEnv
from intercode.worlds.bash.gold_contents import GoldContents
from intercode_sandbox.embedded import EmbeddedSandbox

LINES = "printf 'one\\ntwo\\nthree\\nfour\\n'"
TASKS = [
    ("write", "Write one to four, a line each, to /out.txt.", f"{LINES} >/out.txt"),
    ("edit", "Replace root by admin in /etc/passwd.", "sed -i s/^root:/admin:/ /etc/passwd"),
    ("both", "Write one to four to /out.txt and print them.", f"{LINES} | tee /out.txt"),
    ("answer", "Print one to four, a line each.", LINES),
]
ACTIONS = [
    "true", "rm -f /out.txt", "echo one >/out.txt", "printf 'one\\ntwo\\n' >/out.txt", f"{LINES} >/out.txt", LINES,
    f"{LINES} | tee /out.txt", "sed -i s/^root:/admin:/ /etc/passwd", "sed -i s/^admin:/root:/ /etc/passwd",
    "chmod 600 /out.txt", "mv /out.txt /elsewhere.txt", "mv /elsewhere.txt /out.txt", "echo junk >/junk", "rm -f /junk",
]  # fmt: skip


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    path = Path(tmp_path_factory.mktemp("tasks"), "tasks.jsonl")
    path.write_text("\n".join(json.dumps({"id": name, "query": query, "gold": gold}) for name, query, gold in TASKS))
    return load(str(path))


@pytest.fixture(scope="module")
def env(dataset: Dataset) -> Iterator[BashEnv]:
    with EmbeddedSandbox() as sandbox, BashEnv(dataset, sandbox=sandbox, step_reward="progress", turns=40) as made:
        yield made


def play(env: BashEnv, task: str, *actions: str) -> list[float]:
    env.reset(options={"task": task})
    return [env.step(action)[1] for action in actions]


def test_each_line_of_a_file_brings_it_nearer(env: BashEnv) -> None:
    """Two of four lines are worth more than one, and all of them the rest."""
    one, two, four, submit = play(env, "write", ACTIONS[2], ACTIONS[3], ACTIONS[4], "submit")
    assert one > 0
    assert two > 0
    assert one + two < 1
    assert (one + two + four, submit) == (1.0, 0.0)


def test_what_the_file_held_from_the_start_earns_nothing(env: BashEnv) -> None:
    """All lines of /etc/passwd but one are the gold's already."""
    nothing, done = play(
        env, "edit", "echo '# a comment' >>/etc/passwd", "sed -i -e '$d' -e s/^root:/admin:/ /etc/passwd"
    )
    assert nothing == 0.0
    assert done == 1.0


def test_the_right_content_in_the_wrong_place_is_worth_something(env: BashEnv) -> None:
    wrong, right = play(env, "write", f"{LINES} >/elsewhere.txt", "mv /elsewhere.txt /out.txt")
    assert 0 < wrong < 0.5
    assert wrong + right == 1.0


def test_undoing_takes_back_what_doing_gave(env: BashEnv) -> None:
    rewards = play(env, "write", "true", ACTIONS[3], "rm /out.txt", ACTIONS[3], "rm /out.txt")
    assert rewards[1] > 0
    assert rewards[1:] == [rewards[1], -rewards[1], rewards[1], -rewards[1]]


def test_destroying_loses_all(env: BashEnv) -> None:
    good, bad = play(env, "write", ACTIONS[3], "rm /etc/hostname")
    assert good > 0
    assert good + bad == 0.0


def test_no_state_that_is_no_success_is_worth_as_much_as_one(env: BashEnv) -> None:
    rewards = play(env, "write", f"{LINES} >/out.txt; chmod 600 /out.txt")
    assert 0 < rewards[0] <= 1 - 1 / LEVELS


@pytest.mark.parametrize("seed", range(12))
def test_rewards_telescope_and_equal_states_are_worth_the_same(env: BashEnv, seed: int) -> None:
    """So no cycle of actions has a positive sum. The state is the files, and what the last command showed."""
    draw = random.Random(seed)
    name = TASKS[seed % len(TASKS)][0]
    env.reset(options={"task": name})
    start = total = env.current_episode.potential
    worth: dict[tuple[str, str | None], float] = {}
    for action in draw.choices(ACTIONS, k=15):
        total += env.step(action)[1]
        state = (env.history[-1].state_hash, env.answer)
        assert abs(worth.setdefault(state, total) - total) < 1e-9
    total += env.step("submit")[1]
    scores = env.history[-1].scores
    assert scores is not None
    assert abs(total - scores["exact"].value) < 1e-9
    assert abs(sum(turn.reward for turn in env.history) - (scores["exact"].value - start)) < 1e-9


def test_the_potential_shows_the_gold_in_coarse_steps_only(env: BashEnv) -> None:
    env.reset(options={"task": "write"})
    env.step(ACTIONS[2])
    assert env.current_episode.potential * LEVELS == int(env.current_episode.potential * LEVELS)
    assert env.history[-1].scores is None


def test_a_branch_goes_on_from_the_same_potential(env: BashEnv) -> None:
    play(env, "write", ACTIONS[3])
    with env.snapshot() as snapshot:
        first = env.step(ACTIONS[4])[1]
        env.restore(snapshot)
        assert env.step(ACTIONS[4])[1] == first > 0


def test_progress_may_be_named_as_the_reward(dataset: Dataset) -> None:
    with BashEnv(dataset, reward="progress") as env:
        assert (env.step_reward, env.scoring) == ("progress", "exact")


def test_progress_goes_with_exact_only(dataset: Dataset) -> None:
    with pytest.raises(UserError, match="adds up to the exact score"):
        BashEnv(dataset, step_reward="progress", scoring="paper")
    with pytest.raises(UserError, match="no step reward called 'dense'"):
        BashEnv(dataset, step_reward="dense")  # type: ignore[arg-type]  # that is what is tried


def test_what_a_gold_had_written_when_its_time_ran_out_is_read_again(env: BashEnv) -> None:
    """Nothing that a busy machine has cut is kept, here either."""
    env.reset(options={"task": "write"})
    contents = GoldContents()
    env.set_gold("echo one > /out.txt; sleep 60")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gold_contents, "SECONDS", 0.3)
        assert contents.contents(env).keys() == {"/out.txt"}
    assert not contents._played


def test_what_still_runs_stands_still_while_a_turn_is_judged(env: BashEnv) -> None:
    """And goes on afterwards: the reward is of one moment."""
    seen = list[bool]()

    def stands_still(result: EpisodeResult) -> float:
        first = result.read("/tmp/clock")
        time.sleep(0.1)
        seen.append(result.read("/tmp/clock") == first)
        return 0.0

    with BashEnv(env.dataset, sandbox=env.sandbox, reward=stands_still, reward_every_turn=True) as judged:
        judged.reset()
        judged.step("(while sleep 0.01; do date +%s%N > /tmp/clock; done) >/dev/null 2>&1 & sleep 0.5")
        first = judged.current_session.read("/tmp/clock")
        judged.step("sleep 0.3")
        assert judged.current_session.read("/tmp/clock") != first
    assert seen == [True, True]
