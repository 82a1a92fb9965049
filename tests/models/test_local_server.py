"""The server of local weights lives as long as their model. A stand-in for its engine needs no weights."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from intercode import models
from intercode.errors import ModelRefusedError, UserError
from intercode.models.base import Model
from intercode.models.local import weights
from intercode.models.local.server import LocalServer, ServerSettings
from intercode.types.conversation import Message
from intercode_sandbox.util.polling import readable

ENGINE = Path(__file__).with_name("engine")
ASK = [Message("user", "What is there?")]

LIVE = """
import sys
from intercode import models
from intercode.types.conversation import Message
model = models.load("local:" + sys.argv[1])
print(model.complete([Message("user", "?")]).text, flush=True)
sys.stdin.read()
"""


@pytest.fixture
def chat(tmp_path: Path) -> str:
    """The name of a model that has a chat template, and is run by the stand-in."""
    (tmp_path / "chat.gguf").write_bytes(b"GGUF" + weights.TEMPLATE)
    return f"local:{tmp_path / 'chat.gguf'}"


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ENGINE)
    monkeypatch.setenv("PYTHONPATH", str(ENGINE))


def answer(model: Model) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(model.complete(ASK).text)
    return found


@pytest.mark.usefixtures("engine")
def test_a_model_starts_one_server_and_ends_it(chat: str) -> None:
    with models.load(chat, options={"slots": "3", "context": "100"}) as model:
        reply = model.complete(ASK)
        pid = answer(model)["pid"]
        assert json.loads(reply.text)["pid"] == pid != os.getpid()
        assert (reply.model, reply.usage.prompt_tokens, reply.usage.completion_tokens) == ("chat", 300, 3)
        assert reply.usage.cost == 0
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


@pytest.mark.usefixtures("engine")
def test_a_server_ends_with_a_process_that_is_killed(chat: str) -> None:
    command = [sys.executable, "-c", LIVE, chat.removeprefix("local:")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as run:
        assert run.stdout is not None
        server = os.pidfd_open(json.loads(run.stdout.readline())["pid"])
        assert not readable(server, 0)
        run.kill()
    assert readable(server, 20), "the server still runs"
    os.close(server)


@pytest.mark.usefixtures("engine")
def test_a_server_that_was_killed_is_no_reward_of_zero(chat: str) -> None:
    with models.load(chat) as model:
        os.kill(answer(model)["pid"], signal.SIGKILL)
        with pytest.raises(ModelRefusedError, match=r"the server of .*chat.gguf has ended"):
            model.complete(ASK)


@pytest.mark.usefixtures("engine")
def test_others_on_this_machine_are_not_answered(chat: str) -> None:
    with LocalServer(ServerSettings(chat.removeprefix("local:"), "chat", 1, 100, 1)) as server:
        assert server.url.startswith("http://127.0.0.1:")
        question = urllib.request.Request(f"{server.url}/v1/chat/completions", b'{"model": "chat"}')
        with pytest.raises(urllib.error.HTTPError, match="401") as refused:
            urllib.request.urlopen(question)
        refused.value.close()
        words = Path(f"/proc/{server._process.pid}/cmdline").read_text()
        assert server.token not in words


@pytest.mark.usefixtures("engine")
def test_no_proxy_comes_between(chat: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    with models.load(chat) as model:
        assert answer(model)["pid"]


@pytest.mark.usefixtures("engine")
def test_base_models_read_a_plain_form_and_end_before_the_user_speaks(tmp_path: Path, chat: str) -> None:
    (tmp_path / "base.gguf").write_bytes(b"GGUF")
    with models.load(f"local:{tmp_path / 'base.gguf'}") as model:
        model.defaults.stop = ("\nObservation:",)
        plain = answer(model)
    assert "Assistant:" in plain["template"]
    assert plain["stop"] == ["\nObservation:", "\nUser:"]
    with models.load(chat) as model:
        own = answer(model)
    assert (own["template"], own["stop"]) == ("", None)


@pytest.mark.usefixtures("engine")
def test_weights_that_cannot_be_loaded_are_known_before_a_run(tmp_path: Path) -> None:
    (tmp_path / "bad.gguf").write_bytes(b"GGUF broken")
    with (
        models.load(f"local:{tmp_path / 'bad.gguf'}") as model,
        pytest.raises(UserError, match=r"cannot load the weights in .*bad.gguf: (?s:.*)these weights are broken"),
    ):
        model.check_reachable()


@pytest.mark.usefixtures("engine")
@pytest.mark.parametrize("option", ["slots", "context", "threads"])
def test_options_are_whole_numbers(chat: str, option: str) -> None:
    with pytest.raises(UserError, match=f"the model option {option} is a whole number from 1, not '0'"):
        models.load(chat, options={option: "0"})


@pytest.mark.skipif(find_spec("xllamacpp") is not None, reason="xllamacpp is installed")
def test_a_missing_engine_comes_with_the_command_that_brings_it(chat: str) -> None:
    with pytest.raises(UserError, match=r"is not installed: pip install 'intercode-env\[local\]'"):
        models.load(chat)


def test_no_server_is_named_for_local_weights(chat: str) -> None:
    with pytest.raises(UserError, match="has no server: leave --base-url out"):
        models.load(chat, base_url="http://localhost:1/v1")
