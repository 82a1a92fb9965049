"""The small policy: a softmax over command templates, linear in the words of the request."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from examples.learning_curve.templates import Request
from numpy.typing import NDArray

Array = NDArray[np.float64]
Numbers = NDArray[np.int64]

FIRST = -1
"""The template before, at the first turn."""


class Features:
    """Which words and pairs of neighbouring words of the training requests a request has; others are not seen."""

    def __init__(self, requests: Sequence[Request]) -> None:
        found = sorted({feature for request in requests for feature in _features(request)})
        self._numbers = {feature: number for number, feature in enumerate(found)}

    def __len__(self) -> int:
        return len(self._numbers) + 1

    def matrix(self, requests: Sequence[Request]) -> Array:
        """A row for each request, of length 1; the last column is constant."""
        rows = np.zeros((len(requests), len(self)))
        for row, request in zip(rows, requests, strict=True):
            row[[self._numbers[each] for each in _features(request) if each in self._numbers]] = 1.0
            row /= max(float(np.linalg.norm(row)), 1.0)
            row[-1] = 0.3
        return rows


def _features(request: Request) -> set[str]:
    words = request.words
    return {*words, *(f"{one} {other}" for one, other in pairwise(words))}


class Policy:
    """Chooses a template by the request, the turn, and the template of the turn before."""

    def __init__(self, features: int, templates: int, *, rate: float) -> None:
        self._by_request = [Weights((features, templates), rate) for _ in range(2)]
        self._by_before = Weights((templates + 1, templates), rate)  # the last row is that of `FIRST`

    def choose(self, rows: Array, before: Numbers, chance: np.random.Generator | None) -> Numbers:
        """A template for each row; the likeliest where *chance* is None."""
        logits = self._logits(rows, before)
        noise = 0.0 if chance is None else chance.gumbel(size=logits.shape)
        chosen: Numbers = (logits + noise).argmax(axis=1)
        return chosen

    def learn(self, rows: Array, before: Numbers, chosen: Numbers, weights: Array, *, entropy: float) -> None:
        """Add the gradient of the weighted log-probabilities of *chosen*, and of *entropy* times the entropy."""
        gradient = _gradient(self._logits(rows, before), chosen, weights, entropy)
        self._by_request[_turn(before)].gradient += rows.T @ gradient
        np.add.at(self._by_before.gradient, before, gradient)

    def step(self) -> None:
        """Take a step along the gradients."""
        for each in (*self._by_request, self._by_before):
            each.step()

    def _logits(self, rows: Array, before: Numbers) -> Array:
        logits: Array = rows @ self._by_request[_turn(before)].values + self._by_before.values[before]
        return logits


class Weights:
    """Weights that begin at 0, and Adam (Kingma, Ba 2015) for them."""

    def __init__(self, shape: tuple[int, int], rate: float) -> None:
        self.values, self.gradient = np.zeros(shape), np.zeros(shape)
        self._mean, self._square = np.zeros(shape), np.zeros(shape)
        self._rate, self._steps = rate, 0

    def step(self) -> None:
        """Climb along `gradient`, and forget it."""
        self._steps += 1
        self._mean += 0.1 * (self.gradient - self._mean)
        self._square += 0.001 * (self.gradient**2 - self._square)
        mean = self._mean / (1 - 0.9**self._steps)
        square = self._square / (1 - 0.999**self._steps)
        self.values += self._rate * mean / (np.sqrt(square) + 1e-8)
        self.gradient[:] = 0.0


def _turn(before: Numbers) -> int:
    return int(before[0] != FIRST)


def _gradient(logits: Array, chosen: Numbers, weights: Array, entropy: float) -> Array:
    """By the logits."""
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    shares = powers / powers.sum(axis=1, keepdims=True)
    logs = np.log(shares + 1e-12)
    result: Array = -entropy * shares * (logs - (shares * logs).sum(axis=1, keepdims=True)) - shares * weights[:, None]
    result[np.arange(len(chosen)), chosen] += weights
    return result
