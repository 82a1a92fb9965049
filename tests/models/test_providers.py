"""Models by their providers' names: where they are asked, with which key, at what price."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from openai_server import Server

from intercode import models
from intercode.cli.shared import env_file
from intercode.errors import UserError
from intercode.models.core import prices
from intercode.models.core.providers import BY_LITELLM, PROVIDERS, Provider
from intercode.types.conversation import Message, Usage

KEY = "sk-very-secret-0123456789"
HOSTED = [each for each in PROVIDERS.values() if not each.local]


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of whoever runs the tests are nobody's business; what `.env` sets is gone after a test."""
    monkeypatch.setattr(os, "environ", os.environ.copy())
    for provider in PROVIDERS.values():
        for name in (provider.url_variable, *provider.keys):
            os.environ.pop(name, None)


@pytest.mark.parametrize("provider", HOSTED, ids=lambda each: each.name)
def test_a_provider_is_asked_at_its_own_server_with_its_own_key(provider: Provider) -> None:
    with pytest.raises(UserError, match=f"no key in {provider.keys[0]}"):
        models.load(f"{provider.name}/some/model")
    os.environ[provider.keys[-1]] = KEY
    with models.load(f"{provider.name}/some/model") as model:
        assert (model.name, model.base_url) == ("some/model", provider.url)


@pytest.mark.parametrize(("name", "port"), [("ollama", 11434), ("vllm", 8000), ("sglang", 30000), ("lmstudio", 1234)])
def test_servers_on_this_machine_need_no_key(name: str, port: int) -> None:
    with models.load(f"{name}/org/model:8b") as model:
        assert (model.name, model.base_url) == ("org/model:8b", f"http://localhost:{port}/v1")


@pytest.mark.parametrize("name", ["vllm/org/model", "org/model", "openai/gpt-oss-20b", "anthropic/claude"])
def test_at_a_url_of_ones_own_only_a_local_servers_name_is_left_out(name: str) -> None:
    with models.load(name, base_url="http://localhost:9/v1") as model:
        assert model.name == name.removeprefix("vllm/")
        assert model.base_url == "http://localhost:9/v1"


def test_a_variable_moves_a_provider_and_its_key_goes_there() -> None:
    server = Server(lambda request: {"content": "hi"})
    os.environ.update(OPENROUTER_BASE_URL=server.url, OPENROUTER_API_KEY=KEY)
    try:
        with models.load("openrouter/qwen/qwen3", options={"reasoning_effort": "low"}) as model:
            assert model.complete([Message("user", "?")]).text == "hi"
    finally:
        server.close()
    assert (server.requests[0]["model"], server.requests[0]["reasoning_effort"]) == ("qwen/qwen3", "low")
    assert server.headers[0]["authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize("provider", sorted(BY_LITELLM))
def test_providers_with_a_protocol_of_their_own_are_asked_through_litellm(provider: str) -> None:
    assert models.split(f"{provider}/some-model") == ("litellm", f"{provider}/some-model")


def test_weights_are_called_as_elsewhere() -> None:
    assert models.split("hf/org/weights") == ("transformers", "org/weights")


def test_prices_are_known_without_being_said() -> None:
    os.environ.update(OPENAI_API_KEY=KEY, GEMINI_API_KEY=KEY)
    usage = Usage(1_000_000, 1_000_000, 500_000)
    with models.load("gpt-4o-mini") as model:
        assert model.price.of(usage) == pytest.approx(0.5 * 0.15 + 0.5 * 0.075 + 0.6)
    with models.load("google/gemini-2.5-flash") as model:
        assert model.knows_price
    assert prices.list_price("claude-sonnet-4-5", "anthropic").is_known


@pytest.mark.parametrize(
    ("name", "base_url"), [("openai/no-such-model", ""), ("gpt-4o-mini", "http://localhost:9/v1"), ("vllm/gpt-4o", "")]
)
def test_what_is_not_known_stays_unknown(name: str, base_url: str) -> None:
    """Whoever answers under a name at an address of one's own need not be who has the name in the list."""
    os.environ["OPENAI_API_KEY"] = KEY
    with models.load(name, base_url=base_url) as model:
        assert not model.knows_price
        assert model.price.of(Usage(1, 1)) is None


def test_keys_are_read_from_a_file_where_the_environment_has_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".env").write_text(
        f"OPENAI_API_KEY={KEY}\nGROQ_API_KEY='from-the-file'\nPATH=/nowhere\nANTHROPIC_API_KEY=a\n"
    )
    (tmp_path / "below").mkdir()
    monkeypatch.chdir(tmp_path / "below")
    os.environ["GROQ_API_KEY"] = "from-the-environment"
    path = os.environ["PATH"]
    env_file.load()
    assert (os.environ["OPENAI_API_KEY"], os.environ["ANTHROPIC_API_KEY"]) == (KEY, "a")
    assert os.environ["GROQ_API_KEY"] == "from-the-environment"
    assert os.environ["PATH"] == path


def test_a_file_cannot_send_your_own_key_anywhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".env").write_text(
        "OPENAI_BASE_URL=http://evil/v1\nOPENAI_API_KEY=theirs\nVLLM_BASE_URL=http://evil/v1\n"
    )
    os.environ["OPENAI_API_KEY"] = KEY
    env_file.load()
    assert "OPENAI_BASE_URL" not in os.environ
    assert "VLLM_BASE_URL" not in os.environ
    assert "OPENAI_BASE_URL is left out" in capsys.readouterr().err
    del os.environ["OPENAI_API_KEY"]
    env_file.load()
    assert (os.environ["OPENAI_BASE_URL"], os.environ["OPENAI_API_KEY"]) == ("http://evil/v1", "theirs")
