"""From one state into many: how the episode of an environment is saved, restored and forked."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy, deepcopy
from typing import TypeVar

from gymnasium.error import ResetNeeded

from intercode.env.failures import BROKEN, MachineFailuresEnd
from intercode.env.interruption import RunningCode
from intercode.env.saved_state import NO_WAY_BACK, SavedState
from intercode.env.snapshots import EnvSnapshot
from intercode.env.world import World
from intercode.errors import SnapshotError, UserError

AnyWorld = TypeVar("AnyWorld", bound=World)

CHANCE = ("_np_random", "_np_random_seed", "_order")
"""Fields of an environment that say what comes next where chance decides."""


def save(env: World, save_state: Callable[[], SavedState]) -> EnvSnapshot:
    """Return the episode of *env* as it stands; *save_state* is how its world is kept.

    Raises:
        ResetNeeded: If no episode was begun, or its world is gone.
        SnapshotError: If the state cannot be saved.
    """
    episode = env.current_episode
    if env.needs_sandbox and env.session is None:
        raise ResetNeeded(f"no episode goes on ({env.status}): call reset() first")
    with MachineFailuresEnd(env):
        try:
            world = save_state()
        except BROKEN as error:  # which the next action finds out, too, and is judged for
            raise SnapshotError(f"this state cannot be saved: {error}") from error
    chance = {name: deepcopy(getattr(env, name)) for name in CHANCE}
    return EnvSnapshot(episode, env.clock.elapsed, world, chance, env.branch_key())


def restore(env: World, snapshot: EnvSnapshot) -> None:
    """Let *env* go on from *snapshot*, and drop its present episode.

    Raises:
        UserError: If the snapshot is closed, or of an environment made with other options.
        SnapshotError: If the state cannot be restored.
    """
    if not isinstance(snapshot, EnvSnapshot):
        raise UserError(f"restore takes what snapshot() gives, not {type(snapshot).__name__}")
    snapshot.check(env.branch_key())
    env.end_before_restore(snapshot.world)
    for name, value in snapshot.chance.items():
        setattr(env, name, deepcopy(value))
    env.episode, env.clock.elapsed = snapshot.episode, snapshot.seconds
    if env.needs_sandbox:
        env.image = env.dataset.image(env.task, env.base_image)
    try:
        with MachineFailuresEnd(env):
            env.load_state(snapshot.world)
    except (SnapshotError, *BROKEN) as error:
        env.episode = env.current_episode.ended("error")
        raise error if isinstance(error, SnapshotError) else SnapshotError(f"{NO_WAY_BACK}: {error}") from error


def fork(env: AnyWorld) -> AnyWorld:
    """Return another environment in the same state, which shares the sandbox or database of *env*.

    Raises:
        ResetNeeded: If no episode was begun, or its world is gone.
        SnapshotError: If the state cannot be saved.
    """
    with save(env, env.save_state_for_fork) as snapshot:
        twin = object.__new__(type(env))
        vars(twin).update(vars(env))
        twin.origin = env if env.owns_backend else env.origin
        twin.owns_backend, twin.running_code = False, RunningCode()
        twin.clock, twin.networks = copy(env.clock), copy(env.networks)
        twin.detach()
        try:
            restore(twin, snapshot)
        except BaseException:
            twin.close()
            raise
    return twin
