"""Goes on with many prompts at once. On a GPU the work of a token is one CUDA graph.

A small model leaves a GPU idle while Python starts its kernels one by one, a thousand for each token. A graph starts
them all at once. Where vLLM can be had it is faster still.
"""

from __future__ import annotations

import copy
from collections.abc import Collection, Sequence
from itertools import islice
from typing import Any

import torch
from torch import Tensor
from transformers import AttentionInterface, StaticCache
from transformers.integrations.sdpa_attention import sdpa_attention_forward

from intercode.integrations.trl.engine import Answer, Ids

ROOM = 256
"""Conversations are given room for a multiple of so many tokens, so that few sizes need a graph of their own."""

FEWEST = 8
"""Rows of the smallest batch; others have a power of two."""

LOOK = 8
"""Tokens between two looks at whether all rows have ended: each look makes the GPU wait."""


ATTENTION = "intercode_grouped"


def _attention(
    module: Any, query: Tensor, key: Tensor, value: Tensor, mask: Tensor, scaling: float, **options: Any
) -> tuple[Tensor, Any]:
    """Attention of one token, where heads that share keys are rows of one matrix.

    PyTorch's own copies keys and values for each head when there is a mask: most of a token's time in long rows.
    """
    rows, heads, length, size = query.shape
    if length > 1:
        found: tuple[Tensor, Any] = sdpa_attention_forward(module, query, key, value, mask, scaling=scaling, **options)
        return found
    grouped = query.reshape(rows, key.shape[1], -1, size)
    scores = (grouped @ key.transpose(-1, -2) * scaling).masked_fill(~mask, -torch.inf)
    chances = scores.softmax(-1, dtype=torch.float32).to(value.dtype)
    return (chances @ value).reshape(rows, 1, heads, size), None


AttentionInterface.register(ATTENTION, _attention)


class Generator:
    """Writes as *model* would by transformers' `generate`: by the likeliest tokens, or by drawing at temperature 1.

    On a GPU it computes with a copy of the weights in bfloat16, which is made anew by each call of `refresh`.

    Args:
        model: One of transformers' causal models, whose cache can be of a fixed size.
        pad: The token that fills up rows.
        ends: The tokens that end an answer.
    """

    def __init__(self, model: Any, *, pad: int, ends: Collection[int]) -> None:
        self._source, self._pad = model, pad
        self._on_gpu = model.device.type == "cuda"
        self._model = copy.deepcopy(model).to(torch.bfloat16 if self._on_gpu else model.dtype).eval()
        self._model.set_attn_implementation(ATTENTION)
        self._ends = torch.tensor(sorted(ends), device=model.device)
        self._batches: dict[tuple[int, int], _Batch] = {}

    def refresh(self) -> None:
        """Take over the weights that the model has by now."""
        with torch.no_grad():
            for own, new in zip(self._model.parameters(), self._source.parameters(), strict=True):
                own.copy_(new)

    def write(self, prompts: Sequence[Ids], longest: int, *, greedy: bool) -> list[Answer]:
        """The continuation of each of *prompts*, of up to *longest* tokens, without log-probabilities."""
        width = max(map(len, prompts))
        rows = max(FEWEST, 1 << (len(prompts) - 1).bit_length())
        room = -(-(width + longest) // ROOM) * ROOM
        if (rows, room) not in self._batches:
            self._batches[rows, room] = _Batch(self._model, rows, room)
        filled = [*prompts, *[[self._pad]] * (rows - len(prompts))]
        with torch.no_grad():
            written = self._go_on(self._batches[rows, room], filled, len(prompts), width, longest, greedy=greedy)
        return [(self._up_to_end(ids), []) for ids in written[: len(prompts)]]

    def _go_on(
        self, batch: _Batch, prompts: Sequence[Ids], count: int, width: int, longest: int, *, greedy: bool
    ) -> list[Ids]:
        """The tokens of all rows, of which the first *count* are asked for."""
        tokens, done = [], torch.arange(len(prompts), device=self._model.device) >= count
        for place, logits in enumerate(islice(batch.logits(prompts, width, self._pad), longest)):
            if place % LOOK == 0 and bool(done.all()):
                break
            chosen = torch.where(done, self._pad, logits.argmax(-1) if greedy else _drawn(logits))
            done = done | torch.isin(chosen, self._ends)
            tokens.append(chosen)
            batch.append(chosen)
        ids: list[Ids] = torch.stack(tokens, 1).tolist()
        return ids

    def _up_to_end(self, ids: Ids) -> Ids:
        ends = set(self._ends.tolist())
        return ids[: next((at + 1 for at, token in enumerate(ids) if token in ends), len(ids))]


class _Batch:
    """*rows* conversations with *room* for so many tokens each, at fixed places in memory."""

    def __init__(self, model: Any, rows: int, room: int) -> None:
        self._model, self._room = model, room
        device = model.device
        self._cache = StaticCache(config=model.config, max_cache_len=room)
        self._token = torch.zeros(rows, 1, dtype=torch.long, device=device)
        self._position = torch.zeros(rows, 1, dtype=torch.long, device=device)
        self._seen = torch.zeros(rows, 1, 1, room, dtype=torch.bool, device=device)
        self._graph: Any = None
        self._made: Tensor | None = None

    def logits(self, prompts: Sequence[Ids], width: int, pad: int) -> Any:
        """What comes next in each row, and after each `append` what comes then, for ever."""
        if self._graph is None and self._token.is_cuda:
            self._capture()
        yield self._read(prompts, width, pad)
        for place in range(width, self._room):
            self._seen[..., place] = True
            self._position += 1
            if self._graph is None:
                yield self._next()
            else:
                self._graph.replay()
                yield self._made

    def append(self, chosen: Tensor) -> None:
        """The tokens that each row goes on with."""
        self._token.copy_(chosen[:, None])

    def _read(self, prompts: Sequence[Ids], width: int, pad: int) -> Tensor:
        device = self._token.device
        ids = torch.tensor([[pad] * (width - len(row)) + row for row in prompts], device=device)
        real = torch.tensor([[False] * (width - len(row)) + [True] * len(row) for row in prompts], device=device)
        places = (real.cumsum(1) - 1).clamp(min=0)
        before = torch.ones(width, width, dtype=torch.bool, device=device).tril()
        # What stands before a prompt looks at itself: a row that may look nowhere has no number, which would spread.
        own = torch.eye(width, dtype=torch.bool, device=device)
        mask = torch.zeros(len(ids), 1, width, self._room, dtype=torch.bool, device=device)
        mask[:, 0, :, :width] = (before & real[:, None, :]) | own
        self._cache.reset()
        self._seen.zero_()
        self._seen[:, 0, 0, :width] = real
        self._position.copy_(places[:, -1:])
        return self._forward(ids, mask, places)

    def _next(self) -> Tensor:
        return self._forward(self._token, self._seen, self._position)

    def _forward(self, ids: Tensor, mask: Tensor, positions: Tensor) -> Tensor:
        out = self._model(
            input_ids=ids,
            attention_mask=mask,
            position_ids=positions,
            past_key_values=self._cache,
            use_cache=True,
            logits_to_keep=1,
        )
        logits: Tensor = out.logits[:, -1].float()
        return logits

    def _capture(self) -> None:
        """Record the work of a token. What it has done to the cache meanwhile is forgotten when prompts are read."""
        self._seen[..., 0] = True
        beside = torch.cuda.Stream()
        beside.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(beside):
            for _ in range(2):
                self._next()
        torch.cuda.current_stream().wait_stream(beside)
        self._graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self._graph):
            self._made = self._next()


def _drawn(logits: Tensor) -> Tensor:
    """A token of each row by its probability (the exponential race), without a look that makes the GPU wait."""
    chances = logits.softmax(-1)
    return (chances / torch.empty_like(chances).exponential_(1)).argmax(-1)
