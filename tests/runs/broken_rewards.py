"""What tests of rewards that are broken on purpose share."""

from __future__ import annotations

from intercode.envs.base import Env
from intercode.runs.episode import Episode
from intercode.runs.hackcheck.adversaries import choose
from intercode.runs.hackcheck.adversary import AdversaryAgent
from intercode.types import Score, Scores


def scores(is_paid: bool) -> Scores:
    score = Score(float(is_paid), is_paid)
    return {"exact": score, "paper": score}


def earned(env: Env, name: str) -> float:
    (adversary,) = choose(env.world, [name])
    trajectory = Episode(env, AdversaryAgent(adversary), env.dataset[0]).play()
    assert trajectory.scores is not None, trajectory.error
    return trajectory.scores["exact"].value


def shown(env: Env) -> str:
    """What the last action showed; "" where nothing was run."""
    return env.answer or ""
