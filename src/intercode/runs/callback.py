"""Who looks on while episodes are played: a display, a log, or nobody."""

from __future__ import annotations

from intercode.runs.episode_record import Key
from intercode.types import Action, Trajectory


class ProgressCallback:
    """Told of everything, from several threads; does nothing. Displays override what they show."""

    @property
    def wants_trajectories(self) -> bool:
        """Return whether `on_trajectory` does anything: where others play, a trajectory must be read for it first."""
        return type(self).on_trajectory is not ProgressCallback.on_trajectory

    def on_start(self, total: int, finished: int, successes: int) -> None:
        """The work begins: *total* episodes, of which *finished* were there already, *successes* of them successes."""

    def on_reset(self, episode: Key) -> None:
        """An episode is being reset."""

    def on_step(self, episode: Key, turn: int) -> None:
        """Its agent is asked for the action of that *turn*, from 1."""

    def on_action(self, episode: Key, action: Action) -> None:
        """Its agent has decided for *action*, which is about to be taken; one that submits is judged."""

    def on_trajectory(self, trajectory: Trajectory) -> None:
        """An episode of a run is stored: all of it, just before `on_episode_end`."""

    def on_episode_end(self, episode: Key, success: bool | None, error: str) -> None:
        """It is over, and stored. *success* is None where nothing was judged, *error* is the machine's, else ""."""

    def on_usage(self, cost: float | None) -> None:
        """Take what models took so far, in US dollars, earlier sittings included; None where a price is not known."""

    def on_message(self, message: str) -> None:
        """Something that a person should know: an image is being built, a line was torn."""

    def close(self) -> None:
        """The work is over, in whatever way."""


class ProgressCallbacks(ProgressCallback):
    """Tells each of *others* everything, in their order."""

    def __init__(self, *others: ProgressCallback) -> None:
        self._others = others

    @property
    def wants_trajectories(self) -> bool:
        return any(each.wants_trajectories for each in self._others)

    def on_start(self, total: int, finished: int, successes: int) -> None:
        for each in self._others:
            each.on_start(total, finished, successes)

    def on_reset(self, episode: Key) -> None:
        for each in self._others:
            each.on_reset(episode)

    def on_step(self, episode: Key, turn: int) -> None:
        for each in self._others:
            each.on_step(episode, turn)

    def on_action(self, episode: Key, action: Action) -> None:
        for each in self._others:
            each.on_action(episode, action)

    def on_trajectory(self, trajectory: Trajectory) -> None:
        for each in self._others:
            each.on_trajectory(trajectory)

    def on_episode_end(self, episode: Key, success: bool | None, error: str) -> None:
        for each in self._others:
            each.on_episode_end(episode, success, error)

    def on_usage(self, cost: float | None) -> None:
        for each in self._others:
            each.on_usage(cost)

    def on_message(self, message: str) -> None:
        for each in self._others:
            each.on_message(message)

    def close(self) -> None:
        for each in self._others:
            each.close()
