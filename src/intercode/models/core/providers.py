"""Providers that speak OpenAI's protocol, by the names that everybody gives them: `openrouter/qwen/qwen3-32b`."""

from __future__ import annotations

import os
from dataclasses import dataclass

OPENAI = "openai"

GOOGLE = "https://generativelanguage.googleapis.com"

BY_LITELLM = {
    "anthropic": "ANTHROPIC_API_KEY",
    "azure": "AZURE_API_KEY",
    "bedrock": "",
    "cohere": "COHERE_API_KEY",
    "vertex_ai": "",
}
"""Providers with a protocol of their own, which LiteLLM speaks, and the variable with the key of each: "" for several
that go together."""


@dataclass(frozen=True, slots=True)
class Provider:
    """Where a provider's server is, unless `PROVIDER_BASE_URL` says otherwise, and which variables may hold its key.

    `local` is for servers that people run themselves: they need no key, and their names are no part of a model's name.
    Some refuse a question that has a `seed`.
    """

    name: str
    url: str
    keys: tuple[str, ...]
    local: bool = False
    takes_seed: bool = True

    @property
    def url_variable(self) -> str:
        """The variable that names another address."""
        return f"{self.name.upper()}_BASE_URL"

    @property
    def base_url(self) -> str:
        """Return where to ask."""
        return os.environ.get(self.url_variable) or self.url


def _hosted_provider(name: str, url: str, *keys: str, takes_seed: bool = True) -> Provider:
    return Provider(name, url, keys or (f"{name.upper()}_API_KEY",), takes_seed=takes_seed)


def _local(name: str, port: int) -> Provider:
    return Provider(name, f"http://localhost:{port}/v1", (f"{name.upper()}_API_KEY",), local=True)


PROVIDERS = {
    each.name: each
    for each in (
        _hosted_provider(OPENAI, "https://api.openai.com/v1"),
        _hosted_provider("google", f"{GOOGLE}/v1beta/openai", "GEMINI_API_KEY", "GOOGLE_API_KEY"),
        _hosted_provider("openrouter", "https://openrouter.ai/api/v1"),
        _hosted_provider("huggingface", "https://router.huggingface.co/v1", "HF_TOKEN"),
        _hosted_provider("cerebras", "https://api.cerebras.ai/v1"),
        _hosted_provider("deepseek", "https://api.deepseek.com/v1"),
        _hosted_provider("fireworks", "https://api.fireworks.ai/inference/v1"),
        _hosted_provider("grok", "https://api.x.ai/v1", "XAI_API_KEY"),
        _hosted_provider("groq", "https://api.groq.com/openai/v1"),
        _hosted_provider("mistral", "https://api.mistral.ai/v1", takes_seed=False),
        _hosted_provider("together", "https://api.together.xyz/v1"),
        _local("ollama", 11434),
        _local("vllm", 8000),
        _local("sglang", 30000),
        _local("lmstudio", 1234),
    )
}


def find(name: str, base_url: str) -> tuple[Provider, str]:
    """Return who serves the model *name*, and what it is called there.

    OpenAI where *name* begins with no provider's name.

    With a *base_url* a hosted provider's name is a part of the model's: `openai/gpt-oss-20b` is what vLLM calls it.
    """
    word, slash, rest = name.partition("/")
    provider = PROVIDERS.get(word)
    if not slash or provider is None or (base_url and not provider.local):
        return PROVIDERS[OPENAI], name
    return provider, rest
