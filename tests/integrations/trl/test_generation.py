"""The generator of `examples/learning_curve`, beside transformers' own `generate`."""

from __future__ import annotations

import copy
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import torch
from tiny_model import tiny_model, tiny_tokenizer
from transformers import GenerationConfig

ROOT = Path(__file__).parents[3]
sys.path.insert(0, str(ROOT))

from examples.learning_curve.generation import Generator  # noqa: E402

from intercode.integrations.trl.engine import Answer, by_model  # noqa: E402

pytestmark = pytest.mark.filterwarnings("default")  # the libraries' own

DEVICES = ["cpu", pytest.param("cuda", marks=pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU here"))]
TEXTS = ["ls -la", "echo hello world", "c", "cat a b c d e f g h i j k l m n o p q r s t u v w x y z"]


@pytest.fixture(scope="module", params=DEVICES)
def model(request: pytest.FixtureRequest) -> Any:
    """One whose likeliest tokens are not the same one again and again."""
    made = tiny_model(tiny_tokenizer(), seed=3)
    with torch.no_grad():
        for each in made.parameters():
            each.mul_(8.0)
    return made.to(request.param).eval()


@pytest.fixture
def generator(model: Any) -> Generator:
    tokenizer = tiny_tokenizer()
    return Generator(model, pad=tokenizer.pad_token_id, ends={tokenizer.eos_token_id})


def prompts() -> list[list[int]]:
    tokenizer = tiny_tokenizer()
    return [tokenizer(text, add_special_tokens=False)["input_ids"] for text in TEXTS]


def as_computed(model: Any) -> Any:
    """*model* in the precision that a generator computes in."""
    return copy.deepcopy(model).to(torch.bfloat16) if model.device.type == "cuda" else model


def by_transformers(model: Any, *, ends: int, longest: int) -> list[Answer]:
    pad = tiny_tokenizer().pad_token_id
    model = as_computed(model)
    config = GenerationConfig(max_new_tokens=longest, eos_token_id=ends, pad_token_id=pad, do_sample=False)
    return by_model(model, prompts(), pad=pad, ends={ends}, config=config, logprobs=False)


def test_the_likeliest_tokens_are_those_of_transformers(model: Any, generator: Generator) -> None:
    own = generator.write(prompts(), 40, greedy=True)
    assert own == by_transformers(model, ends=tiny_tokenizer().eos_token_id, longest=40)
    assert len({tuple(ids) for ids, _ in own}) == len(TEXTS)
    assert max(len(set(ids)) for ids, _ in own) > 3


def test_an_answer_ends_with_the_first_token_that_ends_it(model: Any, generator: Generator) -> None:
    (first, _), *_ = generator.write(prompts(), 40, greedy=True)
    end = first[len(first) // 2]
    ended = Generator(model, pad=tiny_tokenizer().pad_token_id, ends={end}).write(prompts(), 40, greedy=True)
    assert ended[0][0] == first[: first.index(end) + 1]
    assert ended == by_transformers(model, ends=end, longest=40)


def test_a_batch_may_be_used_again_and_others_do_not_change_it(generator: Generator) -> None:
    before = generator.write(prompts(), 12, greedy=True)
    generator.write([prompts()[3] * 9], 12, greedy=True)  # a longer one, with a room of its own
    generator.write(prompts()[::-1], 12, greedy=True)
    assert generator.write(prompts(), 12, greedy=True) == before


def test_tokens_are_drawn_by_their_probability(model: Any, generator: Generator) -> None:
    drawn = Counter(ids[0] for ids, _ in generator.write([prompts()[0]] * 4096, 1, greedy=False))
    with torch.no_grad():
        ids = torch.tensor([prompts()[0]], device=model.device)
        chances = as_computed(model)(ids).logits[0, -1].float().softmax(-1).tolist()
    assert max(abs(drawn[token] / 4096 - chance) for token, chance in enumerate(chances)) < 0.04


def test_weights_that_have_changed_are_taken_over_when_asked_for(model: Any, generator: Generator) -> None:
    before = generator.write(prompts(), 12, greedy=True)
    kept = {name: each.clone() for name, each in model.state_dict().items()}
    try:
        with torch.no_grad():
            for each in model.parameters():
                each.add_(torch.randn(each.shape, generator=torch.Generator().manual_seed(0)).to(each))
        assert generator.write(prompts(), 12, greedy=True) == before
        generator.refresh()
        assert generator.write(prompts(), 12, greedy=True) != before
    finally:
        model.load_state_dict(kept)
