"""The language model of `examples/learning_curve`: a tiny random one in its place, on the processor and offline."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from tiny_model import tiny_model, tiny_tokenizer
from transformers import GenerationConfig

ROOT = Path(__file__).parents[3]
sys.path.insert(0, str(ROOT))

from examples.learning_curve.chat import ChatPlayer, tokens_of  # noqa: E402
from examples.learning_curve.grpo import advantages, of_turns  # noqa: E402
from examples.learning_curve.language_model import run  # noqa: E402
from examples.learning_curve.learner import Learner  # noqa: E402
from examples.learning_curve.plan import Plan  # noqa: E402
from examples.learning_curve.results import success, table  # noqa: E402
from examples.learning_curve.row_generation import RowGenerator  # noqa: E402
from examples.learning_curve.runner import WrongPlanError, join  # noqa: E402
from examples.learning_curve.slices import Slice, SliceOverError  # noqa: E402
from examples.learning_curve.tasks import load_chat_tasks  # noqa: E402

from intercode.types import Task  # noqa: E402

pytestmark = pytest.mark.filterwarnings("default")  # the libraries' own


@pytest.fixture(scope="module")
def plan(tmp_path_factory: pytest.TempPathFactory) -> Plan:
    folder = tmp_path_factory.mktemp("tiny")
    tokenizer = tiny_tokenizer()
    tokenizer.save_pretrained(folder)
    model = tiny_model(tokenizer)
    model.generation_config = GenerationConfig(do_sample=True, top_k=1, repetition_penalty=3.0)  # to be overruled
    model.save_pretrained(folder)
    return Plan(
        model=str(folder),
        agent="react",
        seeds=(0,),
        topics=("archives",),
        train=200,
        held_out=60,
        splits=("test-parameters",),
        longest=12,
        demonstrations=2,
        warm_steps=1,
        warm_rate=1e-2,
        warm_every=1,
        warm_golds=2,
        steps=1,
        tasks=2,
        group=2,
        rate=1e-2,
        every=1,
        batch=3,
    )


@pytest.fixture(scope="module")
def played(plan: Plan) -> Iterator[tuple[ChatPlayer, dict[str, list[Task]]]]:
    datasets, tasks = load_chat_tasks(plan.train, plan.held_out, plan.splits, plan.topics)
    with ChatPlayer(datasets, turns=plan.turns, at_once=4) as player:
        yield player, tasks


def likelihood(learner: Learner, episode: Any) -> float:
    ids, turns = tokens_of(episode)
    with torch.no_grad():
        logs = learner.model(torch.tensor([ids])).logits[0, :-1].log_softmax(-1)
    own = torch.tensor(turns[1:]) > 0
    return float(logs[torch.arange(len(ids) - 1), torch.tensor(ids[1:])][own].sum())


def test_a_demonstration_is_an_episode_of_the_gold_and_succeeds(
    played: tuple[ChatPlayer, dict[str, list[Task]]],
) -> None:
    player, tasks = played
    tokenizer, task = tiny_tokenizer(), tasks["train"][0]
    episode = player.demonstrate(task, tokenizer)
    assert episode.success("exact")
    assert episode.status == "submitted"
    assert sum(turn.reward for turn in episode.turns) == pytest.approx(1.0)
    ids, turns = tokens_of(episode)
    last = max(turns)
    assert last == len(episode.turns)
    written = [
        tokenizer.decode([each for each, turn in zip(ids, turns, strict=True) if turn == number])
        for number in range(1, last + 1)
    ]
    assert str(task.gold) in written[-2]
    assert written[-1].endswith("Action: submit<|im_end|>")
    shown = tokenizer.decode([each for each, turn in zip(ids, turns, strict=True) if not turn])
    assert task.query in shown
    assert str(task.gold) not in shown
    assert "Observation: " in shown


def test_a_small_model_is_shown_code_alone(plan: Plan) -> None:
    datasets, tasks = load_chat_tasks(plan.train, plan.held_out, plan.splits, plan.topics)
    tokenizer, task = tiny_tokenizer(), tasks["train"][0]
    with ChatPlayer(datasets, turns=plan.turns, at_once=4, agent="compact") as player:
        ids, turns = tokens_of(player.demonstrate(task, tokenizer))
    last = [each for each, turn in zip(ids, turns, strict=True) if turn == max(turns)]
    assert tokenizer.decode(last) == "submit<|im_end|>"


def test_an_update_makes_likelier_what_earned_more(
    plan: Plan, played: tuple[ChatPlayer, dict[str, list[Task]]]
) -> None:
    player, tasks = played
    learner = Learner(player, tasks, replace(plan, rate=1e-3), 0, "cpu")
    learner._begin(1e-3)
    good, bad = (player.demonstrate(task, learner.tokenizer) for task in tasks["train"][:2])
    before = likelihood(learner, good) - likelihood(learner, bad)
    learner.learn([good, bad], torch.tensor([[1.0] * plan.turns, [-1.0] * plan.turns]))
    assert likelihood(learner, good) - likelihood(learner, bad) > before


def test_arms_in_processes_of_their_own_begin_alike_and_are_joined(plan: Plan, tmp_path: Path) -> None:
    """As with `--start` and `--join`: the second is the first that does not learn from the demonstrations itself."""
    parts = [list(run(replace(plan, arms=(arm,)), slice_=Slice(tmp_path)))[-1] for arm in ("exact", "frozen")]
    kept = (tmp_path / "seed-0.safetensors").stat().st_mtime_ns
    joined = join(parts)
    assert joined["plan"]["arms"] == ["exact", "frozen"]
    assert [curve["arm"] for curve in joined["curves"]] == ["exact", "frozen"]
    assert set(joined["earned"]) == {"exact 0", "frozen 0"}
    exact, frozen = (success(joined, arm, "test-parameters")[0] for arm in ("exact", "frozen"))
    assert (exact[0] == frozen[0]).all()
    list(run(replace(plan, arms=("paper",)), slice_=Slice(tmp_path)))
    assert (tmp_path / "seed-0.safetensors").stat().st_mtime_ns == kept
    with pytest.raises(WrongPlanError, match=r"seed-0\.safetensors was made by another plan"):
        list(run(replace(plan, arms=("paper",), warm_rate=1e-3), slice_=Slice(tmp_path)))
    assert {path.name for path in tmp_path.iterdir()} == {"seed-0.safetensors", "seed-0.success"}
    with pytest.raises(WrongPlanError, match="the same curve"):
        join([parts[0], parts[0]])
    with pytest.raises(WrongPlanError, match="differ in more"):
        join([parts[0], {**parts[1], "plan": {**parts[1]["plan"], "rate": 0.5}}])


def test_a_turn_counts_by_what_comes_after_it() -> None:
    rewards = torch.tensor([[0.25, 0.75, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 1.0], [torch.nan] * 3])
    found = advantages(rewards, 2)
    assert found[:2].tolist() == [[0.5, 0.375, 0.0], [-0.5, -0.375, 0.0]]
    assert found[2:].tolist() == [[0.0] * 3] * 2  # the machine failed at the other one: nothing to compare with


def test_each_token_has_what_its_turn_counts() -> None:
    values = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    wrote = torch.tensor([[0, 1, 1, 0, 1], [0, 0, 1, 0, 0]]).bool()
    assert (of_turns(values, wrote) * wrote).tolist() == [[0, 1, 1, 0, 2], [0, 0, 3, 0, 0]]


def test_all_arms_run_end_to_end_and_begin_alike(plan: Plan, tmp_path: Path) -> None:
    *_, found = run(plan)
    assert [curve["arm"] for curve in found["curves"]] == list(plan.arms)
    assert [curve["episodes"] for curve in found["curves"]] == [[2], *[[0, 4]] * (len(plan.arms) - 1)]
    rows = {arm: success(found, arm, "test-parameters")[0] for arm in plan.arms}
    first = rows.pop("start")[-1]
    assert all(len(row) == 2 and (row[0] == first).all() for row in rows.values())
    assert set(found["earned"]) == {f"{arm} 0" for arm in plan.arms}
    assert [len(found["earned"][f"{arm} 0"]) for arm in plan.arms] == [0, 1, 1, 1, 1, 0, 0]
    assert found["device"] == "cpu"
    assert "`exact` less `paper`" in table(found)
    assert list(run(plan, before=json.loads(json.dumps(found)))) == []  # nothing is left to run


def test_a_run_that_is_cut_after_each_step_ends_as_one_that_is_not(plan: Plan, tmp_path: Path) -> None:
    plan = replace(plan, arms=("exact",), steps=3, warm_steps=2)
    whole, folder = tmp_path / "whole", tmp_path / "cut"
    for each in (whole, folder):
        each.mkdir()
    *_, expected = run(plan, slice_=Slice(whole))
    cut = 0
    while True:
        try:
            *_, found = run(plan, slice_=Slice(folder, seconds=0))
            break
        except SliceOverError:
            cut += 1
    assert cut == 3  # after the first step of the demonstrations, and after two of the arm
    assert (found["curves"], found["earned"]) == (expected["curves"], expected["earned"])
    kept = [(each / "seed-0.safetensors").read_bytes() for each in (whole, folder)]
    assert kept[0] == kept[1]
    assert {path.name for path in folder.iterdir()} == {"seed-0.safetensors", "seed-0.success"}


def test_rows_are_written_as_transformers_writes_them(plan: Plan) -> None:
    tokenizer = tiny_tokenizer()
    model = tiny_model(tokenizer).to(torch.bfloat16).eval()
    texts = ["one", "one", "a longer text than the others", "two words"]
    prompts = [tokenizer(text)["input_ids"] for text in texts]
    writer = RowGenerator(model, pad=tokenizer.eos_token_id, ends={tokenizer.eos_token_id})
    written = writer.write(prompts, 12, greedy=True)
    plain = GenerationConfig(
        do_sample=False, max_new_tokens=12, eos_token_id=tokenizer.eos_token_id, pad_token_id=tokenizer.eos_token_id
    )
    for prompt, (ids, _) in zip(prompts, written, strict=True):
        whole = model.generate(input_ids=torch.tensor([prompt]), generation_config=plain)[0].tolist()
        assert whole[len(prompt) :] == ids
