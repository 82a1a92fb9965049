"""A reward of your own: the fewer bytes a session leaves behind, the better."""

from dataclasses import replace

from intercode.datasets import load
from intercode.rewards.base import EpisodeResult, Reward
from intercode.types import Action, Score
from intercode.worlds.bash import BashEnv


class TidyReward(Reward):
    """A right answer is worth less for every file that it left changed."""

    def score(self, result: EpisodeResult) -> Score:
        """Share the world's own score among the answer and each of the changed files."""
        assert result.scores is not None, "every task has a gold"
        score, changed = result.scores["exact"], len(result.changes)
        return replace(score, value=score.value / (1 + changed), parts={**score.parts, "changed": float(changed)})


with BashEnv(load("starter"), reward=TidyReward()) as env:
    for mess in ("", "touch /tmp/one /tmp/two; "):
        env.start_episode(env.dataset.find("starter/bash/count-january"))
        env.take_action(Action("execute", mess + "tail -n +2 /shop/orders/2024-01.csv | wc -l"))
        turn = env.take_action(Action("submit"))
        assert turn.scores is not None
        print(f"{mess or 'tidy':26} reward {turn.scores['tidy'].value:.2f}", dict(turn.scores["tidy"].parts))
