"""Models: WHAT thinks. Messages in, an answer out.

`load("gpt-4o-mini")`, `load("litellm:anthropic/claude-sonnet-4-5")`, `load("transformers:./weights")`: what stands
before the colon is the plug-in, if there is one of that name; else the whole is a model of an OpenAI-compatible server.
"""

from __future__ import annotations

from collections.abc import Mapping

from intercode import registry
from intercode.models.base import Model

DEFAULT = "openai"


def load(name: str, *, base_url: str = "", logprobs: bool = False, options: Mapping[str, str] | None = None) -> Model:
    """The model called *name*, ready to be asked by many threads. *options* are texts, as the command line has them.

    With *logprobs* its replies have `tokens`, as far as its server tells them. Raises UserError for what cannot be.
    """
    kind, model = split(name)
    made: Model = registry.find("models", kind)(model, base_url=base_url, logprobs=logprobs, **(options or {}))
    return made


def split(name: str) -> tuple[str, str]:
    """The plug-in and the model that *name* stands for."""
    kind, colon, model = name.partition(":")
    return (kind, model) if colon and kind in registry.names("models") else (DEFAULT, name)
