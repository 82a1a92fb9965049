"""Models: WHAT thinks. Messages in, an answer out.

`load("gpt-4o-mini")`, `load("litellm:anthropic/claude-sonnet-4-5")`, `load("transformers:./weights")`: what stands
before the colon is the plug-in, if there is one of that name. `load("openrouter/qwen/qwen3-32b")`, `load("hf/NAME")`:
what stands before the first slash may be a provider (`models.core.providers`). Else the whole is a model of OpenAI, or
of the server that `base_url` names.
"""

from __future__ import annotations

from collections.abc import Mapping

from intercode import registry
from intercode.models.base import Model
from intercode.models.core.providers import BY_LITELLM

DEFAULT = "openai"

WEIGHTS = "hf"
"""The word before the slash for weights that run in this process."""


def load(name: str, *, base_url: str = "", logprobs: bool = False, options: Mapping[str, str] | None = None) -> Model:
    """Load a model; many threads may ask it.

    Args:
        name: As the command line takes it: `NAME`, `PROVIDER/NAME` or `PLUGIN:NAME`.
        base_url: Where its server is. Servers are taken to speak OpenAI's protocol.
        logprobs: Whether replies shall have `tokens`, as far as the server tells them.
        options: Texts, as the command line has them.

    Raises:
        UserError: If there is no such model, or an option or its value is impossible.
    """
    kind, model = split(name, base_url)
    made: Model = registry.create("models", kind, model, base_url=base_url, logprobs=logprobs, **(options or {}))
    return made


def split(name: str, base_url: str = "") -> tuple[str, str]:
    """Split a model's name.

    Args:
        name: As the command line takes it.
        base_url: Where its server is; every server is taken to speak OpenAI's protocol.

    Returns:
        The name of the plug-in, and the model's name as the plug-in takes it.
    """
    kind, colon, model = name.partition(":")
    if colon and kind in registry.names("models"):
        return kind, model
    word, slash, rest = name.partition("/")
    if slash and not base_url and word in BY_LITELLM:
        return "litellm", name
    if slash and not base_url and word == WEIGHTS:
        return "transformers", rest
    return DEFAULT, name
