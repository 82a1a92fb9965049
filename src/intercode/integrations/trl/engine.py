"""The trainer's own engine as a model that agents ask: token ids and log-probabilities as it gave them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import Future
from typing import Any

from intercode.errors import ContextOverflowError, UserError
from intercode.models.core.chat_protocol import messages_to_json, tools_to_json
from intercode.types.conversation import Message, Reply, Tokens, Tool, Usage

Ids = list[int]

Answer = tuple[Ids, list[float]]
"""Token ids that were generated, and a log-probability for each; none where they are not told."""

NO_END = "the chat template ends no answer with {}: where one goes on cannot be told, so use environment_factory"

Generate = Callable[[list[Ids]], list[Answer]]
"""Continues each prompt."""


def trainers_own(trainer: Any) -> Generate:
    """Return what generates in *trainer*: its vLLM where it uses that, else the model itself."""
    if trainer.use_vllm:
        return lambda prompts: _by_vllm(trainer, prompts)
    return lambda prompts: by_model(
        trainer.accelerator.unwrap_model(trainer.model),
        prompts,
        pad=trainer.processing_class.pad_token_id,
        ends=trainer.eos_token_ids,
        config=trainer.generation_config,
    )


def _by_vllm(trainer: Any, prompts: list[Ids]) -> list[Answer]:
    _, ids, logprobs, _ = trainer.vllm_generation.generate(prompts=prompts, images=None, num_generations=1)
    return [(list(each), [found[0] for found in told]) for each, told in zip(ids, logprobs, strict=True)]


def by_model(
    model: Any, prompts: list[Ids], *, pad: int, ends: Collection[int], config: Any, logprobs: bool = True
) -> list[Answer]:
    """By `generate` of the *model* itself, whose scores say how likely each token was when it was drawn.

    Args:
        model: One of transformers' models.
        prompts: What it goes on with, all at once.
        pad: The token that fills up prompts at their start.
        ends: The tokens that end an answer.
        config: Its `GenerationConfig`.
        logprobs: Whether they are wanted; without, the scores need no memory: a number for each token that there is,
            at each place of each answer.
    """
    import torch

    width = max(map(len, prompts))
    padded = torch.tensor([[pad] * (width - len(ids)) + ids for ids in prompts], device=model.device)
    mask = torch.tensor([[0] * (width - len(ids)) + [1] * len(ids) for ids in prompts], device=model.device)
    with torch.no_grad():
        made = model.generate(
            input_ids=padded,
            attention_mask=mask,
            generation_config=config,
            return_dict_in_generate=True,
            output_scores=logprobs,
        )
    written = made.sequences[:, width:].tolist()
    if not logprobs:
        return [_up_to_end(ids, [], ends) for ids in written]
    told = model.compute_transition_scores(made.sequences, made.scores, normalize_logits=True)
    return [_up_to_end(ids, each, ends) for ids, each in zip(written, told.tolist(), strict=True)]


def _up_to_end(ids: Ids, logprobs: list[float], ends: Collection[int]) -> Answer:
    last = next((at + 1 for at, token in enumerate(ids) if token in ends), len(ids))
    return ids[:last], logprobs[:last]


class RequestBatch:
    """Gathers what the agents of several threads ask: all are answered at once, when each of them waits or is done."""

    def __init__(self, generate: Generate, agents: int) -> None:
        self._generate, self._agents = generate, agents
        self._waiting: list[tuple[Ids, Future[Answer]]] = []
        self._changed = threading.Condition()

    def ask(self, prompt: Ids) -> Answer:
        """Return the continuation of *prompt*. Raises what generating raised."""
        answer: Future[Answer] = Future()
        with self._changed:
            self._waiting.append((prompt, answer))
            self._changed.notify()
        return answer.result()

    def leave(self) -> None:
        """One of the agents asks nothing more."""
        with self._changed:
            self._agents -= 1
            self._changed.notify()

    def serve(self) -> None:
        """Answer until all have left, in this thread: engines are used by one thread alone."""
        while True:
            with self._changed:
                self._changed.wait_for(lambda: len(self._waiting) >= self._agents)
                if not self._agents:
                    return
                # Answers are drawn row by row, so that rows stand in an order which threads have no say in.
                asked, self._waiting = sorted(self._waiting, key=lambda each: each[0]), []
            try:
                answers = self._generate([prompt for prompt, _ in asked])
            except BaseException as error:
                for _, future in asked:
                    future.set_exception(error)
                raise
            for (_, future), answer in zip(asked, answers, strict=True):
                future.set_result(answer)


class EngineModel:
    """A `ChatModel` for one agent: messages become tokens by the chat template, replies text by the tokenizer.

    What the engine has written is never tokenized again: a question that goes on with the conversation is the last
    question's tokens, the answer's, and those of the new messages.

    Raises:
        ContextOverflowError: For one that is longer than *longest* tokens.
    """

    def __init__(self, ask: Callable[[Ids], Answer], tokenizer: Any, *, longest: int, template: dict[str, Any]) -> None:
        self._ask, self._tokenizer, self._longest, self._template = ask, tokenizer, longest, template
        self._known: tuple[list[Message], Ids] = ([], [])

    def complete(self, messages: Sequence[Message], *, tools: Sequence[Tool] = (), seed: int | None = None) -> Reply:
        """See `ChatModel.complete`. The trainer's seed decides, and not *seed*."""
        prompt = self._prompt(list(messages), tools)
        if len(prompt) > self._longest:
            raise ContextOverflowError(f"{len(prompt)} tokens are more than the {self._longest} that fit")
        ids, logprobs = self._ask(prompt)
        text = self._tokenizer.decode(ids, skip_special_tokens=True)
        self._known = [*messages], prompt + ids
        tokens = Tokens(ids=tuple(ids), logprobs=tuple(logprobs), prompt_ids=tuple(prompt))
        return Reply(text, usage=Usage(len(prompt), len(ids), 0, None), tokens=tokens)

    def _prompt(self, messages: list[Message], tools: Sequence[Tool]) -> Ids:
        before, ids = self._known
        goes_on = before and messages[: len(before)] == before and len(messages) > len(before) + 1
        if not goes_on or messages[len(before)].role != "assistant":
            return self._render(messages_to_json(messages), tools)
        return ids + self._suffix(messages_to_json(messages[len(before) + 1 :]), ends=ids[-1] == self._end)

    @property
    def _end(self) -> int:
        end: int = self._tokenizer.eos_token_id
        return end

    def _suffix(self, messages: list[dict[str, Any]], *, ends: bool) -> Ids:
        """Return the tokens of *messages* behind an answer, and of the beginning of the next.

        *ends*: the answer has its end.

        They are what stands in a small conversation behind the end of its answer, a line break mostly among them. The
        answer itself may look otherwise there once the conversation goes on, as with templates that drop thoughts.
        Raises UserError for a template without such ends.
        """
        small = [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]
        count = self._render(small, (), goes_on=False).count(self._end)
        longer = self._render([*small, *messages], ())
        places = [at for at, token in enumerate(longer) if token == self._end]
        if not count or len(places) < count:
            raise UserError(NO_END.format(self._tokenizer.eos_token))
        return longer[places[count - 1] + (1 if ends else 0) :]

    def _render(self, messages: list[dict[str, Any]], tools: Sequence[Tool], *, goes_on: bool = True) -> Ids:
        ids = self._tokenizer.apply_chat_template(
            messages,
            tools=tools_to_json(tools) or None,
            add_generation_prompt=goes_on,
            tokenize=True,
            return_dict=False,
            **self._template,
        )
        return [int(each) for each in ids]
