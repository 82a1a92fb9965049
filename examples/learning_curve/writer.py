"""A small transformer that writes commands token by token, and episodes as tokens. Needs torch."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import torch
from examples.learning_curve.templates import Request
from torch import Tensor, nn
from torch.nn.functional import scaled_dot_product_attention

PAD, UNKNOWN, ACT, OBSERVE, END = range(5)
PIECE = re.compile(r" ?(?:<[A-Z]+\d*>|[^ <]+|<)")
WORD = re.compile(r"<[A-Z]+\d*>|[a-z]+")
FAILURES = "no such file or directory is a not found cannot invalid missing usage error exists command try help"
"""Words of what a command shows when it fails; no demonstration fails, so they are given."""

LONGEST = 192
"""Tokens of an episode."""

LONGEST_ACTION = 32
LONGEST_OBSERVATION = 16

Cache = list[tuple[Tensor, Tensor]]


class Vocabulary:
    """Numbers for the words of requests and the pieces of commands; what is in neither is `UNKNOWN`."""

    def __init__(self, texts: Iterable[Sequence[str]]) -> None:
        known = {piece for text in (*texts, FAILURES.split()) for piece in text}
        self._pieces = ["", "", "", "", "", *sorted(known)]
        self._numbers = {piece: number for number, piece in enumerate(self._pieces) if number > END}

    def __len__(self) -> int:
        return len(self._pieces)

    def encode(self, pieces: Iterable[str]) -> list[int]:
        """The number of each piece."""
        return [self._numbers.get(piece, UNKNOWN) for piece in pieces]

    def decode(self, tokens: Iterable[int]) -> str:
        """The text again."""
        return "".join(self._pieces[token] for token in tokens)


def pieces(command: str) -> list[str]:
    """The words of a command, and its slots: to write the slot `<P1>` is to copy the first path of the request."""
    return PIECE.findall(command)


@dataclass
class Episode:
    """An episode as tokens; `wrote` says which of them the policy wrote."""

    tokens: list[int]
    wrote: list[bool] = field(default_factory=list)
    commands: tuple[str, ...] = ()
    is_over: bool = False

    @classmethod
    def of(cls, request: Request, vocabulary: Vocabulary) -> Episode:
        """One that begins."""
        tokens = [*vocabulary.encode(request.words), ACT]
        return cls(tokens, [False] * len(tokens))

    def act(self, tokens: Sequence[int]) -> None:
        """Add what was written, and the end of it, which an action that is cut short did not write."""
        self.tokens += [*tokens, END]
        self.wrote += [True] * len(tokens) + [len(tokens) < LONGEST_ACTION]

    def observe(self, shown: str, request: Request, vocabulary: Vocabulary) -> None:
        """Add what the command showed, its values as slots, cut short; another action is due."""
        slots = {value: slot for slot, value in request.slots.items() if value}
        for value in sorted(slots, key=len, reverse=True):
            shown = shown.replace(value, slots[value])
        words = re.sub(r"\b[A-Z][a-z]*\b", lambda match: match[0].lower(), shown)
        seen = vocabulary.encode(WORD.findall(words)[:LONGEST_OBSERVATION])
        self.tokens += [OBSERVE, *seen, ACT]
        self.wrote += [False] * (len(seen) + 2)


class Layer(nn.Module):  # type: ignore[misc] # torch is not there where types are checked
    """Attention and two linear maps, each added to what comes in."""

    def __init__(self, width: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.heads = heads
        self.norm, self.inward, self.outward = nn.LayerNorm(width), nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.maps = nn.Sequential(
            nn.LayerNorm(width), nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width)
        )
        self.drop = nn.Dropout(dropout)

    def forward(
        self, values: Tensor, mask: Tensor, before: tuple[Tensor, Tensor] | None
    ) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        """The new values, and the keys and values that later tokens look at."""
        parts = self.inward(self.norm(values)).unflatten(-1, (3, self.heads, -1)).permute(2, 0, 3, 1, 4)
        query, key, value = parts
        if before is not None:
            key, value = torch.cat([before[0], key], 2), torch.cat([before[1], value], 2)
        seen = scaled_dot_product_attention(query, key, value, attn_mask=mask)
        values = values + self.drop(self.outward(seen.transpose(1, 2).flatten(2)))
        return values + self.drop(self.maps(values)), (key, value)


class Writer(nn.Module):  # type: ignore[misc] # the same
    """A causal transformer. Rows are padded at their start, so that all of them go on at the same place."""

    def __init__(
        self,
        vocabulary: int,
        *,
        width: int = 96,
        layers: int = 3,
        heads: int = 4,
        longest: int = LONGEST,
        dropout: float = 0.1,
    ) -> None:
        super().__init__()
        self.tokens, self.places = nn.Embedding(vocabulary, width), nn.Embedding(longest, width)
        self.layers = nn.ModuleList(Layer(width, heads, dropout) for _ in range(layers))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, vocabulary)

    def forward(self, tokens: Tensor, real: Tensor, cache: Cache | None = None) -> tuple[Tensor, Cache]:
        """Logits of the token after each of *tokens*, and the cache to go on with.

        *real* says which tokens are no padding, of those in *cache* and those in *tokens*.
        """
        new, length = tokens.shape[1], real.shape[1]
        places = (real.cumsum(1) - 1).clamp(min=0)[:, -new:]
        causal = torch.ones(length, length, dtype=torch.bool).tril()[-new:]
        itself = torch.eye(length, dtype=torch.bool)[-new:]  # padding sees itself: to see nothing is not a number
        mask = (causal & real[:, None, :] | itself)[:, None]
        values, filled = self.tokens(tokens) + self.places(places), []
        for number, layer in enumerate(self.layers):
            values, kept = layer(values, mask, cache[number] if cache else None)
            filled.append(kept)
        return self.head(self.norm(values)), filled

    @torch.no_grad()  # type: ignore[untyped-decorator]
    def write(self, rows: Sequence[Sequence[int]], chance: torch.Generator | None) -> list[list[int]]:
        """The next action of each row, without its `END`; the likeliest tokens where *chance* is None."""
        self.eval()
        tokens = padded(rows, PAD)
        real = tokens != PAD
        written = torch.empty(len(rows), 0, dtype=torch.long)
        cache: Cache | None = None
        while written.shape[1] < LONGEST_ACTION and not (written == END).any(1).all():
            logits, cache = self(tokens, real, cache)
            logits = logits[:, -1].index_fill(1, torch.tensor([PAD, UNKNOWN, ACT, OBSERVE]), -torch.inf)
            if chance is None:
                tokens = logits.argmax(-1, keepdim=True)
            else:
                tokens = torch.multinomial(logits.softmax(-1), 1, generator=chance)
            written = torch.cat([written, tokens], 1)
            real = torch.cat([real, torch.ones_like(tokens, dtype=torch.bool)], 1)
        return [row[: row.index(END)] if END in row else row for row in written.tolist()]

    def log_likelihood(self, episodes: Sequence[Episode]) -> tuple[Tensor, Tensor]:
        """Of each token by those before it, and whether the policy wrote it."""
        tokens = padded([episode.tokens for episode in episodes], PAD)
        wrote = padded([episode.wrote for episode in episodes], 0).bool()
        logits, _ = self(tokens, tokens != PAD)
        logs = logits[:, :-1].log_softmax(-1).gather(-1, tokens[:, 1:, None])[..., 0]
        return logs, wrote[:, 1:]


def padded(rows: Sequence[Sequence[int]], filler: int) -> Tensor:
    """*rows*, padded at their start."""
    longest = max(map(len, rows))
    return torch.tensor([[filler] * (longest - len(row)) + [int(each) for each in row] for row in rows])
