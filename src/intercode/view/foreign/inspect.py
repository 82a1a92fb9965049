"""Inspect's evaluation logs (`.eval`) as episodes. Needs inspect-ai, which reads them."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zipfile import BadZipFile, ZipFile

from intercode.errors import BadDataError, UserError
from intercode.types import Action, Observation, Score, Scores, Status, TaskView, Trajectory, Turn
from intercode.types.conversation import ModelCall, Reply, Usage
from intercode.util.regular_files import LARGEST_DATA, open_regular
from intercode.view.foreign.atif import CODE

if TYPE_CHECKING:
    from inspect_ai.log import EvalLog, EvalSample
    from inspect_ai.scorer import Score as InspectScore


def read(path: Path) -> Iterator[Trajectory]:
    """Yield the samples in *path*.

    Raises:
        BadDataError: If it cannot be read.
        UserError: If inspect-ai is not installed.
    """
    try:
        from inspect_ai.log import read_eval_log
    except ImportError as error:
        raise UserError(f"{path} is a log of Inspect: pip install 'intercode-env[inspect]' to open it") from error
    try:
        _check_size(path)
        log = read_eval_log(str(path))
    except OSError as error:
        raise BadDataError(f"cannot read {path} as a log of Inspect: {error.strerror or error}") from error
    except (ValueError, KeyError, LookupError, BadZipFile) as error:
        raise BadDataError(f"cannot read {path} as a log of Inspect: {error}") from error
    for sample in log.samples or ():
        yield _episode(log, sample)


def _check_size(path: Path) -> None:
    """Check that the log at *path* is a regular file, an archive of no more than can be held in memory.

    Raises:
        OSError: If it is none.
        BadZipFile: If it is no archive.
    """
    with open_regular(path) as file, ZipFile(file) as archive:
        if sum(each.file_size for each in archive.infolist()) > LARGEST_DATA:
            raise OSError(errno.EFBIG, f"unpacked it has over {LARGEST_DATA >> 30} GiB", str(path))


def _episode(log: EvalLog, sample: EvalSample) -> Trajectory:
    usage = [_usage(each) for each in (sample.model_usage or {}).values()]
    query = sample.input if isinstance(sample.input, str) else "\n\n".join(each.text for each in sample.input)
    metadata = sample.metadata or {}
    labels = [str(metadata.get(name) or "") for name in ("category", "difficulty")]
    return Trajectory(
        task=TaskView(str(sample.id), query, str(metadata.get("world") or "bash"), *labels),
        agent=str(log.eval.solver or log.eval.task),
        status=_status(sample),
        turns=tuple(_turns(sample, log.eval.model)),
        scores=None if sample.error else _scores(sample),
        started_at=datetime.fromisoformat(str(sample.started_at)).timestamp() if sample.started_at else 0.0,
        seconds=float(sample.total_time or 0.0),
        error=f"Error: {sample.error.message}" if sample.error else "",
        usage=sum(usage, Usage()),
    )


def _status(sample: EvalSample) -> Status:
    """Of an error whether it was a refusal is in what our own export writes."""
    if not sample.error:
        return "submitted"
    return "refused" if (sample.metadata or {}).get("status") == "refused" else "error"


def _turns(sample: EvalSample, model: str) -> Iterator[Turn]:
    """Yield a turn for each message of the model, with what the tools that it called answered."""
    messages = sample.messages
    answers = {each.tool_call_id: each for each in messages if each.role == "tool"}
    exit_codes = _exit_codes(sample)
    for place, message in enumerate(messages):
        if message.role != "assistant":
            continue
        calls = list(message.tool_calls or ())
        found = [answers[call.id] for call in calls if call.id in answers]
        seen = "\n".join(each.text for each in found)
        exit_code = next((exit_codes[call.id] for call in reversed(calls) if call.id in exit_codes), None)
        timed_out = any(each.error is not None and each.error.type == "timeout" for each in found)
        if not calls and place + 1 < len(messages) and messages[place + 1].role == "user":
            seen = messages[place + 1].text  # the conversation is with a harness that asks for no tools
        action = _action([(call.function, call.arguments) for call in calls], message.text)
        reply = Reply(message.text, model=str(message.model or model))
        observation = Observation(seen, exit_code, timed_out)
        yield Turn(action, observation, thought=message.text if calls else "", calls=(ModelCall(0, (), reply),))


def _exit_codes(sample: EvalSample) -> dict[str, int]:
    """By the calls of tools, the exit code of the last command that each ran in a sandbox."""
    spans: dict[str, str] = {}
    found: dict[str, int] = {}
    for before, event in pairwise(sample.events):
        if before.event == "span_begin" and before.type == "tool" and event.event == "tool":
            spans[before.id] = event.id
        elif event.event == "sandbox" and event.result is not None and event.span_id in spans:
            found[spans[event.span_id]] = event.result
    return found


def _action(calls: list[tuple[str, dict[str, Any]]], text: str) -> Action:
    if not calls:
        return Action("execute", text)
    if calls[-1][0] == "submit":
        return Action("submit", str(calls[-1][1].get("answer") or ""))
    found = [next((given[key] for key in CODE if isinstance(given.get(key), str)), None) for _, given in calls]
    texts = [f"{name}({given})" if code is None else code for code, (name, given) in zip(found, calls, strict=True)]
    return Action("execute", "\n".join(texts))


def _scores(sample: EvalSample) -> Scores | None:
    """Ours where they are there; else the first that is a number or a verdict, for both."""
    found = sample.scores or {}
    if "exact" in found and "paper" in found:
        return {"paper": _score(found["paper"]), "exact": _score(found["exact"])}
    for each in found.values():
        score = _score(each)
        return {"paper": score, "exact": score}
    return None


def _score(found: InspectScore) -> Score:
    value = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}.get(str(found.value))
    if value is None:
        value = float(found.value) if isinstance(found.value, int | float) else 0.0
    metadata = found.metadata or {}
    notes = tuple(filter(None, [found.explanation]))
    return Score(value, bool(metadata.get("success", value >= 1.0)), dict(metadata.get("parts") or {}), notes)


def _usage(found: Any) -> Usage:
    cached = int(found.input_tokens_cache_read or 0)
    return Usage(int(found.input_tokens), int(found.output_tokens), cached, found.total_cost)
