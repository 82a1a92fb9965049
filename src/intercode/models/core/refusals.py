"""What providers say where they refuse a conversation: status codes, words in errors, finish reasons, empty answers."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from intercode.errors import RefusalError
from intercode.types.conversation import Reply

FINISHED = frozenset(
    {
        *("content_filter", "content_filtered", "refusal", "refused", "safety", "sensitive", "moderation", "blocked"),
        *("prohibited_content", "blocklist", "recitation", "spii", "guardrail_intervened", "guardrails", "policy"),
        *("image_safety", "language", "model_armor"),
    }
)
"""Finish reasons of refused answers: OpenAI's and Azure's, Anthropic's, Google's, Bedrock's, Zhipu's."""

WORDS = re.compile(
    r"content[ _-]?(filter|policy|management|moderation)|policy[ _-]?violation|responsible ?ai|\bsafety\b"
    r"|moderat|flagged|usage polic|acceptable use|guardrail|prohibited[ _]content|inappropriate|blocked by"
    r"|violat\w+ \w* ?polic|invalid_prompt|data_inspection_failed|sensitive (content|information|word)",
    re.IGNORECASE,
)
"""What errors say of a conversation that is refused, in code or message."""

RIGHTS = re.compile(
    r"api[ _-]?key|permission|not authori[sz]ed|unauthori[sz]ed|does not have access|no access|access to (the )?model"
    r"|billing|quota|subscription|unsupported_country|country, region|token (is|has)|credential",
    re.IGNORECASE,
)
"""What errors say where the account, and no conversation, is at fault."""


def is_refusal(status: int, said: str) -> bool:
    """Return whether an answer of this HTTP *status* refuses the conversation; *said* is its code and message."""
    if status == 451:
        return True
    if status == 403:
        return bool(WORDS.search(said)) or not RIGHTS.search(said)
    return status in (400, 422) and bool(WORDS.search(said))


def refuse(found: Mapping[str, Any], reply: Reply | None) -> None:
    """Raise an error where an answer of status 200 refuses.

    Args:
        found: The answer.
        reply: What it was read as; None where it holds no choice.

    Raises:
        RefusalError: Holds the provider's words, and what the answer used.
    """
    if why := _error_in(found) if reply is None else _why(found, reply):
        is_cut = reply is not None and reply.is_cut
        raise RefusalError(f"the provider refused: {why}", None if reply is None else reply.usage, is_cut=is_cut)


def _error_in(found: Mapping[str, Any]) -> str:
    """Return what an answer without a choice says of a refusal; "" for nothing of the kind."""
    feedback = found.get("promptFeedback") or found.get("prompt_feedback")
    blocked = feedback.get("blockReason") or feedback.get("block_reason") if isinstance(feedback, Mapping) else None
    if blocked:
        return f"the prompt was blocked ({blocked})"
    said = json.dumps(found.get("error") or "")[:300]
    return said if WORDS.search(said) else ""


def _why(found: Mapping[str, Any], reply: Reply) -> str:
    choice = found["choices"][0]
    message = choice.get("message") or {}
    more = message.get("provider_specific_fields") or {}
    reason, refusal = reply.finish_reason, message.get("refusal") or more.get("refusal") or choice.get("refusal")
    if refusal:
        return str(refusal)[:300]
    if reason.lower() in FINISHED:
        return f"its answer ended with {reason!r}"
    if error := choice.get("error"):
        said = json.dumps(error)[:300]
        return said if WORDS.search(said) else ""
    if reply.text.strip() or reply.tool_calls or reply.reasoning.strip():
        return ""
    return f"its answer is empty, and ended with {reason!r}" if reason else "its answer is empty"
