"""A model that says what a file has for it: for tests, demonstrations, and measuring what is ours of the time."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

from intercode.errors import BadDataError, UserError
from intercode.models.base import Model
from intercode.models.core import prices
from intercode.models.core.sampling import number
from intercode.types.conversation import Message, Reply, Tool, ToolCall, Usage
from intercode.util.regular_files import read_text


class ScriptedModel(Model):
    r"""`--model scripted:FILE`. The file has a list of replies for each text that a question may hold.

        {"replies": {"How many orders": ["Let me look.\n```bash\nls\n```", "submit"], "": ["submit"]}}

    The first text (`""` is in every question) that is in the first message of the user decides; the n-th answer of the
    conversation is the n-th reply, and the last one is given again and again. Demonstrations are passed over. So it
    answers equal conversations equally, however many go on at once. A reply that is an object
    `{"tool": NAME, "arguments": {…}}` is a tool call.

    `delay` is how many seconds each answer takes. A token is what stands between blanks, and costs nothing unless
    `price_in` and `price_out` say so.
    """

    own_options: ClassVar[tuple[str, ...]] = ("delay",)

    def set_up(self, base_url: str, options: dict[str, str]) -> None:
        if not self.name:
            raise UserError("the scripted model needs its replies: --model scripted:FILE")
        self._replies = _read(Path(self.name))
        self._delay = number(options, "delay") or 0.0
        if not self.price.is_known:
            self.price = prices.FREE

    def complete(self, messages: Sequence[Message], *, tools: Sequence[Tool] = (), seed: int | None = None) -> Reply:
        if self._delay:
            time.sleep(self._delay)
        own = [message for message in messages if not message.is_example]
        query = next((message.text for message in own if message.role == "user"), "")
        replies = next((each for text, each in self._replies.items() if text in query), ("submit",))
        said = sum(message.role == "assistant" for message in own)
        return self._reply(replies[min(said, len(replies) - 1)], messages, said)

    def _reply(self, reply: Any, messages: Sequence[Message], said: int) -> Reply:
        text = reply if isinstance(reply, str) else ""
        calls: tuple[ToolCall, ...] = ()
        if isinstance(reply, dict):
            calls = (ToolCall(f"call_{said}", str(reply["tool"]), json.dumps(reply.get("arguments", {}))),)
        words = text.split() or [call.arguments for call in calls]
        usage = Usage(sum(len(message.text.split()) for message in messages), len(words))
        usage = Usage(usage.prompt_tokens, usage.completion_tokens, 0, self.price.of(usage))
        finish = "tool_calls" if calls else "stop"
        return Reply(text, calls, finish_reason=finish, usage=usage, model=self.name, seconds=self._delay)


@cache
def _read(path: Path) -> Mapping[str, Sequence[Any]]:
    try:
        found = json.loads(read_text(path))
    except (OSError, ValueError, RecursionError) as error:
        raise BadDataError(f"cannot read the replies in {path}: {error}") from error
    replies = found.get("replies") if isinstance(found, dict) else None
    if not isinstance(replies, dict) or not all(isinstance(each, list) and each for each in replies.values()):
        raise BadDataError(
            f'{path} is not of the form {{"replies": {{"TEXT": ["REPLY", …]}}}}, with at least one reply'
        )
    for each in (reply for group in replies.values() for reply in group):
        if not (isinstance(each, str) or (isinstance(each, dict) and isinstance(each.get("tool"), str))):
            raise BadDataError(
                f'a reply in {path} is neither a text nor {{"tool": NAME, "arguments": {{…}}}}: {each!r}'
            )
    return replies
