"""SkyRL's text environment: `skyrl_gym.make("intercode", extras={"dataset": "starter", "task": ID})`.

Importing this module registers it. Replies are read, and prompts worded, as those of the agent `react`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import skyrl_gym
from skyrl_gym.envs.base_text_env import BaseTextEnv, BaseTextEnvStepOutput

from intercode.integrations.scored_tasks import scored_tasks
from intercode.integrations.text_episodes import TextEpisodes, load, make, opening_messages

ID = "intercode"

Messages = list[dict[str, str]]


class IntercodeTextEnv(BaseTextEnv):
    """One episode. Environments of one process share a sandbox for each name of one.

    A failure of the machine is an exception (`MachineError`), never a reward of 0.

    Args:
        env_config: Options of `intercode.make` for all episodes: `world`, `sandbox`, `scoring`, `shell` and so on.
        extras: The episode's row: `dataset`, `task` (an id, its end or an index) and `max_turns`. See `rows`.
    """

    def __init__(self, env_config: Any = None, extras: Mapping[str, Any] | None = None) -> None:
        super().__init__()
        row, options = dict(extras or {}), dict(env_config or {})
        self.max_turns = int(row.get("max_turns", 10))
        self._task = row.get("task", 0)
        self._env = make(str(row.get("dataset", "starter")), turns=self.max_turns, **options)
        self._episodes = TextEpisodes(self._env)
        self._scores: dict[str, float] = {}

    def init(self, prompt: Messages) -> tuple[Messages, dict[str, Any]]:
        """Begin the episode. An empty *prompt* becomes the one that `rows` would have written."""
        query, info = self._env.reset(options={"task": self._task})
        return list(prompt) or opening_messages(self._env.world, query), {"task": info["task"]}

    def step(self, action: str) -> BaseTextEnvStepOutput:
        """Take the action that a reply asks for.

        Raises:
            MachineError: If the episode is lost.
        """
        turn = self._env.take_action(self._episodes.read(action))
        self.turns += 1
        done = self._env.status is not None
        if turn.scores is not None:
            self._scores = {name: score.value for name, score in turn.scores.items()}
        return BaseTextEnvStepOutput(
            observations=[] if done else [{"role": "user", "content": self._episodes.show(turn)}],
            reward=turn.reward,
            done=done,
            metadata={"status": self._env.status, "state_hash": turn.state_hash, **self._scores},
            postprocessed_action=None,
        )

    def get_metrics(self) -> dict[str, Any]:
        """Return the scores by scoring (none where the episode was not judged), and how many turns were taken."""
        return {**self._scores, "turns": self.turns}

    def close(self) -> None:
        """End the episode. Closing twice is harmless."""
        self._env.close()


def rows(dataset: str = "starter", *, max_turns: int = 10) -> list[dict[str, Any]]:
    """Return a data set as SkyRL wants it.

    One row for each task that can be judged, with its prompt and without its gold.
    """
    found = load(dataset)
    return [
        {
            "data_source": f"intercode/{found.name}",
            "prompt": opening_messages(found.world, task.query),
            "env_class": ID,
            "dataset": dataset,
            "task": task.id,
            "max_turns": max_turns,
        }
        for task in scored_tasks(found)
    ]


if ID not in skyrl_gym.registry:
    skyrl_gym.register(id=ID, entry_point=f"{__name__}:IntercodeTextEnv")
