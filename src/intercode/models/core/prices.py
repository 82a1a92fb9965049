"""What tokens cost, as far as that is known: prices are said, told by the server, or read from LiteLLM's list."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, ClassVar, Self

from intercode.conversation import Usage
from intercode.errors import UserError
from intercode.models.core.sampling import number

MILLION = 1_000_000
LIST = "model_prices_and_context_window_backup.json"
"""The file in LiteLLM's package: dollars for a token, by model."""


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars for a million tokens; None where that is not known. Cached tokens cost like others unless said."""

    OPTIONS: ClassVar[tuple[str, ...]] = ("price_in", "price_out", "price_cached")
    """What it is taken from."""

    prompt: float | None = None
    completion: float | None = None
    cached: float | None = None

    @classmethod
    def taken_from(cls, options: dict[str, str]) -> tuple[Self, dict[str, str]]:
        """What the options `price_in`, `price_out` and `price_cached` say, and the rest of them. Raises UserError."""
        rest = dict(options)
        price = cls(number(rest, "price_in"), number(rest, "price_out"), number(rest, "price_cached"))
        if (price.prompt is None) != (price.completion is None):
            raise UserError("price_in and price_out belong together: dollars for a million tokens read, and written")
        return price, rest

    @property
    def is_known(self) -> bool:
        """Whether a cost can be told."""
        return self.prompt is not None and self.completion is not None

    def of(self, usage: Usage) -> float | None:
        """The cost of *usage* in dollars, None where it cannot be told."""
        if self.prompt is None or self.completion is None:
            return None
        cached = self.prompt if self.cached is None else self.cached
        fresh = usage.prompt_tokens - usage.cached_tokens
        return (
            fresh * self.prompt + usage.cached_tokens * cached + usage.completion_tokens * self.completion
        ) / MILLION


FREE = Price(0.0, 0.0, 0.0)


def listed(model: str) -> Price:
    """The price of *model* in LiteLLM's list, where that package is installed; else one that is not known."""
    entry = _list().get(model, {})
    names = ("input_cost_per_token", "output_cost_per_token", "cache_read_input_token_cost")
    prompt, completion, cached = (entry.get(name) for name in names)
    if prompt is None or completion is None:
        return Price()
    return Price(prompt * MILLION, completion * MILLION, None if cached is None else cached * MILLION)


@cache
def _list() -> dict[str, Any]:
    """The list, read as a file: importing the package takes seconds."""
    found = find_spec("litellm")
    if found is None or found.origin is None:
        return {}
    try:
        prices: dict[str, Any] = json.loads((Path(found.origin).parent / LIST).read_text(encoding="utf-8"))
    except (OSError, ValueError):  # another version's: prices can still be said
        return {}
    return prices
