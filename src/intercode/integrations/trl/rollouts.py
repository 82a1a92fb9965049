"""`rollout_func`: whole episodes by one of our agents, with the trainer's engine as its model."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from os import PathLike
from typing import Any

from intercode import registry
from intercode.datasets.base import Dataset
from intercode.env.env import Env
from intercode.errors import UserError
from intercode.integrations.trl.engine import EngineModel, Generate, Ids, RequestBatch, trainers_own
from intercode.integrations.trl.rows import row
from intercode.integrations.trl.shared_envs import SharedEnvs
from intercode.report.exports.conversation.tokens import Segment, segments
from intercode.runs.episode import EpisodeRun
from intercode.types import Task, Trajectory

LONGEST = 1 << 20
"""Tokens of a question, where the model says nothing of its own."""

BROKEN_OFF = "the agent began its conversation anew: of {} only what came before is learnt from"


def rollout_func(
    dataset: str | PathLike[str] | Dataset | None = None,
    *,
    agent: str = "react",
    agent_options: Mapping[str, str] | None = None,
    **options: Any,
) -> Rollouts:
    """Return what `GRPOTrainer` takes as `rollout_func`; `reward` of it belongs into `reward_funcs`.

    Args:
        dataset: As for `intercode.make`; the trainer's rows are `to_hf_dataset` of it.
        agent: Who plays, by its name: one that asks a model and reads actions out of its text.
        agent_options: What the agent takes.
        **options: As for `intercode.make`.

    Returns:
        A callable: close it after training, or use it in a `with` block.
    """
    return Rollouts(dataset, options, agent, dict(agent_options or {}))


class Rollouts(SharedEnvs):
    """See `rollout_func`. Calling it plays an episode for each prompt, all at once."""

    def __init__(
        self,
        dataset: str | PathLike[str] | Dataset | None,
        options: dict[str, Any],
        agent: str,
        agent_options: dict[str, str],
    ) -> None:
        super().__init__(dataset, options)
        self._agent, self._agent_options = agent, agent_options
        self._idle: list[Env] = []
        self._number = 0

    def __call__(self, prompts: list[Any], trainer: Any) -> dict[str, Any]:
        """`prompt_ids`, `completion_ids`, `logprobs`, `env_mask` (0 for tokens that no model wrote), `env_reward`."""
        if trainer.accelerator.num_processes > 1:
            raise UserError("rollout_func plays in one process: engines cannot be asked by several in step")
        episodes = self.play(
            [self._task(prompt) for prompt in prompts],
            trainers_own(trainer),
            trainer.processing_class,
            longest=getattr(trainer.model.config, "max_position_embeddings", LONGEST) - 1,
            template={"chat_template": trainer.chat_template, **(trainer.chat_template_kwargs or {})},
        )
        return self._columns(episodes, prompts, trainer)

    def play(
        self,
        tasks: Sequence[Task],
        generate: Generate,
        tokenizer: Any,
        *,
        longest: int = LONGEST,
        template: Mapping[str, Any] | None = None,
    ) -> list[Trajectory]:
        """Return an episode of each of *tasks*, all at once: for training loops of your own, without a trainer.

        Args:
            tasks: Of the data set; the same one may be there several times.
            generate: Answers the questions that wait, in this thread.
            tokenizer: Makes tokens of messages by its chat template, and text of answers.
            longest: How many tokens a question may have.
            template: What `apply_chat_template` takes besides.

        Raises:
            Whatever *generate* raises.
        """
        batch = RequestBatch(generate, len(tasks))
        with ThreadPoolExecutor(len(tasks)) as pool:
            playing = [pool.submit(self._play, task, batch, tokenizer, longest, template or {}) for task in tasks]
            batch.serve()
        return [each.result() for each in playing]

    @staticmethod
    def reward(env_reward: list[float | None], **columns: Any) -> list[float | None]:
        """Return a reward function: what the world gave.

        None, which is left out of its group, where it judged nothing.
        """
        return env_reward

    def _play(
        self, task: Task, batch: RequestBatch, tokenizer: Any, longest: int, template: Mapping[str, Any]
    ) -> Trajectory:
        env = None
        try:
            env = self._take()
            model = EngineModel(batch.ask, tokenizer, longest=longest, template=dict(template))
            agent = registry.create("agents", self._agent, model=model, **self._agent_options)
            return EpisodeRun(env, agent, task, name=self._agent, seed=self._seed()).play()
        finally:
            batch.leave()  # also where no environment could be made: the others wait for it
            if env is not None:
                self._idle.append(env)

    def _take(self) -> Env:
        return self._idle.pop() if self._idle else self.make()

    def _seed(self) -> int:
        self._number += 1
        return self._number

    def _task(self, prompt: Any) -> Task:
        """Return the task that a row's *prompt* was made of. Raises UserError for none, and for one of several."""
        query = prompt[-1]["content"]
        found = [task for task in self.first().dataset if row(task, "")["prompt"][-1]["content"] == query]
        if len(found) != 1:
            what = "are alike: leave all but one out" if found else "none is there: make rows with to_hf_dataset"
            raise UserError(f"{len(found)} tasks have the prompt {query[:80]!r}; {what}")
        return found[0]

    def _columns(self, episodes: list[Trajectory], prompts: list[Any], trainer: Any) -> dict[str, Any]:
        found = [self._segment(each, prompt, trainer) for each, prompt in zip(episodes, prompts, strict=True)]
        limit = trainer.max_completion_length
        scoring = self.first().scoring
        return {
            "prompt_ids": [list(each.prompt_ids) for each in found],
            "completion_ids": [list(each.response_ids[:limit]) for each in found],
            "logprobs": [list(each.response_logprobs[:limit]) for each in found],
            "env_mask": [list(each.response_mask[:limit]) for each in found],
            "env_reward": [each.value(scoring) for each in episodes],
        }

    @staticmethod
    def _segment(episode: Trajectory, prompt: Any, trainer: Any) -> Segment:
        """Return the episode as one sequence. One without any answer is a single token that nothing is learnt from."""
        found = list(segments(episode))
        if len(found) > 1:
            warnings.warn(BROKEN_OFF.format(episode.task.id), stacklevel=2)
        if found:
            return found[0]
        ids: Ids = trainer.processing_class.apply_chat_template(prompt, tokenize=True, return_dict=False)
        return Segment(tuple(ids), (trainer.processing_class.eos_token_id,), (0,), (0.0,))
