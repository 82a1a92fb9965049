"""Any server that speaks OpenAI's protocol: OpenAI's own, vLLM, Ollama, llama.cpp, OpenRouter and many more.

The `openai` package talks to it. Its typed methods walk through every message anew for each request, several
milliseconds of it in a long episode; its `post`, which it has for requests that it has no method for, does not. Every
question under way has a client to itself: a pool of connections looks through all of them for each request.
"""

from __future__ import annotations

import socket
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from importlib import import_module
from json import loads
from typing import TYPE_CHECKING, Any, ClassVar
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from intercode.errors import ContextOverflowError, ModelError, ModelRefusedError, RefusalError, UserError
from intercode.models.base import Model
from intercode.models.core import chat_protocol, deadline, keys, prices, providers
from intercode.models.core.rate_limit import RateLimit
from intercode.models.core.refusals import is_refusal
from intercode.models.core.retries import Retries, TransientError, seconds_until
from intercode.models.core.sampling import Sampling, timeout
from intercode.types.conversation import Message, Reply, Tool
from intercode_sandbox.util.text import sentences

if TYPE_CHECKING:
    from ssl import SSLContext

    from openai import APIStatusError, OpenAI

OFFICIAL = providers.PROVIDERS[providers.OPENAI].url
PORTS = {"http": 80, "https": 443}
MOST = 4000
"""Characters of a failure's body that are looked at."""

PATIENCE = 10.0
"""Seconds in which a server must let somebody in before a run."""

TOO_LONG = (
    "context_length_exceeded",
    "context length",
    "context size",
    "context window",
    "maximum model length",
    "prompt is too long",
    "too many tokens",
    "exceeds the available context",
)
"""What servers say of a conversation that is too long: OpenAI and vLLM, llama.cpp, Anthropic's, and others."""


class OpenaiModel(Model):
    """`--model NAME` at OpenAI or `--base-url URL`, and `--model PROVIDER/NAME` for those in `models.core.providers`.

    Options, besides those of every model:

    - `timeout`: seconds that the server has for an answer, 600;
    - `tries`: how often a question is asked, 8;
    - `wait`: seconds before the second try, 1;
    - `requests_per_minute`, `tokens_per_minute`: limits that we keep to;
    - `key_env`: the variable, or the keyring's entry, that holds the key, by default the provider's usual one;
    - `reasoning_effort`: `low`, `medium`, `high` and what else a model knows;
    - `seed=none`: for servers that take no seed;
    - `body.NAME=VALUE`: anything else that the server takes.
    """

    has_server = True

    heeds_environment: ClassVar[bool] = True
    """Whether proxies and authorities that the environment names are used."""

    own_options: ClassVar[tuple[str, ...]] = (
        "timeout",
        "tries",
        "wait",
        *RateLimit.OPTIONS,
        "seed",
        "key_env",
        "reasoning_effort",
        "body.NAME",
    )

    def set_up(self, base_url: str, options: dict[str, str]) -> None:
        if not self.name:
            raise UserError("which model? Name it: --model NAME")
        keys.refuse_as_option(options)
        self._provider, self.name = providers.find(self.name, base_url)
        self.base_url = _check_url(base_url or self._provider.base_url)
        self.timeout = timeout(options)
        self.retries, self._rate = Retries.pop_from(options), RateLimit.pop_from(options)
        self._seeded = _takes_seed(options) and self._provider.takes_seed
        self._key = self._find_key(options.pop("key_env", ""))
        self._effort = options.pop("reasoning_effort", None)
        self._extra = {name.removeprefix("body."): _value(options.pop(name)) for name in _extras(options)}
        self.defaults.reasons |= self._effort not in (None, "none", "minimal")
        self.defaults.is_bounded = self._extra.keys().isdisjoint(("max_tokens", "max_completion_tokens"))
        if not self.price.is_known:
            self.price = prices.list_price(self.name, self.base_url)
        self._clients: list[OpenAI] = []
        self._idle: list[OpenAI] = []

    def complete(self, messages: Sequence[Message], *, tools: Sequence[Tool] = (), seed: int | None = None) -> Reply:
        characters = sum(len(message.text) for message in messages)

        def ask(sampling: Sampling) -> Reply:
            body = self._body(messages, tools, seed, sampling)
            return self.retries.answer(lambda: self._ask(body, characters), seed=seed)

        return self.defaults.answer(ask)

    def prepare(self) -> None:
        self._idle.append(self._free_client())

    def check_reachable(self) -> None:
        """See `Model.check_reachable`. Behind a proxy nothing is checked: only the proxy knows."""
        parts = urlsplit(self.base_url)
        host = parts.hostname or ""
        if {parts.scheme, "all"} & getproxies().keys() and not proxy_bypass(host):
            return
        try:
            socket.create_connection((host, parts.port or PORTS[parts.scheme]), timeout=PATIENCE).close()
        except OSError as error:
            why = error.strerror or str(error)
            raise UserError(
                f"no server answers at {self.base_url}: {why}. Start the server, or name another with --base-url"
            ) from error

    @property
    def knows_price(self) -> bool:
        """OpenRouter tells the cost with each answer."""
        return super().knows_price or (urlsplit(self.base_url).hostname or "").endswith("openrouter.ai")

    @property
    def versions(self) -> Mapping[str, str]:
        from importlib.metadata import version

        return {"openai": version("openai")}

    def close(self) -> None:
        self._idle.clear()
        while self._clients:
            self._clients.pop().close()

    def _free_client(self) -> OpenAI:
        """Return one that answers nobody at the moment; who is done with it puts it back among the idle ones."""
        try:
            return self._idle.pop()
        except IndexError:
            return self._new_client()

    def _new_client(self) -> OpenAI:
        from openai import DefaultHttpxClient, OpenAI

        hooks = {"response": [deadline.end_late_bodies(self._http_library)]}
        http = DefaultHttpxClient(verify=self._authorities, event_hooks=hooks, trust_env=self.heeds_environment)
        key = self._key or "none"
        client = OpenAI(api_key=key, base_url=self.base_url, timeout=self.timeout, max_retries=0, http_client=http)
        self._clients.append(client)
        return client

    @cached_property
    def _authorities(self) -> SSLContext:
        """Return who may vouch for servers: read once for all clients, since it takes 40 ms."""
        found: SSLContext = self._http_library.create_ssl_context()
        return found

    @cached_property
    def _http_library(self) -> Any:
        """Return the library beneath: httpx, or with openai 3 its successor httpx2."""
        from openai import DefaultHttpxClient

        return import_module(DefaultHttpxClient.__mro__[1].__module__.partition(".")[0])

    def _body(
        self, messages: Sequence[Message], tools: Sequence[Tool], seed: int | None, sampling: Sampling
    ) -> dict[str, Any]:
        longest = "max_completion_tokens" if self.base_url == OFFICIAL else "max_tokens"
        body = {
            "model": self.name,
            "messages": chat_protocol.messages_to_json(messages),
            "tools": chat_protocol.tools_to_json(tools) or None,
            "temperature": sampling.temperature,
            "top_p": sampling.top_p,
            longest: sampling.max_tokens,
            "stop": list(sampling.stop) or None,
            "seed": seed if self._seeded else None,
            "reasoning_effort": self._effort,
            "logprobs": self.logprobs or None,
            "return_token_ids": self.logprobs or None if self.base_url != OFFICIAL else None,  # vLLM's
        }
        return {name: value for name, value in (body | self._extra).items() if value is not None}

    def _ask(self, body: dict[str, Any], characters: int) -> Reply:
        self._rate.wait(characters, self.sampling.max_tokens)
        client = self._free_client()
        started = time.monotonic()
        try:
            text = keys.hide(self._post(client, body), self._key)
        finally:
            self._idle.append(client)
        reply = chat_protocol.read(text, logprobs=self.logprobs, price=self.price)
        return replace(reply, seconds=time.monotonic() - started)

    def _post(self, client: OpenAI, body: dict[str, Any]) -> str:
        from openai import APIConnectionError, APIStatusError, APITimeoutError

        try:
            with deadline.answer_within(self.timeout):
                return client.post(
                    "/chat/completions", body=body, cast_to=str, options={"timeout": deadline.seconds_left()}
                )
        except APITimeoutError as error:
            deadline.check_time()
            raise TransientError(f"{self.base_url} did not answer within {self.timeout:g} s") from error
        except APIConnectionError as error:
            cause = keys.hide(str(error.__cause__ or error), self._key)
            raise TransientError(f"the connection to {self.base_url} failed: {cause}") from error
        except APIStatusError as error:
            raise self._failure(error) from None  # its own message may hold the key

    def _failure(self, error: APIStatusError) -> Exception:
        """Return what an answer other than 2xx means."""
        status, code = error.status_code, error.code or ""
        said = keys.hide(_message_of(error), self._key)[:300] or "nothing more"
        what = f"{self.base_url} answered {status}: {said}"
        if status in (400, 413, 422) and any(sign in f"{code} {said}".lower() for sign in TOO_LONG):
            return ContextOverflowError(what)
        if is_refusal(status, f"{code} {_body_of(error)}"):
            return RefusalError(what)
        if status == 401:
            return ModelRefusedError(sentences(what, f"Is there a valid key in {self._key_name}?"))
        if status == 404:
            return ModelRefusedError(sentences(what, f"Are --model {self.name} and --base-url right?"))
        if status == 402 or code == "insufficient_quota":
            return ModelRefusedError(sentences(what, "Its account has nothing left"))
        if status in (408, 409, 425, 429) or status >= 500:
            return TransientError(what, seconds_until(error.response.headers.get("retry-after")))
        return ModelError(what)

    def _find_key(self, named: str) -> str:
        usual = self._provider.keys
        found = {name: key for name in ((named,) if named else usual) if (key := keys.find(name))}
        self._key_name = next(iter(found), named or usual[0])
        is_needed = named or (not self._provider.local and self.base_url == self._provider.url)
        if not found and is_needed:
            raise UserError(keys.missing(self._key_name, "or name a server of your own with --base-url"))
        return next(iter(found.values()), "")


def _check_url(url: str) -> str:
    try:
        parts = urlsplit(url)
        leads_somewhere = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:  # half an IPv6 address, or a port that is no number up to 65535
        leads_somewhere = False
    if not leads_somewhere:
        shown = url.rpartition("@")[2].partition("?")[0]  # without a password or a key
        raise UserError(f"--base-url is like http://localhost:8000/v1, not {shown!r}")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise UserError("--base-url holds neither a user nor a query: it is written into the run's manifest")
    return url.rstrip("/")


def _takes_seed(options: dict[str, str]) -> bool:
    given = options.pop("seed", None)
    if given not in (None, "none"):
        raise UserError(
            f"the model option seed is none, not {given!r}: leave it out, and questions have seeds by --seed"
        )
    return given is None


def _extras(options: dict[str, str]) -> list[str]:
    return [name for name in options if name.startswith("body.")]


def _value(text: str) -> Any:
    """JSON where it is such, else text."""
    try:
        return loads(text)
    except ValueError:
        return text


def _message_of(error: APIStatusError) -> str:
    """Return the server's own words, which may be anything."""
    body = error.body
    found = body.get("message") if isinstance(body, dict) else None
    nested = body.get("error") if isinstance(body, dict) else None
    if found is None and isinstance(nested, dict):
        found = nested.get("message")
    return str(found or error.response.text).strip()


def _body_of(error: APIStatusError) -> str:
    """Return all that the server says of the failure: providers tell the reason in a field of their own."""
    return error.response.text[:MOST]
