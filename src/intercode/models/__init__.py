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
    """The model called *name*, ready to be asked by many threads. *options* are texts, as the command line has them.

    With *logprobs* its replies have `tokens`, as far as its server tells them. Raises UserError for what cannot be.
    """
    kind, model = split(name, base_url)
    made: Model = registry.find("models", kind)(model, base_url=base_url, logprobs=logprobs, **(options or {}))
    return made


def split(name: str, base_url: str = "") -> tuple[str, str]:
    """The plug-in and the model that *name* stands for; at a *base_url* everybody speaks OpenAI's protocol."""
    kind, colon, model = name.partition(":")
    if colon and kind in registry.names("models"):
        return kind, model
    word, slash, rest = name.partition("/")
    if slash and not base_url and word in BY_LITELLM:
        return "litellm", name
    if slash and not base_url and word == WEIGHTS:
        return "transformers", rest
    return DEFAULT, name
