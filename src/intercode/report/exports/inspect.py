"""Inspect's evaluation log (`.eval`), for `inspect view` and its data frames. Needs inspect-ai, which writes it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from inspect_ai.log import (
    EvalConfig,
    EvalDataset,
    EvalError,
    EvalLog,
    EvalMetric,
    EvalResults,
    EvalSample,
    EvalScore,
    EvalSpec,
    EvalStats,
    write_eval_log,
)
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageTool,
    ChatMessageUser,
    ModelOutput,
    ModelUsage,
)
from inspect_ai.scorer import Score
from inspect_ai.tool import ToolCall

from intercode.report.export import Export, RunData, clean
from intercode.report.exports.conversation.messages import conversations
from intercode.report.summary import summarize
from intercode.types import Trajectory, shown_rewards
from intercode.types.conversation import Message, Usage
from intercode_sandbox.util.text import pluralize


def write(material: RunData, path: Path) -> str:
    """Return one log, with a sample for each episode."""
    write_eval_log(log(material), str(path), format="eval")
    return pluralize(len(material.episodes), "sample")


def log(material: RunData) -> EvalLog:
    """Return the whole run as an evaluation."""
    settings, manifest = material.manifest.settings, material.manifest
    summary = summarize(material.episodes, material.scoring)
    model = _model(material.episodes)
    ended = max((each.started_at + each.seconds for each in material.episodes), default=manifest.started_at)
    return EvalLog(
        status="success",
        eval=EvalSpec(
            created=_time(manifest.started_at),
            task=f"intercode/{settings.dataset}",
            run_id=material.name,
            eval_id=material.name,
            task_id=material.name,
            task_args=manifest.settings.to_json(),
            solver=settings.agent,
            dataset=EvalDataset(name=settings.dataset, samples=len(manifest.tasks), sample_ids=list(manifest.tasks)),
            model=model,
            config=EvalConfig(epochs=settings.repeat),
            packages={"intercode": manifest.machine.get("intercode", "")},
        ),
        results=EvalResults(
            total_samples=manifest.episodes,
            completed_samples=summary.counted,
            scores=[_score(scoring, material) for scoring in shown_rewards(material.scoring)],
        ),
        stats=EvalStats(
            started_at=_time(manifest.started_at),
            completed_at=_time(ended),
            model_usage={model: _usage(summary.usage)} if summary.usage.tokens else {},
        ),
        samples=[_sample(episode, model, material.scoring) for episode in material.episodes],
    )


def _score(scoring: str, material: RunData) -> EvalScore:
    summary = summarize(material.episodes, scoring)
    found = {"success": summary.rate, "reward": summary.rewards[scoring]}
    metrics = {name: EvalMetric(name=name, value=value) for name, value in found.items() if value is not None}
    return EvalScore(name=scoring, scorer=scoring, metrics=metrics, scored_samples=summary.counted)


def _sample(episode: Trajectory, model: str, leading: str) -> EvalSample:
    """Return one episode. Its messages are those of its last conversation; the gold is not in a run, so no target."""
    messages = [line.message for lines in list(conversations(episode))[-1:] for line in lines]
    last = next((message.text for message in reversed(messages) if message.role == "assistant"), "")
    return EvalSample(
        id=episode.task.id,
        epoch=episode.repeat + 1,
        input=clean(episode.task.query),
        target="",
        messages=[_message(message) for message in messages],
        output=ModelOutput.from_content(model, clean(last)),
        scores=_scores(episode, leading),
        metadata=clean(_about(episode)),
        model_usage={model: _usage(episode.usage)} if episode.usage.tokens else {},
        started_at=_time(episode.started_at),
        completed_at=_time(episode.started_at + episode.seconds),
        total_time=episode.seconds,
        error=_error(episode.error),
        turn_count=len(episode.turns),
    )


def _about(episode: Trajectory) -> dict[str, Any]:
    names = ("world", "category", "difficulty")
    about = {name: getattr(episode.task, name) for name in names}
    actions = [str(turn.action) for turn in episode.turns]
    return about | {"status": episode.status, "seed": episode.seed, "image": episode.image, "actions": actions}


def _scores(episode: Trajectory, leading: str) -> dict[str, Score] | None:
    """Return the leading one first: Inspect shows that one beside a sample."""
    if episode.scores is None:
        return None
    scores = episode.scores
    return {
        scoring: Score(
            value=score.value,
            explanation=clean("\n".join(score.notes)) or None,
            metadata={"success": score.success, "parts": dict(score.parts)},
        )
        for scoring, score in ((name, scores[name]) for name in shown_rewards(leading) if name in scores)
    }


def _message(message: Message) -> ChatMessage:
    text = clean(message.text)
    if message.role == "assistant":
        return ChatMessageAssistant(content=text, tool_calls=[_call(each) for each in message.tool_calls] or None)
    if message.role == "tool":
        return ChatMessageTool(content=text, tool_call_id=message.tool_call_id)
    return ChatMessageSystem(content=text) if message.role == "system" else ChatMessageUser(content=text)


def _call(call: Any) -> ToolCall:
    """Return a tool's call; arguments that are no JSON object are kept as they were written."""
    try:
        arguments = json.loads(call.arguments)
    except ValueError:
        arguments = None
    wrong = not isinstance(arguments, dict)
    return ToolCall(id=call.id, function=call.name, arguments={"text": call.arguments} if wrong else arguments)


def _usage(usage: Usage) -> ModelUsage:
    return ModelUsage(
        input_tokens=usage.prompt_tokens,
        output_tokens=usage.completion_tokens,
        total_tokens=usage.tokens,
        input_tokens_cache_read=usage.cached_tokens,
        total_cost=usage.cost,
    )


def _error(error: str) -> EvalError | None:
    return EvalError(message=clean(error), traceback="", traceback_ansi="") if error else None


def _model(episodes: Sequence[Trajectory]) -> str:
    """Return who answered, by the first account of a server; "none" for agents without a model."""
    calls = (call for episode in episodes for turn in episode.turns for call in turn.calls)
    return next((call.reply.model for call in calls if call.reply.model), "none/none")


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat()


EXPORT = Export(write, ".eval", with_errors=True)
