"""Weights on this machine: llama.cpp runs GGUF files (an extra: `pip install intercode-env[local]`).

Its server starts with the first question and ends with the model. It answers as many conversations at once as it has
slots. Folders as Hugging Face lays them out are run by Transformers, one question at a time.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from importlib.metadata import version
from importlib.util import find_spec
from threading import Lock
from typing import ClassVar

from intercode.errors import ModelError, ModelRefusedError, UserError
from intercode.models.base import Model
from intercode.models.core import prices
from intercode.models.core.sampling import timeout, whole
from intercode.models.local import weights
from intercode.models.local.server import LocalServer, ServerSettings
from intercode.models.openai import OpenaiModel
from intercode.models.transformers import TransformersModel
from intercode.types.conversation import Message, Reply, Tool

SLOTS = 4
CONTEXT = 8192

PLAIN = (
    "{% for message in messages %}{% if message.role == 'assistant' %}Assistant: {% elif message.role != 'system' %}"
    "User: {% endif %}{{ message.content }}\n\n{% endfor %}{% if add_generation_prompt %}Assistant:{% endif %}"
)
"""How a conversation with a base model reads, which has no template of its own."""

ENDS = ("\nUser:",)
"""Where a base model would go on with what is not its own to say."""


class LocalModel(Model):
    """`--model local:NAME`, `local:FILE.gguf` or `local:FOLDER`.

    Options, besides those of every model:

    - `slots`: how many conversations are answered at once, 4;
    - `context`: tokens of each, 8192 or what the weights were made for;
    - `threads`: processors to use, by default all but one: threads of llama.cpp wait for each other busily, so that
      one whose processor an episode uses makes all of them slow;
    - `timeout`: seconds for an answer, 600.

    A folder that Transformers runs has the options of `transformers:FOLDER` instead.

    Replies do not depend on slots and their order but for rounding: with a temperature of 0 they are repeatable with
    `slots=1` only.
    """

    own_options: ClassVar[tuple[str, ...]] = ("slots", "context", "threads", "timeout")

    def set_up(self, base_url: str, options: dict[str, str]) -> None:
        """Find the weights, and what runs them. Only those in a folder for Transformers are loaded yet.

        Raises:
            UserError: If either is missing.
        """
        if not self.name:
            raise UserError("which weights? Name them: --model local:smollm2-135m, local:FILE.gguf or local:FOLDER")
        self.weights = weights.find(self.name)
        if not self.price.is_known:
            self.price = prices.FREE
        self._lock = Lock()
        self._asked: Model | None = None
        self._server: LocalServer | None = None
        if self.weights.is_folder:
            self._asked = TransformersModel(str(self.weights.path), logprobs=self.logprobs, **options)
            self._asked.defaults = self.defaults
            options.clear()
            return
        if find_spec("xllamacpp") is None:
            raise UserError("xllamacpp, which runs weights, is not installed: pip install 'intercode-env[local]'")
        self._slots, self._context = whole(options, "slots") or SLOTS, whole(options, "context") or CONTEXT
        self._timeout = timeout(options)
        self._threads = whole(options, "threads") or max(1, len(os.sched_getaffinity(0)) - 1)

    def complete(self, messages: Sequence[Message], *, tools: Sequence[Tool] = (), seed: int | None = None) -> Reply:
        asked = self._loaded()
        try:
            return asked.complete(messages, tools=tools, seed=seed)
        except ModelError as error:
            if self._server is not None and not self._server.alive:
                raise ModelRefusedError(f"the server of {self.name} has ended: {self._server.log or error}") from error
            raise

    def check_reachable(self) -> None:
        """Load the weights, so that broken ones are known before a run."""
        self._loaded()

    def prepare(self) -> None:
        self._loaded().prepare()

    @property
    def versions(self) -> Mapping[str, str]:
        """See `Model.versions`. The digest of the weights is among them."""
        if self.weights.is_folder:
            return self._loaded().versions
        return {"xllamacpp": version("xllamacpp"), f"weights {self.weights.path.name}": f"sha256:{self._digest}"}

    def close(self) -> None:
        with self._lock:
            if self._asked is not None:
                self._asked.close()
            if self._server is not None:
                self._server.close()
            self._asked = self._server = None

    @cached_property
    def _digest(self) -> str:
        return self.weights.digest()

    def _loaded(self) -> Model:
        """Return who answers, loaded at the first question."""
        with self._lock:
            if self._asked is None:
                self._asked = self._through_server()
            return self._asked

    def _through_server(self) -> Model:
        talks = self.weights.has_chat_template
        path, template = self.weights.path, "" if talks else PLAIN
        settings = ServerSettings(str(path), path.stem, self._slots, self._context, self._threads, template)
        self._server = LocalServer(settings)
        model = _Client(path.stem, self._server, logprobs=self.logprobs, timeout=self._timeout)
        model.defaults = self.defaults if talks else replace(self.defaults, stop=(*self.defaults.stop, *ENDS))
        return model


class _Client(OpenaiModel):
    """Asks our own server, and asks twice at most: it has no bad days, but an end."""

    heeds_environment = False  # no proxy leads to this machine's own servers

    def __init__(self, name: str, server: LocalServer, *, logprobs: bool, timeout: float) -> None:
        self._token = server.token
        url = f"{server.url}/v1"
        super().__init__(name, base_url=url, logprobs=logprobs, tries="2", timeout=str(timeout))
        self.price = prices.FREE

    def _find_key(self, named: str) -> str:
        self._key_name = "the server's token"
        return self._token
