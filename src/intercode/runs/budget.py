"""A run's money and tokens: counted as they are used, and no question is put once they are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from threading import Lock

from intercode.errors import BudgetExceededError, RefusalError, UserError
from intercode.models.base import Model
from intercode.types.conversation import NO_USAGE, Message, Reply, Tool, Usage


class Budget:
    """What may be used: US dollars and tokens, None for any amount. `used` is what was; many threads add to it.

    Questions that are under way when the last dollar goes are answered and counted: it may be exceeded by those.
    """

    def __init__(self, *, cost: float | None = None, tokens: int | None = None, used: Usage = NO_USAGE) -> None:
        self.cost, self.tokens, self.used = cost, tokens, used
        self.under_way = 0
        """Questions that are asked and not yet answered: as many threads wait for a model."""
        self._lock = Lock()

    def add(self, usage: Usage) -> None:
        """Count *usage*."""
        with self._lock:
            self.used += usage

    @contextmanager
    def asking(self) -> Iterator[None]:
        """While a question is under way."""
        with self._lock:
            self.under_way += 1
        try:
            yield
        finally:
            with self._lock:
                self.under_way -= 1

    @property
    def is_limited(self) -> bool:
        """Return whether there is a limit at all."""
        return self.cost is not None or self.tokens is not None

    @property
    def spent(self) -> str:
        """That there is nothing left, for people; "" while there is."""
        tokens = self.used.tokens - self.used.from_cache
        if self.tokens is not None and tokens >= self.tokens:
            return f"the budget of {self.tokens} tokens is used up ({tokens} were)"
        if self.cost is not None and (self.used.cost or 0.0) >= self.cost:
            return f"the budget of ${self.cost:g} is used up (${self.used.cost:.4f} were)"
        return ""


class MeteredModel:
    """Asks *model* within *budget*. It is what agents get: they can ask, and nothing else."""

    def __init__(self, model: Model, budget: Budget) -> None:
        if budget.cost is not None and not model.knows_price:
            raise UserError(
                f"the price of {model.name} is not known, so --max-cost cannot be enforced: pass "
                "--model-option price_in=IN --model-option price_out=OUT, in dollars for a million tokens"
            )
        self._model, self._budget = model, budget

    def prepare(self) -> None:
        """See `Model.prepare`: it uses nothing of the budget."""
        self._model.prepare()

    def complete(self, messages: Sequence[Message], *, tools: Sequence[Tool] = (), seed: int | None = None) -> Reply:
        """See `Model.complete`.

        Raises:
            BudgetExceededError: If no more may be used.
            RefusalError: If the provider refuses. What that used is counted.
        """
        if spent := self._budget.spent:
            raise BudgetExceededError(spent)
        with self._budget.asking():
            try:
                reply = self._model.complete(messages, tools=tools, seed=seed)
            except RefusalError as error:
                self._budget.add(error.usage or NO_USAGE)
                raise
        self._budget.add(reply.usage)
        return reply
