"""Looking ahead in a real world: what is tried in a branch leaves the episode as it stood."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

from intercode.agents.tree_search import TreeSearchAgent
from intercode.datasets import load
from intercode.runs.branches import EnvBranches
from intercode.runs.episode import EpisodeRun
from intercode.types import Action, trajectories
from intercode.types.conversation import Message, Reply, Tool
from intercode.worlds.bash import BashEnv
from intercode_sandbox.sandbox import Limits

TASK = "starter/bash/count-january"
COUNT = "tail -n +2 /shop/orders/2024-01.csv | wc -l"
SPOIL = "rm -rf /shop/orders; ls /shop"


@pytest.fixture(scope="module")
def env() -> Iterator[BashEnv]:
    with BashEnv(load("starter"), turns=5, reward_every_turn=True) as made:
        yield made


class Sayer:
    """A model that says one thing after the other."""

    def __init__(self, *says: str) -> None:
        self.says = list(says)

    def complete(self, messages: Sequence[Message], *, tools: Sequence[Tool] = (), seed: int | None = None) -> Reply:
        return Reply(self.says.pop(0))


def test_what_is_tried_in_a_branch_is_told_and_leaves_the_episode_as_it_stood(env: BashEnv) -> None:
    env.start_episode(env.dataset.find(TASK))
    moves = [Action("execute", SPOIL), Action("execute", COUNT), Action("submit")]
    spoilt, counted, handed_in = EnvBranches(env).try_out(moves)
    assert "orders" not in spoilt.observation.text.split()
    assert (counted.observation.text.strip(), counted.reward, counted.ended) == ("27", 1.0, False)
    assert (spoilt.reward < 1.0, handed_in.ended) == (True, True)
    assert env.status is None
    assert env.take_action(Action("execute", "ls /shop/orders | head -1")).observation.exit_code == 0


def test_tree_search_takes_the_best_of_its_candidates_and_only_that(env: BashEnv) -> None:
    fences = [f"```bash\n{code}\n```" for code in (SPOIL, COUNT, "ls")]
    agent = TreeSearchAgent(model=Sayer(*fences), judge="reward")
    played = EpisodeRun(env, agent, env.dataset.find(TASK)).play()
    assert [str(turn.action) for turn in played.turns] == [COUNT, "submit"]
    assert played.success("exact")
    assert len(played.turns[0].calls) == 3
    spoilt, counted, listed = played.turns[0].trials
    assert [str(trial.action) for trial in (spoilt, counted, listed)] == [SPOIL, COUNT, "ls"]
    assert [trial.chosen for trial in (spoilt, counted, listed)] == [False, True, False]
    assert counted.reward == 1.0
    assert played.turns[1].trials == ()
    assert trajectories.loads(trajectories.dumps(played)) == played


def test_tree_search_takes_the_first_where_a_state_cannot_be_branched() -> None:
    with BashEnv(load("starter"), shell="persistent", scoring="exact", limits=Limits(output=20_000)) as env:
        big = "big=$(head -c 50000 /dev/zero | tr '\\0' x); echo ${#big}"
        says = [f"```bash\n{code}\n```" for code in (big, "ls", "1")] + [f"```bash\n{COUNT}\n```", "submit"]
        agent = TreeSearchAgent(model=Sayer(*says, *(["submit"] * 2)), width="2")
        played = EpisodeRun(env, agent, env.dataset.find(TASK)).play()
    assert [str(turn.action) for turn in played.turns] == [big, COUNT, "submit"]
    assert played.turns[0].observation.text == "50000\n"
    assert played.status == "submitted"
