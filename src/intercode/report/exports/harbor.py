"""A job of Harbor's, as `harbor view` and its scripts read it: a folder with one trial for each episode.

A trial has its result, the trajectory as ATIF, and the rewards: the leading scoring's as `reward`, and both by name.
Nothing here needs Harbor; its tests read what is written with Harbor's own models.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import Any
from uuid import NAMESPACE_URL, UUID, uuid5

from intercode import __version__
from intercode.report.export import Export, RunData, clean
from intercode.report.exports import atif
from intercode.types import Trajectory
from intercode.types.conversation import Usage
from intercode_sandbox.util.text import pluralize

TOTALS = ("n_input_tokens", "n_cache_tokens", "n_output_tokens", "cost_usd")
"""What a trial's agent took, and what all took together."""

Json = dict[str, Any]


def write(material: RunData, path: Path) -> str:
    """Return a folder for each episode beside the job's own two files."""
    path.mkdir(parents=True)
    job = uuid5(NAMESPACE_URL, clean(f"intercode:{material.name}"))
    trials = [_trial(material, episode, name, job) for name, episode in atif.unique_names(material.episodes)]
    for trial, episode in zip(trials, material.episodes, strict=True):
        folder = path / trial["trial_name"]
        _write(folder / "result.json", trial)
        _write(folder / "config.json", trial["config"])
        _write(folder / "agent" / "trajectory.json", atif.document(material, episode))
        if trial["verifier_result"]:
            _write(folder / "verifier" / "reward.json", trial["verifier_result"]["rewards"])
    agents = {json.dumps(trial["config"]["agent"]): trial["config"]["agent"] for trial in trials}
    _write(path / "config.json", {"job_name": material.name, "jobs_dir": ".", "agents": [*agents.values()]})
    _write(path / "result.json", _job(material, trials, job))
    return pluralize(len(trials), "trial")


def _write(path: Path, value: Json) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(clean(value), ensure_ascii=False, indent=1, allow_nan=False) + "\n", encoding="utf-8")


def _trial(material: RunData, episode: Trajectory, name: str, job: UUID) -> Json:
    model, task = _model(episode), {"path": episode.task.id}
    began, ended = atif.time(episode.started_at), atif.time(episode.started_at + episode.seconds)
    settings = {"name": episode.agent, "model_name": model}
    return {
        "id": str(uuid5(job, clean(name))),
        "task_name": episode.task.id,
        "trial_name": name,
        "trial_uri": f"intercode:{material.name}/{name}",
        "task_id": task,
        "source": material.manifest.settings.dataset or episode.task.world,
        "task_checksum": next(iter(material.manifest.data.values()), ""),
        "config": {"task": task, "trial_name": name, "trials_dir": ".", "agent": settings, "job_id": str(job)},
        "agent_info": {
            "name": episode.agent,
            "version": material.manifest.machine.get("intercode", __version__),
            "model_info": {"name": model} if model else None,
        },
        "agent_result": _context(episode),
        "verifier_result": _rewards(material, episode),
        "exception_info": _exception(episode, ended),
        "started_at": began,
        "finished_at": ended,
    }


def _model(episode: Trajectory) -> str | None:
    models = (call.reply.model for turn in episode.turns for call in turn.calls if call.reply.model)
    return next(models, None)


def _context(episode: Trajectory) -> Json | None:
    if episode.usage == Usage():
        return None
    usage = episode.usage
    took = (usage.prompt_tokens, usage.cached_tokens, usage.completion_tokens, usage.cost)
    return dict(zip(TOTALS, took, strict=True))


def _rewards(material: RunData, episode: Trajectory) -> Json | None:
    """None where the ending was not judged, which is not 0."""
    if episode.scores is None:
        return None
    values = {scoring: score.value for scoring, score in episode.scores.items()}
    return {"rewards": {**values, "reward": values.get(material.scoring, 0.0)}}


def _exception(episode: Trajectory, ended: str) -> Json | None:
    if not episode.error:
        return None
    kind, _, text = episode.error.partition(": ")
    return {"exception_type": kind, "exception_message": text, "exception_traceback": "", "occurred_at": ended}


def _job(material: RunData, trials: Sequence[Json], job: UUID) -> Json:
    failed = sum(trial["exception_info"] is not None for trial in trials)
    times = sorted(trial[name] for trial in trials for name in ("started_at", "finished_at")) or [atif.time(0)]
    groups = defaultdict(list)
    for trial in trials:
        names = (trial["agent_info"]["name"], trial["config"]["agent"]["model_name"], trial["source"])
        groups["__".join(filter(None, names))].append(trial)
    return {
        "id": str(job),
        "started_at": times[0],
        "finished_at": times[-1],
        "n_total_trials": len(trials),
        "stats": {
            "n_completed_trials": len(trials),
            "n_errored_trials": failed,
            "evals": {name: _statistics(group) for name, group in groups.items()},
            **{name: _total(trials, name) for name in TOTALS},
        },
    }


def _total(trials: Sequence[Json], name: str) -> float | None:
    """Of all trials; None where one does not know what it took, or none took anything."""
    found = [trial["agent_result"][name] for trial in trials if trial["agent_result"]]
    return None if not found or None in found else sum(found)


def _statistics(trials: Sequence[Json]) -> Json:
    """Return which trials earned which rewards, and which failed by what; the mean is over those that were judged."""
    rewards: dict[str, dict[float, list[str]]] = defaultdict(lambda: defaultdict(list))
    failures: dict[str, list[str]] = defaultdict(list)
    judged = [trial for trial in trials if trial["verifier_result"]]
    for trial in judged:
        for name, value in trial["verifier_result"]["rewards"].items():
            rewards[name][value].append(trial["trial_name"])
    for trial in trials:
        if trial["exception_info"]:
            failures[trial["exception_info"]["exception_type"]].append(trial["trial_name"])
    values = [trial["verifier_result"]["rewards"]["reward"] for trial in judged]
    return {
        "n_trials": len(judged),
        "n_errors": sum(map(len, failures.values())),
        "metrics": [{"mean": fmean(values)}] if values else [],
        "reward_stats": {name: {str(value): found for value, found in by.items()} for name, by in rewards.items()},
        "exception_stats": failures,
    }


EXPORT = Export(write, "", with_errors=True)
