"""What tests of rewards that are broken on purpose share."""

from __future__ import annotations

from dataclasses import replace

from intercode.envs.base import Env
from intercode.runs.episode import Episode
from intercode.runs.hackcheck.adversaries import choose
from intercode.runs.hackcheck.adversary import AdversaryAgent
from intercode.types import Score, Scores


def scores(is_paid: bool) -> Scores:
    score = Score(float(is_paid), is_paid)
    return {"exact": score, "paper": score}


def earned(env: Env, name: str, query: str = "") -> float:
    """The most that one of its attempts earns; the first that earns all is the last. *query*: another request."""
    (adversary,) = choose(env.world, [name])
    task = replace(env.dataset[0], query=query) if query else env.dataset[0]
    most = 0.0
    for attempt in adversary.attempts(task.view()):
        trajectory = Episode(env, AdversaryAgent(attempt), task).play()
        assert trajectory.scores is not None, trajectory.error
        most = max(most, trajectory.scores["exact"].value)
        if most == 1:
            break
    return most


def shown(env: Env) -> str:
    """What the last action showed; "" where nothing was run."""
    return env.answer or ""
