"""A pool of actors plays an episode for each call, and makes who calls too often wait."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

import pytest
import ray
from ray.cluster_utils import Cluster
from ray_actors import actors

from intercode.agents.oracle import OracleAgent
from intercode.agents.scripted import ScriptedAgent
from intercode.datasets import load
from intercode.integrations.ray import RolloutPool
from intercode.types import Trajectory

LIMIT = 4


@pytest.fixture
def slow(tmp_path: Path) -> ScriptedAgent:
    """A policy whose episodes take two seconds, and are not won."""
    moves = {task.id: ["sleep 2", "submit"] for task in list(load("starter"))[:LIMIT]}
    (tmp_path / "script.json").write_text(json.dumps({"moves": moves}))
    return ScriptedAgent(script=str(tmp_path / "script.json"))


def test_rollouts_are_fetched_by_their_references(cluster: Cluster) -> None:
    with RolloutPool("starter", limit=LIMIT, actors=2, environments=2) as pool:
        policy = ray.put(OracleAgent())
        asked = [pool.play(policy, index, seed=7) for index in range(LIMIT)]
        played: list[Trajectory] = ray.get(asked)
    assert [each.task.id for each in played] == [task.id for task in pool.tasks]
    assert {(each.status, each.seed, each.success("exact")) for each in played} == {("submitted", 7, True)}


def test_who_asks_for_more_than_may_wait_is_held_up(cluster: Cluster, slow: ScriptedAgent) -> None:
    with RolloutPool("starter", limit=LIMIT, actors=1, environments=2, waiting=2) as pool:
        first = [pool.play(slow, 0), pool.play(slow, 1)]
        assert ray.wait(first, timeout=0)[0] == []
        third = pool.play(slow, 2)
        assert len(ray.wait(first, timeout=0)[0]) >= 1
        assert ray.get(third).success("exact") is False


def test_an_episode_whose_actor_is_killed_is_played_again(cluster: Cluster, slow: ScriptedAgent) -> None:
    before = set(actors(cluster, "RolloutActor"))  # of other tests, about to end
    with RolloutPool("starter", limit=LIMIT, actors=1, environments=1) as pool:
        ray.get(pool.play(slow, 0))
        (process,) = set(actors(cluster, "RolloutActor")) - before
        asked = pool.play(slow, 1)
        os.kill(process, signal.SIGKILL)
        assert ray.get(asked).status == "submitted"
        assert process not in actors(cluster, "RolloutActor")
