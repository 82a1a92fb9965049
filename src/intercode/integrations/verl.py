"""verl's agent loop: episodes of our worlds as rollouts, with the rollout engine's own tokens and log-probabilities.

Name it in the file of `rollout.agent.agent_loop_config_path`, and make the rows with `rows`. Prompts are worded, and
replies read, as those of the agent `react`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any
from uuid import uuid4

from verl.experimental.agent_loop.agent_loop import AgentLoopBase, AgentLoopMetrics, AgentLoopOutput, register
from verl.utils.profiler import simple_timer

from intercode.env.async_env import AsyncEnv
from intercode.env.env import Env
from intercode.integrations.scored_tasks import scored_tasks
from intercode.integrations.text_episodes import TextEpisodes, load, make, opening_messages
from intercode.types import Action, shown_rewards

NAME = "intercode"


@register(NAME)
class IntercodeAgentLoop(AgentLoopBase):
    """Plays one episode. A failure of the machine is an exception (`MachineError`), never a reward of 0.

    Args:
        turns: Actions, after which the episode is truncated and judged as it stands.
        options: What else `intercode.make` takes: `sandbox`, `scoring`, `shell` and so on.
    """

    def __init__(self, *args: Any, turns: int = 10, options: Mapping[str, Any] | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._options = {"turns": turns, **(options or {})}

    async def run(self, sampling_params: dict[str, Any], **row: Any) -> AgentLoopOutput:
        """Play the task of *row* (see `rows`) until the episode is over, or the response has its full length."""
        made = await asyncio.to_thread(make, row["dataset"], **self._options)
        async with AsyncEnv(made) as env:
            await env.areset(options={"task": row["task"]})
            rollout = _Rollout(self, sampling_params, [dict(message) for message in row["raw_prompt"]])
            await rollout.play(env)
            return rollout.output(made)


class _Rollout:
    """One conversation, as text and as tokens."""

    def __init__(self, loop: AgentLoopBase, sampling_params: dict[str, Any], messages: list[dict[str, Any]]) -> None:
        self._loop, self._sampling_params, self._messages = loop, sampling_params, messages
        self._request = uuid4().hex
        self._mask: list[int] = []
        self._logprobs: list[float] | None = None
        self._metrics: dict[str, Any] = {}
        self._extra: dict[str, Any] = {}

    async def play(self, env: AsyncEnv) -> None:
        """Reply by reply. Where there is no room for more tokens, the episode is judged as it stands."""
        episodes = TextEpisodes(env.env)
        self._ids = await self._loop.ct_build_initial_tokens(self._messages)
        while self._room > 0:
            reply = await self._reply()
            if self._room <= 0:  # it was cut off
                break
            with simple_timer("tool_calls", self._metrics):
                turn = await env.atake_action(episodes.read(reply))
            if env.env.status is not None:
                return
            await self._observe(reply, episodes.show(turn))
        await env.atake_action(Action("submit"))

    @property
    def _room(self) -> int:
        return int(self._loop.rollout_config.response_length) - len(self._mask)

    async def _reply(self) -> str:
        """Ask the engine; its tokens are kept as they are, and read as text only for us."""
        with simple_timer("generate_sequences", self._metrics):
            said = await self._loop.server_manager.generate(
                request_id=self._request, prompt_ids=self._ids, sampling_params=self._sampling_params
            )
        if said.log_probs and self._logprobs is None:
            self._logprobs = [0.0] * len(self._mask)
        merged, self._mask, self._logprobs = await self._loop.ct_merge_assistant_token(
            self._ids, said.token_ids, self._mask, self._logprobs, assistant_logprobs=said.log_probs or None
        )
        self._ids = merged.token_ids
        self._extra |= said.extra_fields
        return str(self._loop.tokenizer.decode(said.token_ids, skip_special_tokens=True))

    async def _observe(self, reply: str, observation: str) -> None:
        before = [*self._messages, {"role": "assistant", "content": reply}]
        self._messages = [*before, {"role": "user", "content": observation}]
        merged, self._mask, self._logprobs = await self._loop.ct_merge_context_msg(
            before, self._messages, self._ids, self._mask, self._logprobs
        )
        self._ids = merged.token_ids

    def output(self, env: Env) -> AgentLoopOutput:
        """Return what verl trains on: mask 1 where the model wrote, and the reward of the ending."""
        limit, prompt = int(self._loop.rollout_config.response_length), len(self._ids) - len(self._mask)
        scores = env.history[-1].scores
        names = shown_rewards(env.leading_reward)
        values = {name: scores[name].value if scores and name in scores else 0.0 for name in names}
        told = {**values, "status": env.status}
        return AgentLoopOutput(
            prompt_ids=self._ids[:prompt],
            response_ids=self._ids[prompt:][:limit],
            response_mask=self._mask[:limit],
            response_logprobs=None if self._logprobs is None else self._logprobs[:limit],
            reward_score=values[env.scoring],
            num_turns=2 * len(env.history),
            metrics=AgentLoopMetrics(**self._metrics),
            extra_fields={**self._extra, "reward_extra_info": told, "turn_scores": [], "tool_rewards": []},
        )


def rows(dataset: str = "starter", *, split: str = "train") -> list[dict[str, Any]]:
    """Return a data set as verl wants it.

    One row for each task that can be judged, with its prompt and without its gold.
    """
    found = load(dataset)
    return [
        {
            "data_source": f"intercode/{found.name}",
            "agent_name": NAME,
            "prompt": opening_messages(found.world, task.query),
            "ability": found.world,
            "reward_model": {"style": "rule", "ground_truth": ""},
            "extra_info": {"index": number, "split": split},
            "dataset": dataset,
            "task": task.id,
        }
        for number, task in enumerate(scored_tasks(found))
    ]
