"""Our own runs as material: the same actions again, and every observation, score and state hash compared."""

from __future__ import annotations

from dataclasses import dataclass
from math import nan

from intercode.envs.base import Env
from intercode.errors import BadData, MachineError
from intercode.runs.job import Job, Say, prepare
from intercode.runs.manifest import Manifest, settings_here
from intercode.runs.replay.compare import ComparedEpisode, ComparedTurn, Pair
from intercode.runs.replay.material import Material, Piece, Wishes
from intercode.runs.store import StoredRun
from intercode.types import Scores, Scoring, Task, Trajectory, Turn


def material(run: StoredRun, wishes: Wishes, say: Say) -> tuple[Material, Job]:
    """The episodes of *run* that *wishes* want, and the job whose environments they use (to be closed afterwards).

    Episodes that ended in an error are left out. Raises UserError, MachineError.
    """
    settings = wishes.settings(settings_here(run.manifest, run.path)).changed(
        agent="oracle", agent_options={}, model="", base_url="", model_options={}
    )
    job = prepare(settings, say=say)
    tasks = {task.id: task for task in job.tasks}
    episodes = [each for each in run.episodes if each.status != "error" and wishes.want(each.task.id)]
    pieces = [_piece(job, tasks, run, episode) for episode in episodes[: wishes.limit]]
    return Material(run.path, "our run", tuple(pieces), _note(run.manifest, job.manifest)), job


def _piece(job: Job, tasks: dict[str, Task], run: StoredRun, episode: Trajectory) -> Piece:
    task = tasks.get(episode.task.id)
    if task is None:
        raise BadData(f"{run.path} has an episode of {episode.task.id}, which the data set no longer holds")
    return Piece(task.id, episode.repeat, job.make_env, Player(task, episode, job.scoring).play)


def _note(then: Manifest, now: Manifest) -> str:
    """What is no longer as it was when the run was made."""
    changed = [name for name in then.data if now.data.get(name) != then.data[name]]
    changed += [f"image {name}" for name in then.images if now.images.get(name) != then.images[name]]
    return f"changed since then: {', '.join(changed)}" if changed else ""


@dataclass(frozen=True)
class Player:
    """Plays one stored episode again."""

    task: Task
    episode: Trajectory
    scoring: Scoring

    def play(self, env: Env) -> ComparedEpisode:
        """All turns that can be had; what the machine fails at is in `error`."""
        turns: list[ComparedTurn] = []
        error = ""
        scores: Scores = {}
        try:
            env.begin(self.task, seed=self.episode.seed, started_at=self.episode.started_at)
            for number, then in enumerate(self.episode.turns, 1):
                if env.status is not None:
                    error = f"ended after turn {number - 1} of {len(self.episode.turns)}"
                    break
                now = env.play(then.action)
                scores = now.scores or {}
                turns.append(_compare(number, then, now))
        except MachineError as failure:
            error = f"{type(failure).__name__}: {failure}"
        return ComparedEpisode(self.task.id, self.episode.repeat, tuple(turns), self._success(scores), error)

    def _success(self, now: Scores) -> Pair[bool] | None:
        then = self.episode.success(self.scoring)
        return None if then is None else Pair(then, self.scoring in now and now[self.scoring].success)


def _compare(number: int, then: Turn, now: Turn) -> ComparedTurn:
    return ComparedTurn(
        number,
        str(then.action),
        Pair(then.observation.text, now.observation.text),
        {scoring: Pair(score.value, _value(now.scores, scoring)) for scoring, score in (then.scores or {}).items()},
        Pair(then.state_hash, now.state_hash),
    )


def _value(scores: Scores | None, scoring: Scoring) -> float:
    """The reward, or what agrees with nothing where none was given."""
    return nan if scores is None else scores[scoring].value
