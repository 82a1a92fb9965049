"""Environments of verifiers 0.1: a module's `load_environment`, its data set, its rollouts and its rubric."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from types import ModuleType
from typing import Any

from verifiers.types import ClientConfig

from intercode.integrations.peers import replies_server
from intercode.integrations.peers.base import (
    Grade,
    Peer,
    PeerError,
    PeerTask,
    Shown,
    answers_in,
    source_files,
    weighted,
)
from intercode.integrations.peers.turns import SAY, Turns

MOST_TASKS = 200
"""Rows of a data set that are read."""

NOTHING = " "
"""An empty reply: verifiers 0.1 ends a rollout at one without any text, as at a model that has failed."""


class ClassicPeer(Peer):
    """The environment that a module loads without arguments."""

    def __init__(self, module: ModuleType) -> None:
        self.env, self._turns = module.load_environment(), Turns()
        rows = self.env.get_eval_dataset(n=MOST_TASKS)
        self._rows = [dict(rows[at]) for at in range(len(rows))]
        self.tasks = [_describe(number, row) for number, row in enumerate(self._rows)]
        self._weights = dict(_weights(self.env.rubric))
        functions = [function for rubric in _rubrics(self.env.rubric) for function in rubric.funcs]
        self.sources = source_files(module.load_environment, type(self.env), *functions, but="verifiers")
        url = replies_server.start(self._turns, NOTHING)
        self._client = ClientConfig(api_base_url=url, api_key_var="OPENAI_API_KEY", max_retries=0)

    def begin(self, index: int) -> Shown:
        row = {name: value for name, value in self._rows[index].items() if value is not None}
        return self._turns.begin(lambda: self.env.run_rollout(row, self._client, replies_server.MODEL, {}))

    def say(self, text: str) -> Shown:
        return self._turns.reply(SAY, text)

    def grade(self) -> Grade:
        output = self._turns.finish()
        if error := output.get("error"):
            raise PeerError(error.get("error_chain_repr", error) if isinstance(error, dict) else error)
        metrics = output.get("metrics") or {}
        parts = {name: (float(metrics[name]), weight) for name, weight in self._weights.items() if name in metrics}
        return weighted(parts, float(output["reward"] or 0.0))

    def close(self) -> None:
        self._turns.cancel()


def _describe(number: int, row: Mapping[str, Any]) -> PeerTask:
    prompt = row.get("prompt") or row.get("question") or ""
    told = [prompt] if isinstance(prompt, str) else [replies_server.content_text(each["content"]) for each in prompt]
    info = row.get("info")
    if isinstance(info, str) and info.startswith("{"):
        row = {**row, "info": json.loads(info)}
    return PeerTask(str(number), "\n\n".join(text for text in told if text), answers_in(row))


def _rubrics(rubric: Any) -> Iterator[Any]:
    """Yield the rubrics of a group, or the one."""
    yield from getattr(rubric, "rubrics", None) or [rubric]


def _weights(rubric: Any) -> Iterator[tuple[str, float]]:
    for each in _rubrics(rubric):
        yield from (
            (function.__name__, float(weight)) for function, weight in zip(each.funcs, each.weights, strict=False)
        )
