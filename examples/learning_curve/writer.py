"""A small transformer that writes commands token by token, and the text of an episode as tokens. Needs torch."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import torch
from examples.learning_curve.templates import Request
from torch import Tensor, nn

PAD, UNKNOWN, ACT, OBSERVE, END = range(5)
PIECE = re.compile(r"<[A-Z]+\d*>|\w+|\s+|[^\w\s]")
SUBMIT = "submit"
LONGEST_ACTION = 64
LONGEST_OBSERVATION = 16


class Vocabulary:
    """Numbers for the words of requests and the pieces of commands; what is in neither is `UNKNOWN`."""

    def __init__(self, texts: Iterable[Sequence[str]]) -> None:
        self._pieces = ["", "?", "", "", "", *sorted({piece for text in texts for piece in text})]
        self._numbers = {piece: number for number, piece in enumerate(self._pieces) if number > END}

    def __len__(self) -> int:
        return len(self._pieces)

    def encode(self, pieces: Iterable[str]) -> list[int]:
        """The number of each piece."""
        return [self._numbers.get(piece, UNKNOWN) for piece in pieces]

    def decode(self, tokens: Iterable[int]) -> str:
        """The text again."""
        return "".join(self._pieces[token] for token in tokens)


def pieces(text: str) -> list[str]:
    """The pieces of a command template; together they are the template."""
    return PIECE.findall(text)


@dataclass
class Episode:
    """An episode as tokens; `wrote` says which of them the policy wrote, and at which turn (-1: none)."""

    tokens: list[int]
    wrote: list[int] = field(default_factory=list)
    commands: tuple[str, ...] = ()
    is_over: bool = False

    @classmethod
    def of(cls, request: Request, vocabulary: Vocabulary) -> Episode:
        """One that begins."""
        tokens = [*vocabulary.encode(request.words), ACT]
        return cls(tokens, [-1] * len(tokens))

    def act(self, tokens: Sequence[int], turn: int) -> None:
        """Add what was written, and the end of it."""
        self.tokens += [*tokens, END]
        self.wrote += [turn] * (len(tokens) + 1)

    def observe(self, shown: str, request: Request, vocabulary: Vocabulary) -> None:
        """Add what the command showed, its values blanked, cut short; another action is due."""
        slots = {value: slot for slot, value in request.slots.items() if value}
        for value in sorted(slots, key=len, reverse=True):
            shown = shown.replace(value, slots[value])
        seen = vocabulary.encode(pieces(shown)[:LONGEST_OBSERVATION])
        self.tokens += [OBSERVE, *seen, ACT]
        self.wrote += [-1] * (len(seen) + 2)


class Writer(nn.Module):  # type: ignore[misc] # torch is not there where types are checked
    """A causal transformer."""

    def __init__(
        self, vocabulary: int, *, width: int = 128, layers: int = 3, heads: int = 4, longest: int = 320
    ) -> None:
        super().__init__()
        self.tokens, self.places = nn.Embedding(vocabulary, width), nn.Embedding(longest, width)
        layer = nn.TransformerEncoderLayer(
            width, heads, 4 * width, dropout=0.0, activation="gelu", batch_first=True, norm_first=True
        )
        self.body = nn.TransformerEncoder(layer, layers, norm=nn.LayerNorm(width), enable_nested_tensor=False)
        self.head = nn.Linear(width, vocabulary)

    def forward(self, tokens: Tensor) -> Tensor:
        """Logits of the next token at each place. Padding is at the end, where no earlier place sees it."""
        length = tokens.shape[1]
        mask = nn.Transformer.generate_square_subsequent_mask(length, device=tokens.device)
        places = torch.arange(length, device=tokens.device)
        logits: Tensor = self.head(self.body(self.tokens(tokens) + self.places(places), mask=mask, is_causal=True))
        return logits

    @property
    def device(self) -> torch.device:
        """Where it runs."""
        return self.head.weight.device

    def batch(self, rows: Sequence[Sequence[int]]) -> Tensor:
        """*rows*, padded at the end."""
        return nn.utils.rnn.pad_sequence(
            [torch.tensor(row, device=self.device) for row in rows], batch_first=True, padding_value=PAD
        )

    @torch.no_grad()  # type: ignore[untyped-decorator]
    def write(self, rows: Sequence[Sequence[int]], chance: torch.Generator | None) -> list[list[int]]:
        """The next action of each row, without its `END`; the likeliest tokens where *chance* is None."""
        written: list[list[int]] = [[] for _ in rows]
        going = list(range(len(rows)))
        for _ in range(LONGEST_ACTION):
            if not going:
                break
            texts = [[*rows[number], *written[number]] for number in going]
            at = torch.tensor([len(text) - 1 for text in texts], device=self.device)
            logits = self(self.batch(texts))[torch.arange(len(texts), device=self.device), at]
            logits[:, [PAD, UNKNOWN, ACT, OBSERVE]] = -torch.inf
            if chance is None:
                chosen = logits.argmax(-1)
            else:
                chosen = torch.multinomial(logits.softmax(-1).cpu(), 1, generator=chance)[:, 0]
            for number, token in zip(going, chosen.tolist(), strict=True):
                if token != END:
                    written[number].append(token)
            going = [number for number, token in zip(going, chosen.tolist(), strict=True) if token != END]
        return written

    def log_likelihood(self, episodes: Sequence[Episode]) -> tuple[Tensor, Tensor]:
        """Of each token that was written, and the turn at which it was; -1 for other tokens."""
        tokens = self.batch([episode.tokens for episode in episodes])
        turns = nn.utils.rnn.pad_sequence(
            [torch.tensor(episode.wrote, device=self.device) for episode in episodes],
            batch_first=True,
            padding_value=-1,
        )
        logs = self(tokens)[:, :-1].log_softmax(-1).gather(-1, tokens[:, 1:, None])[..., 0]
        return logs, turns[:, 1:]
