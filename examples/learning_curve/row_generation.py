"""Goes on with many prompts at once on processors: rows that have ended cost nothing more."""

from __future__ import annotations

import copy
from collections.abc import Collection, Sequence
from typing import Any

import torch
from examples.learning_curve.generation import ATTENTION
from torch import Tensor
from transformers import DynamicCache

from intercode.integrations.trl.engine import Answer, Ids

LOOK = 4
"""Tokens between two times at which rows that have ended are left out: each copies what is remembered of the others."""

TOGETHER = 8192
"""Tokens that are read at once, of prompts alike in length: the longest decides what all cost."""


class RowGenerator:
    """Writes as *model* would by transformers' `generate`: by the likeliest tokens, or by drawing at temperature 1.

    Prompts that are alike, as those of a group are, are read once.

    Args:
        model: One of transformers' causal models.
        pad: The token that fills up rows.
        ends: The tokens that end an answer.
    """

    def __init__(self, model: Any, *, pad: int, ends: Collection[int]) -> None:
        self._source, self._pad, self._ends = model, pad, torch.tensor(sorted(ends))
        self._model = copy.deepcopy(model).eval()
        self._model.set_attn_implementation(ATTENTION)

    def refresh(self) -> None:
        """Take over the weights that the model has by now."""
        with torch.no_grad():
            for own, new in zip(self._model.parameters(), self._source.parameters(), strict=True):
                own.copy_(new)

    def write(self, prompts: Sequence[Ids], longest: int, *, greedy: bool) -> list[Answer]:
        """The continuation of each of *prompts*, of up to *longest* tokens, without log-probabilities."""
        different = sorted(dict.fromkeys(map(tuple, prompts)), key=len)
        written: dict[int, Ids] = {}
        while different:
            fit = [prompt for number, prompt in enumerate(different, 1) if number * len(prompt) <= TOGETHER]
            part, different = different[: max(1, len(fit))], different[max(1, len(fit)) :]
            rows = [row for row, prompt in enumerate(prompts) if tuple(prompt) in part]
            which = torch.tensor([part.index(tuple(prompts[row])) for row in rows])
            with torch.no_grad():
                written |= zip(rows, self._go_on(part, which, longest, greedy=greedy), strict=True)
        return [(written[row], []) for row in range(len(prompts))]

    def _go_on(self, prompts: Sequence[Sequence[int]], which: Tensor, longest: int, *, greedy: bool) -> list[Ids]:
        """The continuations of *which* of *prompts*."""
        seen, logits, cache = self._read(prompts)
        cache.batch_select_indices(which)
        seen, logits = seen[which], logits[which]
        written: list[Ids] = [[] for _ in which]
        rows, done = torch.arange(len(which)), torch.zeros(len(which), dtype=torch.bool)
        for place in range(longest):
            chosen = logits.argmax(-1) if greedy else _drawn(logits)
            for row, token in zip(rows[~done].tolist(), chosen[~done].tolist(), strict=True):
                written[row].append(token)
            done = done | torch.isin(chosen, self._ends)
            if bool(done.all()) or place + 1 == longest:
                break
            if place % LOOK == LOOK - 1 and bool(done.any()):
                left = (~done).nonzero()[:, 0]
                cache.batch_select_indices(left)
                rows, seen, chosen, done = rows[left], seen[left], chosen[left], done[left]
            seen = torch.cat([seen, torch.ones(len(seen), 1, dtype=torch.bool)], 1)
            logits = self._forward(chosen[:, None], seen[:, None, None], seen.sum(1, keepdim=True) - 1, cache)
        return written

    def _read(self, prompts: Sequence[Sequence[int]]) -> tuple[Tensor, Tensor, DynamicCache]:
        """Which places of each row hold tokens, what comes next, and what is remembered."""
        width = max(map(len, prompts))
        ids = torch.tensor([[self._pad] * (width - len(row)) + list(row) for row in prompts])
        seen = torch.tensor([[False] * (width - len(row)) + [True] * len(row) for row in prompts])
        before = torch.ones(width, width, dtype=torch.bool).tril()
        # What stands before a prompt looks at itself: a row that may look nowhere has no number, which would spread.
        mask = (before & seen[:, None]) | torch.eye(width, dtype=torch.bool)
        cache = DynamicCache(config=self._model.config)
        return seen, self._forward(ids, mask[:, None], (seen.cumsum(1) - 1).clamp(min=0), cache), cache

    def _forward(self, ids: Tensor, mask: Tensor, places: Tensor, cache: DynamicCache) -> Tensor:
        out = self._model(
            input_ids=ids,
            attention_mask=mask,
            position_ids=places,
            past_key_values=cache,
            use_cache=True,
            logits_to_keep=1,
        )
        logits: Tensor = out.logits[:, -1].float()
        return logits


def _drawn(logits: Tensor) -> Tensor:
    """A token of each row by its probability."""
    return torch.multinomial(logits.softmax(-1), 1)[:, 0]
