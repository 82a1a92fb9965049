"""Real local models with random weights: llama.cpp's own server, and Transformers in this process.

What they need is large, and not installed with the tests: `uv pip install --group local-models` brings it.
"""

from __future__ import annotations

import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
import tiny_weights
from toy_world import toy_job

from intercode import models
from intercode.agents.react import ReactAgent
from intercode.conversation import Message
from intercode.errors import ContextOverflowError
from intercode.models.base import Model
from intercode.runs import store
from intercode.runs.budget import Budget, MeteredModel
from intercode.runs.runner import Runner
from intercode.runs.store import RunStore

ASK = (Message("system", "You help."), Message("user", "What is there?"))
INSTALL = "not installed: uv pip install --group local-models"

without_llama_cpp = pytest.mark.skipif(
    find_spec("llama_cpp") is None or find_spec("gguf") is None, reason=f"llama-cpp-python or gguf is {INSTALL}"
)
without_transformers = pytest.mark.skipif(
    find_spec("transformers") is None or find_spec("torch") is None, reason=f"Transformers or PyTorch is {INSTALL}"
)


@pytest.fixture(scope="module")
def llama_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of llama.cpp's OpenAI-compatible server."""
    folder = tmp_path_factory.mktemp("llama")
    weights = tiny_weights.for_llama_cpp(folder / "tiny.gguf")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    options = {
        "model": weights,
        "port": port,
        "n_ctx": 4096,
        "chat_format": "chatml",
        "n_threads": 1,
        "logits_all": True,
    }
    words = [str(word) for name, value in options.items() for word in (f"--{name}", value)]
    log = (folder / "log").open("wb")
    with log, subprocess.Popen([sys.executable, "-m", "llama_cpp.server", *words], stdout=log, stderr=log) as process:
        try:
            yield _answering(f"http://127.0.0.1:{port}/v1", process, folder / "log")
        finally:
            process.kill()


def _answering(url: str, process: subprocess.Popen[bytes], log: Path) -> str:
    for _ in range(600):
        assert process.poll() is None, log.read_text()
        try:
            urllib.request.urlopen(f"{url}/models", timeout=1).close()
        except OSError:
            time.sleep(0.1)
        else:
            return url
    raise AssertionError(log.read_text())


def play(model: Model, folder: Path) -> store.StoredRun:
    """Toy episodes with that model: it talks nonsense, which harms nobody."""
    job = toy_job(size=2, make_agent=lambda: ReactAgent(model=MeteredModel(model, Budget())), turns=3)
    with RunStore.create(folder, job.manifest) as opened:
        Runner(job, opened, 2).run()
    return store.read(folder)


@without_llama_cpp
def test_llama_cpps_server_answers(llama_server: str) -> None:
    with models.load("tiny", base_url=llama_server, options={"max_tokens": "8", "temperature": "0"}) as model:
        reply, again = model.complete(ASK, seed=1), model.complete(ASK, seed=1)
    assert reply.finish_reason in ("length", "stop")
    assert reply.usage.prompt_tokens > 20
    assert 0 < reply.usage.completion_tokens <= 8
    assert reply.text == again.text


@without_llama_cpp
def test_llama_cpps_server_tells_when_a_conversation_is_too_long(llama_server: str) -> None:
    with (
        models.load("tiny", base_url=llama_server, options={"max_tokens": "8"}) as model,
        pytest.raises(ContextOverflowError),
    ):
        model.complete([Message("user", "x" * 9000)])


@without_llama_cpp
def test_episodes_with_llama_cpps_server_end_and_are_scored(llama_server: str, tmp_path: Path) -> None:
    with models.load("tiny", base_url=llama_server, options={"max_tokens": "16"}) as model:
        run = play(model, tmp_path / "run")
    assert {episode.status for episode in run.episodes} <= {"truncated", "submitted"}
    assert all(episode.scores and episode.usage.completion_tokens for episode in run.episodes)


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
def test_episodes_with_local_weights_end_and_are_scored(tmp_path: Path) -> None:
    weights = tiny_weights.for_transformers(tmp_path / "weights")
    run = play(models.load(f"transformers:{weights}", options={"max_tokens": "8"}), tmp_path / "run")
    assert {episode.status for episode in run.episodes} <= {"truncated", "submitted"}
    assert all(episode.scores and episode.usage.completion_tokens for episode in run.episodes)
