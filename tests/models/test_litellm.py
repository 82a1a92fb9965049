"""LiteLLM, where it is installed, against the same server."""

from __future__ import annotations

import traceback
from importlib.util import find_spec

import pytest
from openai_server import Server

from intercode import models
from intercode.errors import ContextOverflowError, IntercodeError, ModelError, ModelRefusedError
from intercode.types.conversation import Message

pytestmark = pytest.mark.skipif(
    find_spec("litellm") is None,
    reason="LiteLLM is not installed. It wants an older openai, so give it an environment of its own: see "
    "docs/decisions/models.md",
)
TOO_LONG = (
    '{"error": {"message": "This model\'s maximum context length is 8 tokens.", "code": "context_length_exceeded"}}'
)


KEY = "sk-very-secret-0123456789"


def test_no_providers_key_is_in_an_answer_or_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """Providers have variables of their own for keys, which nobody named to us."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    bad = f'{{"error": {{"message": "bad {KEY}"}}}}'
    server = Server(lambda request: {"content": f"your key is {KEY}"}, lambda number: bad if number else "")
    with models.load("litellm:openai/gpt-4o-mini", base_url=server.url) as model:
        reply = model.complete([Message("user", "hi")])
        assert (reply.text, KEY in repr(reply)) == ("your key is [key]", False)
        with pytest.raises(ModelError, match=r"bad \[key\]") as caught:
            model.complete([Message("user", "hi")])
    server.close()
    assert server.headers[0]["authorization"] == f"Bearer {KEY}"
    assert KEY not in "".join(traceback.format_exception(caught.value))


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        ("", None),
        ("429", None),
        ("500", None),
        ("no json", None),
        ("401", ModelRefusedError),
        (TOO_LONG, ContextOverflowError),
    ],
)
def test_failures_are_told_apart_as_by_openais_protocol(
    fault: str, error: type[IntercodeError] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    server = Server(lambda request: {"content": "a b"}, lambda number: fault if number == 0 else "")
    model = models.load("litellm:openai/gpt-4o-mini", base_url=server.url, options={"wait": "0.01"})
    try:
        if error is None:
            reply = model.complete([Message("user", "hi")], seed=1)
            assert (reply.text, reply.tries) == ("a b", 2 if fault else 1)
            assert reply.usage.cost
        else:
            with pytest.raises(error):
                model.complete([Message("user", "hi")])
    finally:
        server.close()
