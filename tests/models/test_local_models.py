"""Random weights that Transformers runs in this process, by its own name and as a folder of local weights.

What they need is large, and not installed with the tests: `uv pip install --group local-models` brings it.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest
import tiny_weights
from toy_world import toy_job

from intercode import models
from intercode.agents.react import ReactAgent
from intercode.errors import ContextOverflowError
from intercode.models.base import Model
from intercode.runs import store
from intercode.runs.budget import Budget, MeteredModel
from intercode.runs.runner import Runner
from intercode.runs.store import RunStore
from intercode.types.conversation import Message

ASK = (Message("system", "You help."), Message("user", "What is there?"))
INSTALL = "not installed: uv pip install --group local-models"

without_transformers = pytest.mark.skipif(
    find_spec("transformers") is None or find_spec("torch") is None, reason=f"Transformers or PyTorch is {INSTALL}"
)


def play(model: Model, folder: Path) -> store.StoredRun:
    """Toy episodes with that model: it talks nonsense, which harms nobody."""
    job = toy_job(size=2, make_agent=lambda: ReactAgent(model=MeteredModel(model, Budget())), turns=3)
    with RunStore.create(folder, job.manifest) as opened:
        Runner(job, opened, 2).run()
    return store.read(folder)


@without_transformers
def test_weights_answer_in_process_with_their_tokens(tmp_path: Path) -> None:
    weights = tiny_weights.for_transformers(tmp_path)
    model = models.load(f"transformers:{weights}", logprobs=True, options={"max_tokens": "12", "temperature": "1"})
    reply, again, other = (model.complete(ASK, seed=seed) for seed in (1, 1, 2))
    assert reply.text == again.text != other.text
    assert reply.tokens is not None
    assert len(reply.tokens.ids) == len(reply.tokens.logprobs) == reply.usage.completion_tokens <= 12
    assert len(reply.tokens.prompt_ids) == reply.usage.prompt_tokens
    assert all(chance < 0 for chance in reply.tokens.logprobs)
    assert reply.usage.cost == 0


@without_transformers
def test_weights_say_when_a_conversation_is_too_long_for_them(tmp_path: Path) -> None:
    model = models.load(f"transformers:{tiny_weights.for_transformers(tmp_path, room=64)}", options={"max_tokens": "8"})
    with pytest.raises(ContextOverflowError, match="64 tokens"):
        model.complete([Message("user", "x" * 100)])


@without_transformers
def test_a_folder_is_run_as_local_weights(tmp_path: Path) -> None:
    options = {"max_tokens": "12", "temperature": "1"}
    folder = tiny_weights.for_transformers(tmp_path)
    with models.load(f"local:{folder}", options=options) as model:
        found = model.complete(ASK, seed=1).text
        assert "torch" in model.versions
    with models.load(f"transformers:{folder}", options=options) as model:
        assert found == model.complete(ASK, seed=1).text


@without_transformers
def test_episodes_with_local_weights_end_and_are_scored(tmp_path: Path) -> None:
    weights = tiny_weights.for_transformers(tmp_path / "weights")
    run = play(models.load(f"transformers:{weights}", options={"max_tokens": "8"}), tmp_path / "run")
    assert {episode.status for episode in run.episodes} <= {"truncated", "submitted"}
    assert all(episode.scores and episode.usage.completion_tokens for episode in run.episodes)
