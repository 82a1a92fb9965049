"""Every other provider, through LiteLLM (an extra: `pip install intercode-env[litellm]`)."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from importlib.util import find_spec
from threading import Lock
from typing import Any, ClassVar

from intercode.errors import ContextOverflowError, ModelError, ModelRefusedError, RefusalError, UserError
from intercode.models.base import Model
from intercode.models.core import chat_protocol, deadline, keys, prices
from intercode.models.core.defaults import ANSWER, REASONED
from intercode.models.core.providers import BY_LITELLM
from intercode.models.core.rate_limit import RateLimit
from intercode.models.core.refusals import is_refusal
from intercode.models.core.retries import Retries, TransientError, seconds_until
from intercode.models.core.sampling import Sampling, timeout, whole
from intercode.types.conversation import Message, Reply, Tool

RUN_NEARBY = frozenset({"llamafile", "lm_studio", "ollama", "ollama_chat", "vllm"})
"""Providers whose server is on this machine, where no URL says otherwise."""


class LitellmModel(Model):
    """`--model litellm:PROVIDER/NAME`, e.g. `litellm:anthropic/claude-sonnet-4-5`; some providers need no `litellm:`.

    Keys are the provider's own variables (ANTHROPIC_API_KEY, …), or what `key_env` names. Options besides: `timeout`
    (600 seconds), `tries` (8), `wait` (1 second), `requests_per_minute`, `tokens_per_minute`, `reasoning_effort`, and
    `thinking_tokens` (how many it may think before an answer, for models of Anthropic and Google).
    """

    has_server = True

    own_options: ClassVar[tuple[str, ...]] = (
        "timeout",
        "tries",
        "wait",
        *RateLimit.OPTIONS,
        "key_env",
        "reasoning_effort",
        "thinking_tokens",
    )

    def set_up(self, base_url: str, options: dict[str, str]) -> None:
        if not self.name:
            raise UserError("which model? Name it: --model litellm:PROVIDER/NAME")
        if find_spec("litellm") is None:
            raise UserError(f"{self.name} is asked through LiteLLM, an extra: pip install 'intercode-env[litellm]'")
        keys.refuse_as_option(options)
        self.base_url = base_url
        self.timeout = timeout(options)
        self.retries, self._rate = Retries.pop_from(options), RateLimit.pop_from(options)
        self._effort, self._thinking = options.pop("reasoning_effort", None), whole(options, "thinking_tokens")
        self.defaults.reasons |= bool(self._thinking) or self._effort not in (None, "none", "minimal")
        self.defaults.reasoned = max(REASONED, (self._thinking or 0) + ANSWER)
        provider, _, model = self.name.partition("/")
        self._key = self._find_key(options.pop("key_env", ""), BY_LITELLM.get(provider, ""))
        self._lock = Lock()
        if not self.price.is_known:
            self.price = prices.list_price(model, provider)

    def complete(self, messages: Sequence[Message], *, tools: Sequence[Tool] = (), seed: int | None = None) -> Reply:
        characters = sum(len(message.text) for message in messages)

        def ask(sampling: Sampling) -> Reply:
            request = self._request(messages, tools, seed, sampling)
            return self.retries.answer(lambda: self._ask(request, characters), seed=seed)

        return self.defaults.answer(ask)

    def prepare(self) -> None:
        with self._lock:
            self._litellm  # noqa: B018 - it is imported by this

    @property
    def is_local(self) -> bool:
        """See `Model.is_local`. Some providers are programs that people run themselves."""
        return super().is_local if self.base_url else self.name.partition("/")[0] in RUN_NEARBY

    @property
    def versions(self) -> Mapping[str, str]:
        from importlib.metadata import version

        return {"litellm": version("litellm")}

    @cached_property
    def _litellm(self) -> Any:
        import os

        os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")  # else importing it asks the internet for prices
        os.environ.setdefault("LITELLM_MODE", "PRODUCTION")  # else importing it takes what any `.env` says
        import litellm

        litellm.suppress_debug_info = True
        litellm.drop_params = True  # a provider that has no seed is asked without
        return litellm

    def _request(
        self, messages: Sequence[Message], tools: Sequence[Tool], seed: int | None, sampling: Sampling
    ) -> dict[str, Any]:
        request = {
            "model": self.name,
            "messages": chat_protocol.messages_to_json(messages),
            "tools": chat_protocol.tools_to_json(tools) or None,
            "temperature": sampling.temperature,
            "top_p": sampling.top_p,
            "max_tokens": sampling.max_tokens,
            "stop": list(sampling.stop) or None,
            "seed": seed,
            "reasoning_effort": self._effort,
            "thinking": {"type": "enabled", "budget_tokens": self._thinking} if self._thinking else None,
            "logprobs": self.logprobs or None,
            "api_base": self.base_url or None,
            "api_key": self._key or None,
            "num_retries": 0,
            "max_retries": 0,
        }
        return {name: value for name, value in request.items() if value is not None}

    def _find_key(self, named: str, usual: str) -> str:
        """Return the key that is *named*, else that in the variable which is *usual*, where its provider has one."""
        name = named or usual
        key = keys.find(name) if name else ""
        if not key and name and (named or not self.base_url):
            raise UserError(keys.missing(name))
        return key

    def _ask(self, request: dict[str, Any], characters: int) -> Reply:
        self._rate.wait(characters, self.sampling.max_tokens)
        with self._lock:
            litellm = self._litellm
        from openai import OpenAIError

        started = time.monotonic()
        try:
            found = litellm.completion(**request, timeout=min(self.timeout, deadline.seconds_left()))
        except OpenAIError as error:  # the root of all of LiteLLM's
            deadline.check_time()
            raise self._failure(litellm, error) from None  # its own message may hold the key
        text = keys.hide_all(found.model_dump_json(), self._key)
        reply = chat_protocol.read(text, logprobs=self.logprobs, price=self.price)
        return replace(reply, seconds=time.monotonic() - started)

    def _failure(self, litellm: Any, error: Any) -> Exception:
        """Return what one of LiteLLM's exceptions, which are OpenAI's, means."""
        kinds = litellm.exceptions
        what = f"{self.name}: {keys.hide_all(str(error), self._key)[:400]}"
        if isinstance(error, kinds.ContextWindowExceededError):
            return ContextOverflowError(what)
        status = getattr(error, "status_code", 0) or 0
        if isinstance(error, kinds.ContentPolicyViolationError) or is_refusal(int(status), str(error)):
            return RefusalError(what)
        if isinstance(error, kinds.AuthenticationError | kinds.NotFoundError):
            return ModelRefusedError(what)
        if isinstance(error, kinds.BadRequestError | kinds.PermissionDeniedError | kinds.UnprocessableEntityError):
            return ModelError(what)
        response = getattr(error, "response", None)
        headers = getattr(response, "headers", None) or {}
        return TransientError(what, seconds_until(headers.get("retry-after")))
