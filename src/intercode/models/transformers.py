"""Local weights in this process, through Transformers (an extra: `pip install intercode-env[transformers]`).

One question at a time: for many at once a server such as vLLM, asked by `--base-url`, is much faster.
"""

from __future__ import annotations

import json
import math
import re
import time
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from threading import Lock
from typing import Any, ClassVar

from intercode.errors import ContextOverflowError, ModelError, UserError
from intercode.models.base import Model
from intercode.models.core import chat_protocol, deadline, prices
from intercode.models.core.defaults import ANSWER
from intercode.models.core.sampling import Sampling
from intercode.types.conversation import Message, Reply, Tokens, Tool, ToolCall, Usage

CALL = re.compile(r"<tool_call>\s*(\{.*?\})\s*</tool_call>", re.DOTALL)
"""How Hermes, Qwen and others that are trained like them write a call."""


class TransformersModel(Model):
    """`--model transformers:FOLDER`, or a name on the Hugging Face hub.

    It has one option, `device`: `cpu`, `cuda`, `cuda:1` and so on. The weights' own chat template puts conversations,
    and tools, into words. Without a temperature it takes the likeliest token every time.
    """

    own_options: ClassVar[tuple[str, ...]] = ("device",)

    def set_up(self, base_url: str, options: dict[str, str]) -> None:
        """Load the weights.

        Raises:
            UserError: If no weights are named, or they or the packages that run them are missing.
        """
        if not self.name:
            raise UserError("which weights? Name them: --model transformers:FOLDER")
        if find_spec("transformers") is None or find_spec("torch") is None:
            raise UserError("Transformers or PyTorch is not installed: pip install 'intercode-env[transformers]'")
        from transformers import AutoModelForCausalLM, AutoTokenizer

        self._device = options.pop("device", "cpu")
        try:
            self._tokenizer = AutoTokenizer.from_pretrained(self.name)
            self._model = AutoModelForCausalLM.from_pretrained(self.name).to(self._device).eval()
        except (OSError, ValueError, RuntimeError) as error:
            raise UserError(f"cannot load the weights in {self.name}: {error}") from error
        self._room = int(getattr(self._model.config, "max_position_embeddings", 0) or 2**31)
        self._lock = Lock()
        if not self.price.is_known:
            self.price = prices.FREE

    def complete(self, messages: Sequence[Message], *, tools: Sequence[Tool] = (), seed: int | None = None) -> Reply:
        return self.defaults.answer(lambda sampling: self._answer(messages, tools, seed, sampling))

    def _answer(
        self, messages: Sequence[Message], tools: Sequence[Tool], seed: int | None, sampling: Sampling
    ) -> Reply:
        started = time.monotonic()
        prompt = self._prompt(messages, tools)
        longest = sampling.max_tokens or ANSWER
        if len(prompt) + min(longest, 16) > self._room:
            raise ContextOverflowError(f"{self.name} reads {self._room} tokens, and the conversation has {len(prompt)}")
        with self._lock:
            ids, logprobs = self._generate(prompt, min(longest, self._room - len(prompt)), seed, sampling)
        deadline.check_time()
        return self._reply(prompt, ids, logprobs, time.monotonic() - started, sampling.stop)

    @property
    def versions(self) -> Mapping[str, str]:
        from importlib.metadata import version

        return {name: version(name) for name in ("transformers", "torch")}

    def _prompt(self, messages: Sequence[Message], tools: Sequence[Tool]) -> list[int]:
        try:
            text = self._tokenizer.apply_chat_template(
                chat_protocol.messages_to_json(messages),
                tools=chat_protocol.tools_to_json(tools) or None,
                add_generation_prompt=True,
                tokenize=False,
            )
        except ValueError as error:
            raise ModelError(f"{self.name} has no chat template: {error}") from error
        return list(self._tokenizer(text, add_special_tokens=False)["input_ids"])

    def _generate(
        self, prompt: list[int], longest: int, seed: int | None, sampling: Sampling
    ) -> tuple[list[int], list[float]]:
        import torch

        drawn: dict[str, Any] = {"do_sample": False}
        if sampling.temperature:
            drawn = {"do_sample": True, "temperature": sampling.temperature, "top_p": sampling.top_p or 1.0, "top_k": 0}
        left = deadline.seconds_left()
        stops: dict[str, Any] = {"stop_strings": list(sampling.stop), "tokenizer": self._tokenizer}
        if seed is not None:
            torch.manual_seed(seed)
        ids = torch.tensor([prompt], device=self._device)
        with torch.inference_mode():
            out = self._model.generate(
                ids,
                attention_mask=torch.ones_like(ids),
                max_new_tokens=longest,
                max_time=left if math.isfinite(left) else None,
                pad_token_id=self._tokenizer.pad_token_id or self._tokenizer.eos_token_id,
                return_dict_in_generate=True,
                output_logits=self.logprobs,
                **drawn,
                **(stops if sampling.stop else {}),
            )
        written = out.sequences[0, len(prompt) :].tolist()
        if not self.logprobs:
            return written, []
        chances = (
            torch.log_softmax(step[0].float(), -1)[token] for step, token in zip(out.logits, written, strict=True)
        )
        return written, [float(chance) for chance in chances]

    def _reply(
        self, prompt: list[int], ids: list[int], logprobs: list[float], seconds: float, stops: Sequence[str]
    ) -> Reply:
        ended = bool(ids) and ids[-1] in _ids(self._model.generation_config.eos_token_id)
        text = str(self._tokenizer.decode(ids, skip_special_tokens=True))
        for stop in stops:
            ended, text = ended or stop in text, text.partition(stop)[0]
        calls = tuple(_call(number, found) for number, found in enumerate(CALL.findall(text)))
        usage = Usage(len(prompt), len(ids))
        tokens = None
        if self.logprobs:
            pieces = tuple(str(self._tokenizer.decode([each])) for each in ids)
            tokens = Tokens(pieces, tuple(ids), tuple(logprobs), tuple(prompt))
        finish = "tool_calls" if calls else "stop" if ended else "length"
        return Reply(
            CALL.sub("", text).strip() if calls else text,
            calls,
            finish_reason=finish,
            usage=Usage(usage.prompt_tokens, usage.completion_tokens, 0, self.price.of(usage)),
            model=self.name,
            seconds=seconds,
            tokens=tokens,
            raw={"text": text},
        )


def _ids(value: int | Sequence[int] | None) -> Sequence[int]:
    """Weights have one end, several, or none."""
    if value is None:
        return ()
    return (value,) if isinstance(value, int) else value


def _call(number: int, text: str) -> ToolCall:
    """Return a call as it was written; where that is no JSON, its text is the arguments, for the agent to see."""
    try:
        found = json.loads(text)
        return ToolCall(f"call_{number}", str(found["name"]), json.dumps(found.get("arguments", {})))
    except (ValueError, KeyError, RecursionError):
        return ToolCall(f"call_{number}", "", text)
