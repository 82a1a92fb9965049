"""Which models cost nobody money: they run nearby, or their price is zero."""

from __future__ import annotations

import pytest

from intercode import models

KEY = {"OPENAI_API_KEY": "sk-none", "MISTRAL_API_KEY": "none"}

Case = tuple[str, str, dict[str, str]]

FREE: tuple[Case, ...] = (
    ("ollama/qwen3:8b", "", {}),
    ("vllm/Qwen/Qwen3-8B", "", {}),
    ("any", "http://127.0.0.1:8000/v1", {}),
    ("any", "http://[::1]:8000/v1", {}),
    ("any", "http://192.168.1.20:8000/v1", {}),
    ("any", "http://gpu-box:8000/v1", {}),
    ("any", "http://gpu.local/v1", {}),
    ("any", "https://vllm.example.org/v1", {"price_in": "0", "price_out": "0"}),
)
PAID: tuple[Case, ...] = (
    ("openai/gpt-4o-mini", "", {}),
    ("mistral/a-model-of-tomorrow", "", {}),
    ("any", "https://vllm.example.org/v1", {}),
    ("any", "https://8.8.8.8/v1", {}),
    ("any", "http://localhost:8000/v1", {"price_in": "0.1", "price_out": "0"}),
)


@pytest.fixture(autouse=True)
def _keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in KEY.items():
        monkeypatch.setenv(name, value)


@pytest.mark.parametrize(("name", "url", "options"), FREE)
def test_a_server_nearby_is_free_unless_it_has_a_price(name: str, url: str, options: dict[str, str]) -> None:
    assert models.load(name, base_url=url, options=options).is_free


@pytest.mark.parametrize(("name", "url", "options"), PAID)
def test_what_others_serve_may_cost_money(name: str, url: str, options: dict[str, str]) -> None:
    assert not models.load(name, base_url=url, options=options).is_free
