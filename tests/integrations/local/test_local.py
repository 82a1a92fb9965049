"""Real weights that a package has, run by llama.cpp: asked alone, in a run, and after a run was killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from intercode import models
from intercode.errors import ContextOverflowError
from intercode.models.base import Model
from intercode.models.local import weights
from intercode.runs import store
from intercode.types.conversation import Message, Tool

SMOLLM = "local:smollm2-135m"
PROGRAM = str(Path(sys.executable).with_name("intercode"))
RUN = ["run", "--model", SMOLLM, "--tasks", "count-january,list-confs", "--turns", "2", "--parallel", "2"]
BOUND = ["--model-option", "max_tokens=24"]


def ask(model: Model, text: str) -> str:
    return model.complete([Message("user", text)], seed=1).text


def children(pid: int) -> set[int]:
    """Return the processes whose parent is *pid*, and theirs."""
    parents = {}
    for each in Path("/proc").glob("[0-9]*/stat"):
        try:
            parents[int(each.parent.name)] = int(each.read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
    found, more = set[int](), {pid}
    while more:
        more = {child for child, parent in parents.items() if parent in more} - found
        found |= more
    return found


def is_server(pid: int) -> bool:
    try:
        words = Path(f"/proc/{pid}/cmdline").read_text().split("\0")
        return words[0] == sys.executable and any(word.endswith("models/local/serve.py") for word in words)
    except OSError:
        return False


def test_it_answers_several_at_once_in_its_chat_template() -> None:
    options = {"max_tokens": "12", "temperature": "0", "slots": "2", "context": "512"}
    with models.load(SMOLLM, options=options) as model, ThreadPoolExecutor(4) as threads:
        reply = model.complete([Message("user", "What is there?")], seed=1)
        assert reply.usage.prompt_tokens > 25, "its template has words of its own"
        assert len(list(threads.map(lambda _: ask(model, "What is the capital of Italy?"), range(4)))) == 4
        with pytest.raises(ContextOverflowError):
            ask(model, "word " * 600)
        assert len(str(model.versions)) > 64


def test_a_base_model_goes_on_with_a_plain_form(tmp_path: Path) -> None:
    data = weights.find(SMOLLM.partition(":")[2]).path.read_bytes()
    base = tmp_path / "base.gguf"
    base.write_bytes(data.replace(b"tokenizer.chat_template", b"tokenizer.no__template_", 1))
    with models.load(f"local:{base}", options={"max_tokens": "40", "context": "512"}) as model:
        reply = model.complete([Message("user", "Name a colour.")], seed=1)
    assert reply.text
    assert "User:" not in reply.text
    assert "<|im_" not in reply.text
    assert 5 < reply.usage.prompt_tokens < 15


def test_functions_can_be_offered() -> None:
    tool = Tool("look", "Look at a file.", {"type": "object", "properties": {"file": {"type": "string"}}})
    with models.load(SMOLLM, options={"max_tokens": "16", "context": "1024"}) as model:
        assert model.complete([Message("user", "Look at a.txt")], tools=[tool], seed=1).usage.completion_tokens


def test_a_run_is_played_and_leaves_no_server(tmp_path: Path) -> None:
    run = subprocess.Popen([PROGRAM, *RUN, *BOUND, "--out", str(tmp_path / "run")])
    servers = set[int]()
    while run.poll() is None:
        servers |= {pid for pid in children(run.pid) if is_server(pid)}
        time.sleep(0.02)
    assert run.returncode == 0
    assert len(servers) == 1
    assert not any(is_server(pid) for pid in servers)
    stored = store.read(tmp_path / "run")
    assert {episode.status for episode in stored.episodes} <= {"truncated", "submitted"}
    assert all(episode.usage.completion_tokens and episode.usage.cost == 0 for episode in stored.episodes)
    assert any(name.startswith("weights SmolLM2") for name in stored.manifest.machine)


def test_a_killed_run_leaves_no_server(tmp_path: Path) -> None:
    run = subprocess.Popen([PROGRAM, *RUN, "--out", str(tmp_path / "run")])
    deadline = time.monotonic() + 120
    while not (servers := {pid for pid in children(run.pid) if is_server(pid)}):
        assert run.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.02)
    os.kill(run.pid, signal.SIGKILL)
    run.wait()
    while any(is_server(pid) for pid in servers):
        assert time.monotonic() < deadline, "the server still runs"
        time.sleep(0.05)
