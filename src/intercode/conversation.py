"""What goes to a model and what comes back: frozen values, kept with every turn that a model decided."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Role = Literal["system", "user", "assistant", "tool"]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A function that a model wants called. `arguments` is the text it wrote, which may be no JSON at all."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Tool:
    """A function that a model may call. `parameters` is the JSON schema of its arguments, an object's."""

    name: str
    description: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Message:
    """One part of a conversation. A `tool` message answers the call whose id is `tool_call_id`."""

    role: Role
    text: str
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str = ""


@dataclass(frozen=True, slots=True)
class Usage:
    """What one or more answers took. `cached_tokens` are those of the prompt that the server had kept.

    `cost` is in US dollars, None where the price of any of them is not known.
    """

    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    cost: float | None = 0.0

    def __add__(self, other: Usage) -> Usage:
        """Both together."""
        return Usage(
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            self.cached_tokens + other.cached_tokens,
            None if self.cost is None or other.cost is None else self.cost + other.cost,
        )

    @property
    def tokens(self) -> int:
        """Those read and those written."""
        return self.prompt_tokens + self.completion_tokens


NO_USAGE = Usage()


@dataclass(frozen=True, slots=True)
class Tokens:
    """The tokens of an answer as its server numbers them. What it does not tell is empty.

    `texts`, `ids` and `logprobs` (natural logarithms) belong together, one for each token written; `prompt_ids` are
    those that it read.
    """

    texts: tuple[str, ...] = ()
    ids: tuple[int, ...] = ()
    logprobs: tuple[float, ...] = ()
    prompt_ids: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer of a model. `finish_reason` is the server's word (`stop`, `length`, `tool_calls`…).

    `reasoning` is what it thought aloud apart from the answer, `model` who answered by the server's account, `seconds`
    how long the answer itself took, `tries` how often it was asked for, failures included. `tokens` is there where they
    were asked for; `raw` is the answer as it came, as JSON, without what `tokens` has.
    """

    text: str
    tool_calls: tuple[ToolCall, ...] = ()
    reasoning: str = ""
    finish_reason: str = ""
    usage: Usage = NO_USAGE
    model: str = ""
    seconds: float = 0.0
    tries: int = 1
    tokens: Tokens | None = None
    raw: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ModelCall:
    """One question to a model and its answer.

    The messages of the question are not written down again and again: they are the first `kept` of the call before in
    the same episode (its answer counted as one more), then `sent`. `conversations` puts them together. Nor are the
    tools that the model was offered: `tools` is empty where they are those of the call before.
    """

    kept: int
    sent: tuple[Message, ...]
    reply: Reply
    tools: tuple[Tool, ...] = ()


def conversations(calls: Iterable[ModelCall]) -> Iterator[tuple[tuple[Message, ...], Reply]]:
    """All messages of each question, and its answer, for the *calls* of one episode from its first."""
    before: tuple[Message, ...] = ()
    for call in calls:
        messages = before[: call.kept] + call.sent
        yield messages, call.reply
        before = (*messages, said(call.reply))


def said(reply: Reply) -> Message:
    """An answer as a message of the conversation that goes on."""
    return Message("assistant", reply.text, reply.tool_calls)
