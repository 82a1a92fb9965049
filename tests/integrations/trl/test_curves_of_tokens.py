"""The policy of `examples/learning_curve` that writes its commands: it needs torch, which this environment has."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import torch

ROOT = Path(__file__).parents[3]
sys.path.insert(0, str(ROOT))

from examples.learning_curve.results import success  # noqa: E402
from examples.learning_curve.templates import read  # noqa: E402
from examples.learning_curve.tokens import Plan, run  # noqa: E402
from examples.learning_curve.writer import END, Episode, Vocabulary, Writer, pieces  # noqa: E402

COMMANDS = ["sed -i 's/^<W1> = .*/<W1> = <N1>/' <P1>", "comm -23 <(sort <P1>) <(sort <P2>)", "submit"]


def test_the_pieces_of_a_command_are_the_command() -> None:
    for command in COMMANDS:
        assert "".join(pieces(command)) == command
    assert pieces("cp <P1> x") == ["cp", " <P1>", " x"]


def test_what_a_command_shows_is_read_as_words_and_slots() -> None:
    request = read("Copy `/a/b` to `/a/c`.")
    vocabulary = Vocabulary([request.words, ["cp"]])
    episode = Episode.of(request, vocabulary)
    episode.act(vocabulary.encode(["cp"]))
    before = len(episode.tokens)
    episode.observe("cp: cannot stat '/a/b': No such file", request, vocabulary)
    seen = vocabulary.encode(["cp", "cannot", "stat", "<P1>", "no", "such", "file"])
    assert episode.tokens[before + 1 : -1] == seen
    assert episode.wrote[before - 2 :] == [True, True] + [False] * (len(seen) + 2)


def test_writing_goes_on_from_the_cache_as_reading_from_the_start_would() -> None:
    """Rows of different lengths, so that padding is seen to change nothing."""
    torch.manual_seed(0)
    vocabulary = Vocabulary([["a", "b", "c", "d"]])
    model = Writer(len(vocabulary), width=16, layers=2, heads=2)
    model.head.bias.data[END] = -100.0  # so that it goes on
    rows = [vocabulary.encode("abcd"), vocabulary.encode("b"), vocabulary.encode("dca")]
    for row, written in zip(rows, model.write(rows, None), strict=True):
        for place in range(8):
            read_so_far = torch.tensor([[*row, *written[:place]]])
            logits = model(read_so_far, torch.ones_like(read_so_far, dtype=torch.bool))[0][0, -1]
            logits[:END] = -torch.inf
            assert int(logits.argmax()) == written[place]


def test_it_learns_demonstrations_by_heart_and_all_arms_begin_alike(tmp_path: Path) -> None:
    plan = Plan(
        arms=("exact", "random", "frozen", "demonstrations"),
        seeds=(0,),
        train=200,
        held_out=200,
        splits=("train",),
        corpus="golds",
        demonstrations=4,
        warm_steps=40,
        steps=2,
        tasks=2,
        group=4,
        every=2,
    )
    *_, found = run(plan, episodes=tmp_path / "episodes.jsonl")
    by_arm = {arm: success(found, arm, "train")[0] for arm in plan.arms}
    assert all((rows[0] == by_arm["frozen"][0]).all() for rows in by_arm.values())
    assert by_arm["frozen"][0, :4].mean() >= 0.5
    assert (by_arm["frozen"][0] == by_arm["frozen"][1]).all()
    assert [curve["episodes"] for curve in found["curves"]] == [[0, 16]] * 4
    assert list(run(plan, before=json.loads(json.dumps(found)))) == []  # nothing is left to run


def test_a_corpus_of_attempts_has_near_misses_of_which_rewards_must_tell_the_gold(tmp_path: Path) -> None:
    """So the policy begins by writing right and wrong commands; a few steps of `exact` make more of them right."""
    plan = Plan(
        arms=("exact",),
        seeds=(0,),
        train=120,
        held_out=120,
        splits=("train",),
        warm_steps=60,
        steps=8,
        tasks=2,
        every=8,
    )
    *_, found = run(plan, episodes=tmp_path / "episodes.jsonl")
    earned = found["earned"]["exact 0"]
    assert len(found["tasks"]["train"]) >= 2
    assert sum(earned[-3:]) > sum(earned[:3])
