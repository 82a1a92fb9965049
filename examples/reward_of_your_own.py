"""A world with a reward of your own: the fewer bytes a session leaves behind, the better."""

from dataclasses import replace

from intercode.datasets import load
from intercode.envs.bash import BashEnv
from intercode.types import Action, Score, Scores


class TidyBashEnv(BashEnv):
    """Bash, where a right answer is worth less for every file that it left changed."""

    def score(self) -> Scores:
        """Both scores, worth less for what was changed."""
        assert self.session is not None
        scores = super().score()
        changed = len(list(self.session.changes()))
        return {name: self.penalize(score, changed) for name, score in scores.items()}

    @staticmethod
    def penalize(score: Score, changed: int) -> Score:
        """*score*, shared among the answer and each of the *changed* files."""
        return replace(score, value=score.value / (1 + changed), parts={**score.parts, "changed": float(changed)})


with TidyBashEnv(load("starter")) as env:
    for mess in ("", "touch /tmp/one /tmp/two; "):
        env.start_episode(env.dataset.find("starter/bash/count-january"))
        env.take_action(Action("execute", mess + "tail -n +2 /shop/orders/2024-01.csv | wc -l"))
        turn = env.take_action(Action("submit"))
        assert turn.scores is not None
        print(f"{mess or 'tidy':26} reward {turn.scores['exact'].value:.2f}", dict(turn.scores["exact"].parts))
