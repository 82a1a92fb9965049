"""A random model of a few thousand weights and its tokenizer, made here: nothing is downloaded."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
import trl
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import LogitsProcessor, PreTrainedTokenizerFast, Qwen3Config, Qwen3ForCausalLM

SPECIAL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
MARKS = ["<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>", "<think>", "</think>"]


def tiny_tokenizer() -> Any:
    """Bytes, and the marks of Qwen's chat template."""
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    letters = pre_tokenizers.ByteLevel.alphabet()
    made.train_from_iterator(
        ["ls cat echo"], trainers.BpeTrainer(vocab_size=300, initial_alphabet=letters, special_tokens=SPECIAL)
    )
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=made, eos_token="<|im_end|>", pad_token="<|endoftext|>", padding_side="left"
    )
    tokenizer.add_tokens(MARKS)
    tokenizer.chat_template = (Path(trl.__file__).parent / "chat_templates/qwen3.jinja").read_text()
    return tokenizer


def tiny_model(tokenizer: Any, seed: int = 0) -> Any:
    """Two layers, nothing learnt."""
    torch.manual_seed(seed)
    return Qwen3ForCausalLM(
        Qwen3Config(
            vocab_size=len(tokenizer),
            hidden_size=32,
            intermediate_size=64,
            num_hidden_layers=2,
            num_attention_heads=2,
            num_key_value_heads=1,
            head_dim=16,
            max_position_embeddings=8192,
            tie_word_embeddings=True,
            eos_token_id=tokenizer.eos_token_id,
            pad_token_id=tokenizer.pad_token_id,
        )
    )


def made_to_say(model: Any, tokenizer: Any, *replies: str) -> None:
    """Have *model* write the n-th of *replies* as the n-th answer of a conversation, the last one again and again."""
    said = [tokenizer(f"{reply}<|im_end|>", add_special_tokens=False)["input_ids"] for reply in replies]
    begins = tokenizer("<|im_start|>assistant", add_special_tokens=False)["input_ids"]
    generate = model.generate

    def answers(ids: list[int]) -> int:
        return sum(ids[at : at + len(begins)] == begins for at in range(len(ids)))

    class Force(LogitsProcessor):  # type: ignore[misc]
        start: int | None = None

        def __call__(self, input_ids: Any, scores: Any) -> Any:
            forced = torch.full_like(scores, -1e9)
            if self.start is None:
                self.start = input_ids.shape[1]
                self.rows = [said[min(answers(ids) - 1, len(said) - 1)] for ids in input_ids.tolist()]
            place = input_ids.shape[1] - self.start
            for number, row in enumerate(self.rows):
                forced[number, row[min(place, len(row) - 1)]] = 0
            return forced

    model.generate = lambda *arguments, **options: generate(*arguments, **{**options, "logits_processor": [Force()]})
