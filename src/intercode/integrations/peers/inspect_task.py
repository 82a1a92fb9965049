"""Inspect's tasks: the solver plays with a model whose replies are ours, and the scorer is asked as Inspect asks it.

Where a task has a sandbox, that is our own (`intercode.integrations.inspect`), and commands are run in it beside what
the solver does. Models that a scorer asks, as judges, are no more than `SuggestibleJudge`.
"""

from __future__ import annotations

import importlib
import math
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from inspect_ai import Task, eval_async, task_with
from inspect_ai._eval.loader import load_tasks
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import EvalSample
from inspect_ai.model import ChatMessage, GenerateConfig, Model, ModelAPI, ModelOutput, get_model, modelapi
from inspect_ai.scorer import Score, value_to_float
from inspect_ai.tool import ToolChoice, ToolInfo
from inspect_ai.util import SandboxEnvironmentSpec, sandbox

from intercode.integrations.inspect import plugins
from intercode.integrations.peers.base import Grade, Peer, PeerError, PeerTask, Shown, source_files, with_neighbours
from intercode.integrations.peers.tool_calls import read_call, with_tools
from intercode.integrations.peers.turns import RUN, SAY, Turns

MOST_SAMPLES = 200
"""Samples of a task that are read."""

MOST_MESSAGES = 60

SECONDS = 60
"""Time limit of a command."""

_turns = Turns()


class RepliesAPI(ModelAPI):
    """A model whose replies come from outside; commands are run in the sample's sandbox before the next one."""

    async def generate(
        self, input: list[ChatMessage], tools: list[ToolInfo], tool_choice: ToolChoice, config: GenerateConfig
    ) -> ModelOutput:
        offered = [
            (tool.name, {name: {"type": each.type} for name, each in tool.parameters.properties.items()})
            for tool in tools
        ]
        shown = with_tools(input[-1].text if input else "", offered)
        while True:
            kind, text = await _turns.ask(shown)
            if kind == SAY:
                call = read_call(text)
                if call is None:
                    return ModelOutput.from_content("replies", text)
                return ModelOutput.for_tool_call("replies", call[0], call[1])
            shown = await _run_command(text)


async def _run_command(command: str) -> str:
    result = await sandbox().exec(["/bin/bash", "-c", command], timeout=SECONDS, timeout_retry=False)
    return result.stdout + result.stderr


@modelapi(name="intercode-replies")
def replies() -> type[ModelAPI]:
    """Return the class of the model, for Inspect's registry."""
    return RepliesAPI


class InspectPeer(Peer):
    """One task of Inspect's."""

    def __init__(self, task: Task, sources: Sequence[Path]) -> None:
        self.task, self.sources = task, sources
        self.samples = [each for _, each in zip(range(MOST_SAMPLES), task.dataset, strict=False)]
        self.tasks = [self._task(number, sample) for number, sample in enumerate(self.samples, 1)]
        self._model: Model = get_model("intercode-replies/replies")
        self._logs = tempfile.TemporaryDirectory(prefix="hackcheck-inspect-")

    def _task(self, number: int, sample: Sample) -> PeerTask:
        asked = sample.input if isinstance(sample.input, str) else "\n".join(each.text for each in sample.input)
        choices = [f"{chr(65 + at)}) {choice}" for at, choice in enumerate(sample.choices or [])]
        answers = [sample.target] if isinstance(sample.target, str) else list(sample.target)
        has_sandbox = (sample.sandbox or self.task.sandbox) is not None
        commands = (sample.metadata or {}).get("solution") if has_sandbox else None
        solution = (commands,) if isinstance(commands, str) else ()
        identity = str(sample.id if sample.id is not None else number).replace("/", "-")
        return PeerTask(identity, "\n".join([asked, *choices]), tuple(filter(None, answers)), solution, has_sandbox)

    def begin(self, index: int) -> Shown:
        sample = self.samples[index].model_copy(deep=True)
        spec = _our_sandbox(sample.sandbox or self.task.sandbox)
        sample.sandbox = None
        one = task_with(self.task, dataset=MemoryDataset([sample]), epochs=1, sandbox=spec, name="hackcheck")
        return _turns.begin(lambda: self._play(one))

    async def _play(self, task: Task) -> EvalSample:
        [log] = await eval_async(
            task, model=self._model, log_dir=self._logs.name, log_format="json", score_display=False,
            message_limit=MOST_MESSAGES, fail_on_error=True, log_realtime=False,
        )  # fmt: skip
        if log.error is not None:
            raise PeerError(log.error.traceback or log.error.message)
        if not log.samples:
            raise PeerError("the task has kept no sample")
        return log.samples[0]

    def say(self, text: str) -> Shown:
        return _turns.reply(SAY, text)

    def run(self, command: str) -> Shown:
        return _turns.reply(RUN, command)

    def grade(self) -> Grade:
        sample: EvalSample = _turns.finish()
        if sample.error is not None:
            raise PeerError(sample.error.traceback)
        scores = sample.scores or {}
        values = [value for score in scores.values() for value in _values(score)]
        notes = tuple(f"{name}: {score.value}: {score.explanation or ''}"[:200] for name, score in scores.items())
        return Grade(sum(values) / len(values) if values else 0.0, notes=notes)

    def close(self) -> None:
        _turns.cancel()
        self._logs.cleanup()


def _values(score: Score) -> list[float]:
    """Return the numbers of a score: one, or those of its parts."""
    value = score.value
    each = list(value.values()) if isinstance(value, Mapping) else list(value) if isinstance(value, list) else [value]
    numbers = [value_to_float()(one) for one in each if one is not None]
    return [number if math.isfinite(number) else 0.0 for number in numbers]


def _our_sandbox(spec: Any) -> Any:
    """Return the same sandbox in ours: its file or its image says what is in it."""
    if spec is None:
        return None
    if not isinstance(spec, SandboxEnvironmentSpec):
        kind, config = spec if isinstance(spec, tuple) else (spec, None)
        spec = SandboxEnvironmentSpec(kind, config)
    return spec if spec.type == "intercode" else SandboxEnvironmentSpec("intercode", spec.config)


def open_peer(name: str) -> InspectPeer:
    """Load `FILE.py@TASK`, `PACKAGE/TASK`, or a file with one task. Its code is run."""
    assert plugins
    package, slash, _ = name.partition("/")
    if slash and ".py" not in name and not Path(package).is_dir():
        importlib.import_module(package)
    else:
        sys.path.insert(0, str(Path(name.partition("@")[0]).resolve().parent))
    tasks = load_tasks([name])
    if len(tasks) != 1:
        raise SystemExit(f"{name}: {len(tasks)} tasks are there: name one, as FILE.py@TASK")
    task = tasks[0]
    return InspectPeer(task, _sources(name, task))


def _sources(name: str, task: Task) -> Sequence[Path]:
    """Return the files with the task and its scorers."""
    path = Path(name.partition("@")[0])
    scorers = [getattr(each, "__wrapped__", each) for each in task.scorer or []]
    return with_neighbours([*([path] if path.is_file() else []), *source_files(*scorers, but="inspect_ai")])
