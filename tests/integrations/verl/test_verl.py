"""verl's own rollout worker plays our episodes. Its engines need GPUs: one that writes given replies stands in."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import verl
from hydra import compose, initialize_config_dir
from tiny_model import write_model
from verl import DataProto
from verl.experimental.agent_loop.agent_loop import AgentLoopWorker
from verl.workers.rollout.replica import TokenOutput

from intercode import datasets
from intercode.errors import MachineError
from intercode.integrations.verl import rows

TASK = datasets.load("starter").find("count-january")
SOLUTION = (f"Thought: so it is.\nAction:\n```bash\n{TASK.gold}\n```", "Thought: done.\nAction: submit")
LOGPROB = -0.25

Play = Callable[..., Any]


class Engine:
    """Writes the n-th of *replies* as the n-th answer of each conversation, the last one again and again."""

    def __init__(self, tokenizer: Any, replies: tuple[str, ...]) -> None:
        self._tokenizer = tokenizer
        self._said = [tokenizer(f"{each}<|im_end|>", add_special_tokens=False)["input_ids"] for each in replies]
        self._counts: dict[str, int] = {}
        self.asked: list[list[int]] = []

    async def generate(self, request_id: str, *, prompt_ids: list[int], **options: Any) -> TokenOutput:
        count = self._counts[request_id] = self._counts.get(request_id, -1) + 1
        self.asked.append(list(prompt_ids))
        ids = self._said[min(count, len(self._said) - 1)]
        return TokenOutput(token_ids=ids, log_probs=[LOGPROB] * len(ids), stop_reason="completed")


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_model(tmp_path_factory.mktemp("model"))


@pytest.fixture
def play(tmp_path: Path, model: Path) -> Play:
    """Have a worker of verl play the task so many times; what it trains on, its tokenizer, and the engine."""

    def played(*replies: str, times: int = 1, length: int = 4096, **options: Any) -> tuple[DataProto, Any, Engine]:
        named = {"name": "intercode", "_target_": "intercode.integrations.verl.IntercodeAgentLoop", **options}
        (tmp_path / "loops.yaml").write_text(json.dumps([named]))
        rollout = "actor_rollout_ref.rollout"
        overrides = [
            f"actor_rollout_ref.model.path={model}",
            f"{rollout}.name=vllm",
            f"{rollout}.prompt_length=4096",
            f"{rollout}.response_length={length}",
            f"{rollout}.agent.agent_loop_config_path={tmp_path / 'loops.yaml'}",
        ]
        with initialize_config_dir(str(Path(verl.__file__).parent / "trainer/config"), version_base=None):
            worker = AgentLoopWorker(compose("ppo_trainer", overrides), llm_client=None)
        engine = worker.llm_client = Engine(worker.tokenizer, replies)
        row = next(each for each in rows() if each["task"] == TASK.id)
        columns = {name: np.array([row[name]] * times, dtype=object) for name in ("agent_name", "dataset", "task")}
        columns["raw_prompt"] = np.array([None] * times, dtype=object)
        for number in range(times):
            columns["raw_prompt"][number] = row["prompt"]
        batch = DataProto(non_tensor_batch=columns, meta_info={"global_steps": 1, "validate": False})
        return asyncio.run(worker.generate_sequences(batch)), worker.tokenizer, engine

    return played


def written(batch: DataProto, tokenizer: Any, number: int, by: int) -> str:
    """The text of the tokens that a model (1) or the world (0) wrote, of one episode."""
    ids, mask = batch.batch["responses"][number], batch.batch["response_mask"][number].bool()
    attention = batch.batch["attention_mask"][number][-len(ids) :].bool()
    return str(tokenizer.decode(ids[(mask if by else ~mask) & attention]))


def test_episodes_played_by_their_gold_earn_one(play: Play) -> None:
    batch, tokenizer, _ = play(*SOLUTION, times=3)
    assert batch.batch["rm_scores"].sum(-1).tolist() == [1.0, 1.0, 1.0]
    assert batch.non_tensor_batch["exact"].tolist() == [1.0, 1.0, 1.0]
    assert batch.non_tensor_batch["status"].tolist() == ["submitted"] * 3
    assert written(batch, tokenizer, 0, by=1) == "<|im_end|>".join([*SOLUTION, ""])
    assert "Observation:" in written(batch, tokenizer, 0, by=0)


def test_the_tokens_are_the_engines_own_with_their_log_probabilities(play: Play) -> None:
    batch, _, engine = play(*SOLUTION)
    mask = batch.batch["response_mask"][0].bool()
    assert set(batch.batch["rollout_log_probs"][0][mask].tolist()) == {LOGPROB}
    assert set(batch.batch["rollout_log_probs"][0][~mask].tolist()) == {0.0}
    prompt, response = batch.batch["prompts"][0], batch.batch["responses"][0]
    whole = [*prompt[-len(engine.asked[0]) :].tolist(), *response.tolist()]
    assert [whole[: len(asked)] for asked in engine.asked] == engine.asked  # each question begins with the one before


def test_doing_nothing_earns_nothing_and_turns_are_bounded(play: Play) -> None:
    batch, _, engine = play("Action:\n```bash\ntrue\n```", turns=3)
    assert batch.batch["rm_scores"].sum().item() == 0.0
    assert batch.non_tensor_batch["status"].tolist() == ["truncated"]
    assert len(engine.asked) == 3


def test_an_episode_whose_response_is_full_is_judged_as_it_stands(play: Play) -> None:
    batch, _, engine = play("Action:\n```bash\n" + "echo so; " * 40 + "\n```", length=300)
    assert batch.batch["responses"].shape[-1] == 300
    assert batch.non_tensor_batch["status"].tolist() == ["submitted"]
    assert len(engine.asked) == 1


def test_a_failure_of_the_machine_is_no_reward(play: Play, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*arguments: Any, **options: Any) -> None:
        raise MachineError("no room")

    monkeypatch.setattr("intercode.worlds.bash.env.BashEnv.execute", fail)
    with pytest.raises(MachineError, match="no room"):
        play(*SOLUTION)


def test_rows_hold_no_gold() -> None:
    assert str(TASK.gold) not in str(rows())
    assert {each["agent_name"] for each in rows()} == {"intercode"}
