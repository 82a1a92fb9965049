"""Our own runs as material: the same actions again, and every observation, score and state hash compared."""

from __future__ import annotations

from dataclasses import dataclass, replace
from hashlib import sha256
from math import nan
from pathlib import Path
from typing import Any

from intercode.audit.replay.comparison import IMAGE, ComparedEpisode, ComparedTurn, Pair
from intercode.audit.replay.source import ReplayItem, ReplayOptions, ReplaySource
from intercode.env.env import Env
from intercode.errors import BadDataError, MachineError
from intercode.runs import store
from intercode.runs.job import Job, Say, prepare
from intercode.runs.manifest import Manifest, settings_here
from intercode.runs.runner import seed_of
from intercode.runs.settings import Settings
from intercode.runs.store import StoredRun
from intercode.types import SCORINGS, Scores, Task, TaskView, Trajectory, Turn
from intercode.types.trajectories import EPISODES
from intercode.util.regular_files import read_lines


def replay_source(path: Path, options: ReplayOptions, say: Say) -> tuple[ReplaySource, Job]:
    """The episodes of the run in *path* that *options* want, and the job whose environments they use (to be closed).

    Episodes that ended in an error are left out.

    Raises:
        BadDataError: If it is no run, or a malformed one.
        UserError: If nothing of it can be replayed.
        MachineError: If a sandbox or a database cannot be had.
    """
    run, checksum = _read(path)
    job = prepare(replay_settings(run.manifest, run.path, options), say=say)
    tasks = {task.id: task for task in job.tasks}
    episodes = [each for each in run.episodes if each.is_complete and options.want(each.task.id)]
    try:
        pieces = [_piece(job, tasks, run, episode) for episode in episodes[: options.limit]]
    except BaseException:
        job.close()
        raise
    note = _note(run.manifest, job.manifest)
    return ReplaySource(run.path, "our run", tuple(pieces), note, run=run, checksum=checksum), job


def replay_settings(manifest: Manifest, folder: Path, options: ReplayOptions) -> Settings:
    """Return those of the run in *folder*, for playing its actions again: nobody is asked for any.

    Raises:
        BadDataError: If it is no run, or a malformed one.
        UnsafeError: If its sandbox has no isolation, and that was not allowed.
    """
    return options.settings(settings_here(manifest, folder)).changed(
        agent="oracle", agent_options={}, model="", base_url="", model_options={}
    )


def checksum_of(run: Path) -> str:
    """Return the SHA-256 of the file that holds the episodes of the run in the folder *run*; "" where there is none."""
    digest = sha256()
    try:
        for line in read_lines(run / EPISODES, within=run):  # so that a file without lines is not read to its end
            digest.update(line)
    except OSError:
        return ""
    return digest.hexdigest()


def _read(path: Path) -> tuple[StoredRun, str]:
    """Return the run, and the checksum of just what was read: another process may be adding to it."""
    folder = path.parent if path.is_file() else path
    while True:
        checksum = checksum_of(folder)
        run = store.read(path)
        if checksum == checksum_of(folder):
            return run, checksum


def _piece(job: Job, tasks: dict[str, Task], run: StoredRun, episode: Trajectory) -> ReplayItem:
    task = tasks.get(episode.task.id)
    if task is None:
        raise BadDataError(f"{run.path} has an episode of {episode.task.id}, which the data set no longer holds")
    times = run.manifest.settings.repeat
    if not 0 <= episode.repeat < times:
        raise BadDataError(
            f"{run.path} has repeat {episode.repeat} of {task.id}: its settings have only 0 to {times - 1}"
        )
    seed = seed_of(run.manifest.settings.seed, task.id, episode.repeat)
    return ReplayItem(task.id, episode.repeat, job.make_env, StoredRunPlayer(task, episode, run.manifest, seed).play)


def _note(then: Manifest, now: Manifest) -> str:
    """Return what is no longer as it was when the run was made; of images each episode tells."""
    changed = [name for name in then.data if now.data.get(name) != then.data[name]]
    if (version := then.machine.get("intercode")) != now.machine["intercode"]:
        changed.append(f"intercode {version}")
    return f"changed since then: {', '.join(changed)}" if changed else ""


@dataclass(frozen=True)
class StoredRunPlayer:
    """Plays one stored episode of a run with *manifest* again; *seed* is what its own must be."""

    task: Task
    episode: Trajectory
    manifest: Manifest
    seed: int

    def play(self, env: Env) -> ComparedEpisode:
        """Return all turns that can be had; what the machine fails at is in `error`."""
        turns: list[ComparedTurn] = []
        error, scores = "", None
        others: dict[str, Pair[Any]] = {}
        try:
            env.start_episode(self.task, seed=self.episode.seed, started_at=self.episode.started_at)
            for number, then in enumerate(self.episode.turns, 1):
                if env.status is not None:
                    error = f"ended after turn {number - 1} of {len(self.episode.turns)}"
                    break
                env.clock.elapsed = then.started  # so that the time of the episode is over where it was
                now = env.take_action(then.action)
                if self.manifest.is_reward_renamed:
                    now = replace(now, scores=_as_format_1(now.scores, env.reward_name))
                scores = now.scores
                turns.append(_compare(number, then, now))
            others = self._others(env, scores)
        except MachineError as failure:
            error = f"{type(failure).__name__}: {failure}"
        success = self._success(scores or {})
        return ComparedEpisode(self.task.id, self.episode.repeat, tuple(turns), success, error, others=others)

    def _success(self, now: Scores) -> Pair[bool] | None:
        leading = self.manifest.leading_reward
        then = self.episode.success(leading)
        return None if then is None else Pair(then, leading in now and now[leading].success)

    def _others(self, env: Env, last: Scores | None) -> dict[str, Pair[Any]]:
        """Return what was stored of the episode as a whole, and is not measured or a model's own."""
        then, judged = self.episode, env.status in ("submitted", "truncated")
        task = self.task.view()
        return {
            **{name: Pair(getattr(then.task, name), getattr(task, name)) for name in TaskView.__slots__},
            "seed": Pair(then.seed, self.seed),
            IMAGE: Pair(then.image, env.backend_id),
            "ending": Pair(then.status, env.status or "goes on"),
            **_figures(then.scores, last if judged else None),
        }


def _as_format_1(scores: Scores | None, chosen: str) -> Scores | None:
    """Return *scores* as format 1 stores them: those of a *chosen* reward as `exact`, and as `paper` where none is."""
    if scores is None or chosen in ("", *SCORINGS):
        return scores
    return {"paper": scores.get("paper", scores[chosen]), "exact": scores[chosen]}


def _compare(number: int, then: Turn, now: Turn) -> ComparedTurn:
    return ComparedTurn(
        number,
        str(then.action),
        Pair(then.observation.text, now.observation.text),
        {reward: Pair(score.value, _value(now.scores, reward)) for reward, score in (then.scores or {}).items()},
        Pair(then.state_hash, now.state_hash),
        others={
            "exit code": Pair(then.observation.exit_code, now.observation.exit_code),
            "time-out": Pair(then.observation.timed_out, now.observation.timed_out),
            "truncation": Pair(then.observation.truncated, now.observation.truncated),
            "reward": Pair(then.reward, now.reward),
            **_figures(then.scores, now.scores),
        },
    )


def _value(scores: Scores | None, scoring: str) -> float:
    """Return the reward, or what agrees with nothing where none was given."""
    return scores[scoring].value if scores and scoring in scores else nan


def _figures(then: Scores | None, now: Scores | None) -> dict[str, Pair[Any]]:
    """Return all of scores but the notes, which are for people; None for what one of both does not have."""
    before, after = _flat(then), _flat(now)
    return {name: Pair(before.get(name), after.get(name)) for name in dict.fromkeys((*before, *after))}


def _flat(scores: Scores | None) -> dict[str, float | bool]:
    flat: dict[str, float | bool] = {}
    for scoring, score in (scores or {}).items():
        flat |= {f"{scoring} score": score.value, f"{scoring} success": score.success}
        flat |= {f"{scoring} {name}": value for name, value in score.parts.items()}
    return flat
