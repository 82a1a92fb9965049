"""What goes to a model and what comes back: frozen values, kept with every turn that a model decided."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Json = dict[str, Any]
"""What `json.dumps` writes: dictionaries, lists, texts, numbers, truth values and None."""


def plain_fields(value: Any) -> Json:
    """Return the fields of *value*, a frozen dataclass with slots, by name; tuples become lists."""
    fields = ((name, getattr(value, name)) for name in value.__slots__)
    return {name: list(field) if type(field) is tuple else field for name, field in fields}


Role = Literal["system", "user", "assistant", "tool"]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A function that a model wants to call.

    Attributes:
        id: What the answer to the call refers to.
        name: The function's name.
        arguments: The text that the model wrote, which may not be valid JSON.
    """

    id: str
    name: str
    arguments: str

    def as_dict(self) -> Json:
        """As JSON."""
        return plain_fields(self)


@dataclass(frozen=True, slots=True)
class Tool:
    """A function that a model may call.

    Attributes:
        name: The function's name.
        description: What it does, for the model.
        parameters: The JSON Schema of its arguments, an object's.
    """

    name: str
    description: str
    parameters: Mapping[str, Any]

    def as_dict(self) -> Json:
        """As JSON."""
        return plain_fields(self) | {"parameters": dict(self.parameters)}


@dataclass(frozen=True, slots=True)
class Message:
    """One part of a conversation.

    Attributes:
        role: Who speaks.
        text: What is said.
        tool_calls: The functions that the model wants to call.
        tool_call_id: In a `tool` message: the id of the call that it answers.
        is_example: Whether it is part of a demonstration, and not of the episode.
    """

    role: Role
    text: str
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str = ""
    is_example: bool = False

    def as_dict(self) -> Json:
        """As JSON, without `is_example` where it is none."""
        found = plain_fields(self) | {"tool_calls": [call.as_dict() for call in self.tool_calls]}
        if not self.is_example:
            del found["is_example"]
        return found


@dataclass(frozen=True, slots=True)
class Usage:
    """What one or more answers used.

    Attributes:
        prompt_tokens: Tokens that were read.
        completion_tokens: Tokens that were written.
        cached_tokens: Tokens of the prompt that the server had in its cache.
        cost: US dollars. None where the price of any of the answers is not known.
        reasoning_tokens: Tokens of the completion that were thought before the answer.
        from_cache: Tokens, read and written, of answers from our own cache: nobody was asked, so they cost nothing.
    """

    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    cost: float | None = 0.0
    reasoning_tokens: int = 0
    from_cache: int = 0

    def __add__(self, other: Usage) -> Usage:
        """Return both together."""
        return Usage(
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            self.cached_tokens + other.cached_tokens,
            None if self.cost is None or other.cost is None else self.cost + other.cost,
            self.reasoning_tokens + other.reasoning_tokens,
            self.from_cache + other.from_cache,
        )

    @property
    def tokens(self) -> int:
        """Tokens that were read and tokens that were written."""
        return self.prompt_tokens + self.completion_tokens

    def as_dict(self) -> Json:
        """As JSON."""
        return plain_fields(self)


NO_USAGE = Usage()

CUT = frozenset({"length", "max_tokens", "max_output_tokens", "model_length", "model_context_window_exceeded"})
"""Finish reasons of answers that ended for want of tokens: OpenAI's, Anthropic's and Google's, Mistral's."""


@dataclass(frozen=True, slots=True)
class Tokens:
    """The tokens of an answer as its server numbers them. What the server does not tell is empty.

    Attributes:
        texts: The text of each token that was written.
        ids: The number of each token that was written.
        logprobs: The natural logarithm of the probability of each token that was written.
        prompt_ids: The numbers of the tokens that were read.
    """

    texts: tuple[str, ...] = ()
    ids: tuple[int, ...] = ()
    logprobs: tuple[float, ...] = ()
    prompt_ids: tuple[int, ...] = ()

    def as_dict(self) -> Json:
        """As JSON."""
        return plain_fields(self)


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer of a model.

    Attributes:
        text: What it said.
        tool_calls: The functions that it wants to call.
        reasoning: What it thought aloud apart from the answer.
        finish_reason: The server's word: `stop`, `length`, `tool_calls` and so on.
        usage: What the answer used.
        model: Who answered, as the server says it.
        seconds: How long the answer took, without the tries that failed before it.
        tries: How often it was asked for, failures included; 0 where it comes from our cache.
        tokens: Its tokens, where they were asked for.
        raw: The answer as it came, as JSON, without what `tokens` has.
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

    @property
    def is_cut(self) -> bool:
        """Return whether it ended before the model was done, as it had no more tokens."""
        return self.finish_reason.lower() in CUT

    def as_dict(self) -> Json:
        """As JSON."""
        return plain_fields(self) | {
            "tool_calls": [call.as_dict() for call in self.tool_calls],
            "usage": self.usage.as_dict(),
            "tokens": None if self.tokens is None else self.tokens.as_dict(),
            "raw": dict(self.raw),
        }


@dataclass(frozen=True, slots=True)
class ModelCall:
    """One question to a model and its answer.

    A record does not repeat the messages that the model had already seen; `conversations` puts them together again.

    Attributes:
        kept: How many messages the question begins with that the call before in the same episode had as well (its
            answer counted as one more).
        sent: The messages after these.
        reply: The answer.
        tools: The tools that the model was offered; empty where they are those of the call before.
    """

    kept: int
    sent: tuple[Message, ...]
    reply: Reply
    tools: tuple[Tool, ...] = ()

    def as_dict(self) -> Json:
        """As JSON, without `tools` where they are those of the call before."""
        tools = {"tools": [tool.as_dict() for tool in self.tools]} if self.tools else {}
        sent = [message.as_dict() for message in self.sent]
        return {"kept": self.kept, "sent": sent, "reply": self.reply.as_dict()} | tools


def conversations(calls: Iterable[ModelCall]) -> Iterator[tuple[tuple[Message, ...], Reply]]:
    """Put the messages of each question together.

    Args:
        calls: The calls of one episode, from its first.

    Yields:
        All messages of each question, and its answer.
    """
    before: tuple[Message, ...] = ()
    for call in calls:
        messages = before[: call.kept] + call.sent
        yield messages, call.reply
        before = (*messages, as_message(call.reply))


def as_message(reply: Reply) -> Message:
    """Return the answer as a message, for a conversation that goes on."""
    return Message("assistant", reply.text, reply.tool_calls)
