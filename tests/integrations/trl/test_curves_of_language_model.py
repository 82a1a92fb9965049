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
from examples.learning_curve.language_model import Learner, Plan, run  # noqa: E402
from examples.learning_curve.results import success, table  # noqa: E402
from examples.learning_curve.runner import WrongPlanError, join  # noqa: E402
from examples.learning_curve.tasks import load_tasks  # noqa: E402

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
        seeds=(0,),
        topics=("archives",),
        train=200,
        held_out=60,
        splits=("test-parameters",),
        longest=12,
        demonstrations=2,
        warm_steps=1,
        warm_rate=1e-2,
        steps=1,
        tasks=2,
        group=2,
        rate=1e-2,
        every=1,
        batch=3,
    )


@pytest.fixture(scope="module")
def played(plan: Plan) -> Iterator[tuple[ChatPlayer, dict[str, list[Task]]]]:
    datasets, tasks, _ = load_tasks(plan.train, plan.held_out, plan.splits, plan.topics)
    with ChatPlayer(dict(zip(tasks, datasets, strict=True)), turns=plan.turns, at_once=4) as player:
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
    parts = [list(run(replace(plan, arms=(arm,)), start=tmp_path))[-1] for arm in ("exact", "frozen")]
    kept = (tmp_path / "seed-0.safetensors").stat().st_mtime_ns
    joined = join(parts)
    assert joined["plan"]["arms"] == ["exact", "frozen"]
    assert [curve["arm"] for curve in joined["curves"]] == ["exact", "frozen"]
    assert set(joined["earned"]) == {"exact 0", "frozen 0"}
    exact, frozen = (success(joined, arm, "test-parameters")[0] for arm in ("exact", "frozen"))
    assert (exact[0] == frozen[0]).all()
    list(run(replace(plan, arms=("paper",)), start=tmp_path))
    assert (tmp_path / "seed-0.safetensors").stat().st_mtime_ns == kept
    with pytest.raises(WrongPlanError, match=r"seed-0\.safetensors was made by another plan"):
        list(run(replace(plan, arms=("paper",), warm_rate=1e-3), start=tmp_path))
    assert [path.name for path in tmp_path.iterdir()] == ["seed-0.safetensors"]
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
    assert all(curve["episodes"] == [0, 4] for curve in found["curves"])
    rows = {arm: success(found, arm, "test-parameters")[0] for arm in plan.arms}
    assert all(len(row) == 2 and (row[0] == rows["frozen"][0]).all() for row in rows.values())
    assert set(found["earned"]) == {f"{arm} 0" for arm in plan.arms}
    assert [len(found["earned"][f"{arm} 0"]) for arm in plan.arms] == [1, 1, 1, 1, 0, 0]
    assert found["device"] == "cpu"
    assert "`exact` less `paper`" in table(found)
    assert list(run(plan, before=json.loads(json.dumps(found)))) == []  # nothing is left to run
