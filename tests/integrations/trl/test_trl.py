"""Against TRL itself: GRPO steps on a tiny random model in our worlds."""

from __future__ import annotations

import asyncio
import inspect
import json
import pickle
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from tiny_model import made_to_say, tiny_model, tiny_tokenizer
from transformers.utils import get_json_schema
from trl import GRPOConfig, GRPOTrainer

from intercode import datasets
from intercode.errors import SandboxError, UserError
from intercode.integrations.trl import environment, rollout_func, to_hf_dataset
from intercode.integrations.trl.engine import EngineModel
from intercode.types.conversation import Message
from intercode_sandbox.scripted import ScriptedSandbox

pytestmark = [
    pytest.mark.filterwarnings("default"),  # the libraries' own
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
]

CALL = '<tool_call>\n{{"name": "{}", "arguments": {}}}\n</tool_call>'


@pytest.fixture(scope="module")
def tokenizer() -> Any:
    return tiny_tokenizer()


def config(folder: Path, **options: Any) -> GRPOConfig:
    usual = {
        "output_dir": str(folder), "per_device_train_batch_size": 4, "num_generations": 4, "max_steps": 2,
        "max_completion_length": 400, "logging_steps": 1, "report_to": "none", "use_cpu": True, "bf16": False,
        "learning_rate": 1e-2, "save_strategy": "no",
    }  # fmt: skip
    return GRPOConfig(**{**usual, **options})


def call(name: str, **arguments: str) -> str:
    return CALL.format(name, json.dumps(arguments))


def weights(model: Any) -> list[Any]:
    return [each.detach().clone() for each in model.parameters()]


def first_tasks(count: int = 2) -> list[str]:
    """Starter tasks with a short gold."""
    return [task.id for task in datasets.load("starter") if task.gold and len(task.gold) < 80][:count]


# Rows


def test_rows_hold_the_query_and_the_id_and_no_gold() -> None:
    data = datasets.load("starter")
    rows = to_hf_dataset("starter")
    assert rows.column_names == ["prompt", "task"]
    assert rows["task"] == [task.id for task in data if task.gold is not None]
    assert [message["role"] for message in rows[0]["prompt"]] == ["system", "user"]
    for row, task in zip(rows, data, strict=True):
        assert row["prompt"][-1]["content"] == task.query
        assert str(task.gold) not in json.dumps(row)
    assert to_hf_dataset(data, tasks=first_tasks())["task"] == first_tasks()
    assert len(to_hf_dataset("starter-ctf")) == len(datasets.load("starter-ctf"))


# Environments


@pytest.mark.parametrize(
    ("dataset", "names"),
    [
        ("starter", {"run_command": ["command"], "submit": []}),
        ("starter-sql", {"run_query": ["query"], "submit": []}),
        ("starter-python", {"run_python": ["code"], "submit": ["answer"]}),
        ("starter-ctf", {"run_command": ["command"], "submit": ["answer"]}),
    ],
)
def test_each_world_has_its_own_async_tools_and_nothing_else_is_public(
    dataset: str, names: dict[str, list[str]]
) -> None:
    with environment(dataset) as factory:
        rollout = factory()
        public = [name for name, _ in inspect.getmembers(type(rollout), inspect.isfunction) if not name.startswith("_")]
        assert sorted(public) == sorted([*names, "reset", "get_reward"])
        for name, arguments in names.items():
            tool = getattr(rollout, name)
            assert inspect.iscoroutinefunction(tool)
            schema = get_json_schema(tool)["function"]
            assert schema["name"] == name
            assert list(schema["parameters"].get("properties", {})) == arguments


@pytest.fixture
def factory() -> Iterator[Any]:
    with environment("starter", turns=4, scoring="exact") as made:
        yield made


def test_the_reward_is_the_worlds(factory: Any) -> None:
    rollout, (task,) = factory(), first_tasks(1)
    gold = datasets.load("starter").find(task).gold
    assert rollout.reset(task=task, prompt=[], other=1) is None
    assert asyncio.run(rollout.run_command(command=gold))
    assert rollout.get_reward() == 1.0
    assert rollout.get_reward() == 1.0
    rollout.reset(task=task)
    assert rollout.get_reward() == 0.0
    rollout.reset(task=task)
    asyncio.run(rollout.submit())
    with pytest.raises(RuntimeError, match="the episode is over"):
        asyncio.run(rollout.run_command(command="ls"))
    assert rollout.get_reward() == 0.0


def test_a_failure_of_the_machine_is_no_reward() -> None:
    task = first_tasks(1)[0]
    with environment("starter", sandbox=ScriptedSandbox(fails={0: SandboxError("broke")})) as factory:
        rollout: Any = factory()
        rollout.reset(task=task)
        with pytest.raises(SandboxError):
            asyncio.run(rollout.run_command(command="ls"))
        assert rollout.get_reward() is None


def test_tools_of_several_rollouts_overlap(factory: Any) -> None:
    rollouts = [factory() for _ in range(6)]
    for rollout in rollouts:
        rollout.reset(task=first_tasks(1)[0])
    assert len({id(rollout._env.sandbox) for rollout in rollouts}) == 1

    async def all_at_once() -> Any:
        return await asyncio.gather(*(rollout.run_command(command="sleep 3; echo $?") for rollout in rollouts))

    began = time.monotonic()
    assert asyncio.run(all_at_once()) == ["0"] * 6
    assert time.monotonic() - began < 12.0  # one after the other: 18 s


def test_a_factory_goes_to_another_process_as_trls_async_worker_wants() -> None:
    with pickle.loads(pickle.dumps(environment("starter", turns=3))) as factory:
        rollout: Any = factory()
        assert rollout._env.turns == 3
        rollout.reset(task=first_tasks(1)[0])
        assert asyncio.run(rollout.run_command(command="echo a")) == "a"


def test_grpo_steps_call_tools(tmp_path: Path, tokenizer: Any) -> None:
    """The model is made to say what solves the task."""
    (task,) = first_tasks(1)
    gold = str(datasets.load("starter").find(task).gold)
    model = tiny_model(tokenizer)
    made_to_say(model, tokenizer, call("run_command", command=gold), call("submit"), "done")
    with environment("starter", turns=4, scoring="exact") as factory:
        trainer = GRPOTrainer(
            model=model,
            args=config(tmp_path),
            train_dataset=to_hf_dataset("starter", tasks=[task]),
            processing_class=tokenizer,
            environment_factory=factory,
        )
        trainer.train()
        steps = [step for step in trainer.state.log_history if "reward" in step]
        assert len(steps) == 2
        assert [step["rewards/InterCodeBash/mean"] for step in steps] == [1.0, 1.0]
        assert [step["tools/call_frequency"] for step in steps] == [2.0, 2.0]
        assert [step["tools/failure_frequency"] for step in steps] == [0.0, 0.0]
        assert len(factory._envs) == 4
        assert all([str(turn.action) for turn in env.history] == [gold, "submit"] for env in factory._envs)


# Rollouts by our own agents


def test_rollouts_keep_the_engines_tokens_and_train(tmp_path: Path, tokenizer: Any) -> None:
    """Random text: no two rewards need differ, so a second reward (length) makes something to learn."""
    model = tiny_model(tokenizer)
    seen: list[dict[str, Any]] = []
    with rollout_func("starter", turns=2, scoring="exact") as rollouts:

        def watched(prompts: list[Any], trainer: Any) -> dict[str, Any]:
            seen.append(rollouts(prompts, trainer))
            return seen[-1]

        def length(completion_ids: list[list[int]], **columns: Any) -> list[float]:
            return [float(sum(ids)) for ids in completion_ids]

        trainer = GRPOTrainer(
            model=model,
            args=config(tmp_path, max_completion_length=60),
            train_dataset=to_hf_dataset("starter", tasks=first_tasks()),
            processing_class=tokenizer,
            rollout_func=watched,
            reward_funcs=[rollouts.reward, length],
        )
        before = weights(model)
        trainer.train()
    assert any(not torch.equal(one, other) for one, other in zip(before, weights(model), strict=True))
    assert len(seen) == 2
    for columns in seen:
        rows = zip(columns["completion_ids"], columns["logprobs"], columns["env_mask"], strict=True)
        for ids, logprobs, mask in rows:
            assert 0 < len(ids) == len(logprobs) == len(mask) <= 60
            assert mask[0] == 1
            assert all(told < 0.0 for told, own in zip(logprobs, mask, strict=True) if own)
        assert columns["env_reward"] == [0.0] * 4


def test_log_probabilities_are_those_of_the_tokens_when_they_were_drawn(tmp_path: Path, tokenizer: Any) -> None:
    """Computed again from the sequence as a whole, they are the same."""
    model = tiny_model(tokenizer)
    with rollout_func("starter", turns=2) as rollouts:
        trainer = GRPOTrainer(
            model=model,
            args=config(tmp_path, max_completion_length=1000),
            train_dataset=(rows := to_hf_dataset("starter", tasks=first_tasks(1))),
            processing_class=tokenizer,
            rollout_func=rollouts,
            reward_funcs=rollouts.reward,
        )
        trainer.generation_config.max_new_tokens = 20
        columns = rollouts([rows[0]["prompt"]] * 2, trainer)
    for number in range(2):
        prompt, ids = columns["prompt_ids"][number], columns["completion_ids"][number]
        with torch.no_grad():
            logits = model(torch.tensor([prompt + ids])).logits[0, len(prompt) - 1 : -1]
        again = torch.log_softmax(logits.float(), -1)[range(len(ids)), ids]
        mask = torch.tensor(columns["env_mask"][number], dtype=torch.bool)
        assert 0 < mask.sum() < len(ids)
        torch.testing.assert_close(again[mask], torch.tensor(columns["logprobs"][number])[mask], atol=1e-4, rtol=1e-3)


def test_a_rollout_that_solves_its_task_is_paid(tmp_path: Path, tokenizer: Any) -> None:
    (task,) = first_tasks(1)
    gold = str(datasets.load("starter").find(task).gold)
    model = tiny_model(tokenizer)
    made_to_say(model, tokenizer, f"Action:\n```bash\n{gold}\n```", "Action: submit")
    with rollout_func("starter", turns=4, scoring="exact") as rollouts:
        trainer = GRPOTrainer(
            model=model,
            args=config(tmp_path),
            train_dataset=(rows := to_hf_dataset("starter", tasks=[task])),
            processing_class=tokenizer,
            rollout_func=rollouts,
            reward_funcs=rollouts.reward,
        )
        columns = rollouts([rows[0]["prompt"]] * 2, trainer)
        assert columns["env_reward"] == [1.0, 1.0]
        written = [[i for i, own in zip(ids, mask, strict=True) if own] for ids, mask in
                   zip(columns["completion_ids"], columns["env_mask"], strict=True)]  # fmt: skip
        said = tokenizer.decode(written[0])
        assert said == f"Action:\n```bash\n{gold}\n```<|im_end|>Action: submit<|im_end|>"


def test_episodes_are_played_without_a_trainer(tokenizer: Any) -> None:
    task = datasets.load("starter").find(first_tasks(1)[0])
    said = [f"Action:\n```bash\n{task.gold}\n```<|im_end|>", "Action: submit<|im_end|>"]
    asked: list[int] = []

    def generate(prompts: list[list[int]]) -> list[tuple[list[int], list[float]]]:
        answer = tokenizer(said[len(asked)], add_special_tokens=False)["input_ids"]
        asked.append(len(prompts))
        return [(answer, []) for _ in prompts]

    with rollout_func("starter", turns=4, scoring="exact") as rollouts:
        episodes = rollouts.play([task, task, task], generate, tokenizer)
    assert [episode.value("exact") for episode in episodes] == [1.0] * 3
    assert [str(turn.action) for turn in episodes[0].turns] == [task.gold, "submit"]
    assert asked == [3, 3]  # all that wait are answered at once


def test_an_environment_that_cannot_be_made_ends_all_episodes_at_once(
    tokenizer: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = datasets.load("starter").find(first_tasks(1)[0])

    def generate(prompts: list[list[int]]) -> list[tuple[list[int], list[float]]]:
        return [(tokenizer("Action: submit<|im_end|>")["input_ids"], []) for _ in prompts]

    def fails() -> None:
        raise SandboxError("no room for another session")

    with rollout_func("starter", turns=2) as rollouts:
        monkeypatch.setattr(rollouts, "make", fails)
        with pytest.raises(SandboxError, match="no room"):
            rollouts.play([task, task], generate, tokenizer)


def test_the_tokens_of_a_conversation_are_those_of_the_template(tokenizer: Any) -> None:
    """Where the answer is what the tokenizer would make of it, going on is the same as rendering all of it anew."""
    from trl.chat_template_utils import get_training_chat_template

    template = {"chat_template": get_training_chat_template(tokenizer)}
    answer = tokenizer("<think>\n\n</think>\n\none<|im_end|>", add_special_tokens=False)["input_ids"]
    asked: list[list[int]] = []

    def ask(ids: list[int]) -> tuple[list[int], list[float]]:
        asked.append(ids)
        return answer, [-1.0] * len(answer)

    model = EngineModel(ask, tokenizer, longest=10_000, template=template)
    messages = [Message("system", "s"), Message("user", "u")]
    model.complete(messages)
    longer = [*messages, Message("assistant", "one"), Message("user", "again")]
    model.complete(longer)
    plain = [{"role": each.role, "content": each.text} for each in longer]
    assert asked[1] == tokenizer.apply_chat_template(
        plain, add_generation_prompt=True, tokenize=True, return_dict=False, **template
    )
    assert asked[1][: len(asked[0]) + len(answer)] == asked[0] + answer
    model = EngineModel(ask, tokenizer, longest=10_000, template={})  # this one drops thoughts of earlier answers
    model.complete(messages)
    model.complete(longer)
    between = "\n<|im_start|>user\nagain<|im_end|>\n<|im_start|>assistant\n"
    assert asked[3] == asked[2] + answer + tokenizer(between, add_special_tokens=False)["input_ids"]


def test_a_prompt_that_is_no_tasks_is_refused(tokenizer: Any) -> None:
    class Trainer:
        class accelerator:
            num_processes = 1

    with rollout_func("starter") as rollouts, pytest.raises(UserError, match="to_hf_dataset"):
        rollouts([[{"role": "user", "content": "Sing."}]], Trainer())
