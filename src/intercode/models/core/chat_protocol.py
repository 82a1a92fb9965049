"""OpenAI's chat protocol: conversations written as its JSON, replies read from it.

Platform reference, "Create chat completion" (https://platform.openai.com/docs/api-reference/chat/create). What servers
add: `reasoning_content` or `reasoning` (vLLM, DeepSeek, OpenRouter), token ids (vLLM's `return_token_ids`, llama.cpp's
`id` in log probabilities), `usage.cost` (OpenRouter).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from intercode.errors import BadDataError
from intercode.models.core import refusals
from intercode.models.core.prices import NO_PRICE, Price
from intercode.models.core.retries import TransientError
from intercode.types.conversation import Message, Reply, Tokens, Tool, ToolCall, Usage
from intercode.types.validation import check_depth, check_reply

Json = dict[str, Any]


def messages_to_json(messages: Sequence[Message]) -> list[Json]:
    """Return the `messages` of a request. Lone surrogates, which no server reads, become question marks."""
    return [_message_to_json(message) for message in messages]


def tools_to_json(tools: Sequence[Tool]) -> list[Json]:
    """Return the `tools` of a request."""
    return [
        {
            "type": "function",
            "function": {"name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)},
        }
        for tool in tools
    ]


def read(text: str, *, logprobs: bool, price: Price = NO_PRICE) -> Reply:
    """Return the reply in a response's body. Where its server tells no cost, that is by *price*.

    Raises:
        TransientError: If it is none: servers under load send such things.
        RefusalError: If the provider refuses.
    """
    try:
        found = json.loads(text)
        check_depth("the answer", found)
    except (ValueError, RecursionError, BadDataError) as error:
        raise TransientError(f"the server's answer is not JSON ({_beginning(text)})") from error
    return reply_of(found, logprobs=logprobs, price=price)


def reply_of(found: Any, *, logprobs: bool, price: Price = NO_PRICE) -> Reply:
    """Return the reply in a response as JSON.

    Raises:
        TransientError: If it is none.
        RefusalError: If the provider refuses.
    """
    try:
        if not found.get("choices"):
            refusals.refuse(found, None)
            raise TransientError(f"the server's answer holds no choice ({_beginning(json.dumps(found))})")
        reply = _reply(found, logprobs)
        check_reply(reply)
        if reply.usage.cost is None:
            reply = replace(reply, usage=replace(reply.usage, cost=price.of(reply.usage)))
        refusals.refuse(found, reply)
    except (AttributeError, KeyError, TypeError, ValueError, IndexError, OverflowError, BadDataError) as error:
        raise TransientError(f"the server's answer has an unknown form ({_beginning(json.dumps(found))})") from error
    return reply


def _reply(found: Json, logprobs: bool) -> Reply:
    choice = found["choices"][0]
    message = choice["message"]
    tokens = _tokens(found, choice) if logprobs else None
    return Reply(
        text=_text(message.get("content")),
        tool_calls=tuple(_tool_call(number, each) for number, each in enumerate(message.get("tool_calls") or ())),
        reasoning=_text(message.get("reasoning_content") or message.get("reasoning")),
        finish_reason=str(choice.get("finish_reason") or ""),
        usage=_usage(found.get("usage") or {}),
        model=str(found.get("model") or ""),
        tokens=tokens,
        raw=_without_tokens(found) if logprobs else found,
    )


def _text(content: Any) -> str:
    """Content is text, nothing, or parts of which some are text."""
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    return "".join(str(part.get("text") or "") for part in content)


def _tool_call(number: int, call: Json) -> ToolCall:
    function = call["function"]
    arguments = function.get("arguments") or ""
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)  # Ollama's is an object
    return ToolCall(str(call.get("id") or f"call_{number}"), str(function["name"]), text)


def _usage(usage: Json) -> Usage:
    details = usage.get("prompt_tokens_details") or {}
    written = usage.get("completion_tokens_details") or {}
    cost = usage.get("cost")
    return Usage(
        int(usage.get("prompt_tokens") or 0),
        int(usage.get("completion_tokens") or 0),
        int(details.get("cached_tokens") or 0),
        float(cost) if isinstance(cost, int | float) else None,
        int(written.get("reasoning_tokens") or 0),
    )


def _tokens(found: Json, choice: Json) -> Tokens:
    content = (choice.get("logprobs") or {}).get("content") or ()
    ids = choice.get("token_ids") or [each["id"] for each in content if "id" in each]
    return Tokens(
        texts=tuple(str(each["token"]) for each in content),
        ids=tuple(int(each) for each in ids),
        logprobs=tuple(float(each["logprob"]) for each in content),
        prompt_ids=tuple(int(each) for each in found.get("prompt_token_ids") or choice.get("prompt_token_ids") or ()),
    )


def _without_tokens(found: Json) -> Json:
    """Return the response but for what `Tokens` has of it: it would be stored twice."""
    bulky = ("logprobs", "token_ids", "prompt_token_ids")
    choices = [{name: value for name, value in each.items() if name not in bulky} for each in found["choices"]]
    return {name: value for name, value in found.items() if name not in bulky} | {"choices": choices}


def _message_to_json(message: Message) -> Json:
    text = message.text.encode("utf-8", "replace").decode()
    plain: Json = {"role": message.role, "content": text}
    if message.tool_calls:
        plain["tool_calls"] = [_tool_call_to_json(call) for call in message.tool_calls]
        plain["content"] = text or None
    if message.tool_call_id:
        plain["tool_call_id"] = message.tool_call_id
    return plain


def _tool_call_to_json(call: ToolCall) -> Mapping[str, Any]:
    """Arguments that are no JSON are sent back as an empty object: servers refuse a conversation that holds them."""
    try:
        is_object = isinstance(json.loads(call.arguments), dict)
    except (ValueError, RecursionError):
        is_object = False
    arguments = call.arguments.encode("utf-8", "replace").decode() if is_object else "{}"
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": arguments}}


def _beginning(text: str) -> str:
    short = text.strip()[:200]
    return repr(short) if short else "it is empty"
