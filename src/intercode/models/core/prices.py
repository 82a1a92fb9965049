"""What tokens cost, as far as that is known: prices are said, told by the server, or in genai-prices' list."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

from intercode.errors import UserError
from intercode.models.core.sampling import number
from intercode.types.conversation import Usage

MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars for a million tokens; None where that is not known. Cached tokens cost like others unless said.

    Where `model` is set, the list of `genai_prices` knows its price at `provider`, and it holds instead: it may depend
    on the length of a question.
    """

    OPTIONS: ClassVar[tuple[str, ...]] = ("price_in", "price_out", "price_cached")
    """What it is taken from."""

    prompt: float | None = None
    completion: float | None = None
    cached: float | None = None
    model: str = ""
    provider: str = ""

    @classmethod
    def split_options(cls, options: dict[str, str]) -> tuple[Self, dict[str, str]]:
        """Return what the options `price_in`, `price_out` and `price_cached` say, and the rest of them.

        Raises:
            UserError: If one of them is no price.
        """
        rest = dict(options)
        price = cls(number(rest, "price_in"), number(rest, "price_out"), number(rest, "price_cached"))
        if (price.prompt is None) != (price.completion is None):
            raise UserError("price_in and price_out belong together: dollars for a million tokens read, and written")
        return price, rest

    @property
    def is_known(self) -> bool:
        """Return whether a cost can be told."""
        return bool(self.model) or (self.prompt is not None and self.completion is not None)

    @property
    def is_zero(self) -> bool:
        """Return whether every token is known to cost nothing."""
        return not self.model and self.prompt == self.completion == 0 and not self.cached

    def of(self, usage: Usage) -> float | None:
        """Return the cost of *usage*, which is one answer's, in dollars; None where it cannot be told."""
        if self.model:
            return _listed_cost(self.model, self.provider, usage)
        if self.prompt is None or self.completion is None:
            return None
        cached = self.prompt if self.cached is None else self.cached
        fresh = usage.prompt_tokens - usage.cached_tokens
        return (
            fresh * self.prompt + usage.cached_tokens * cached + usage.completion_tokens * self.completion
        ) / MILLION


FREE = Price(0.0, 0.0, 0.0)

NO_PRICE = Price()
"""Nobody knows it."""


def list_price(model: str, provider: str) -> Price:
    """Return the price of *model* at a *provider*, which is a name or a server's URL.

    An unknown one where no list has it.

    The list is a part of the package `genai-prices`: nothing is fetched.
    """
    is_known = _listed_cost(model, provider, Usage(1, 1)) is not None
    return Price(model=model, provider=provider) if is_known else Price()


def _listed_cost(model: str, provider: str, usage: Usage) -> float | None:
    import genai_prices

    counted = genai_prices.Usage(
        input_tokens=usage.prompt_tokens,
        output_tokens=usage.completion_tokens,
        cache_read_tokens=min(usage.cached_tokens, usage.prompt_tokens) or None,
    )
    try:
        if "://" in provider:
            found = genai_prices.calc_price(counted, model, provider_api_url=provider)
        else:
            found = genai_prices.calc_price(counted, model, provider_id=provider)
    except (LookupError, ValueError):  # no such model; or a kind of price that is not one for tokens
        return None
    return float(found.total_price)
