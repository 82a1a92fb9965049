"""From one state into many: how an environment's episode is kept, come back to, and forked.

A part of `Env`, in a file of its own: it knows what `Env` keeps to itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NoReturn, Self, TypeVar

from gymnasium.error import ClosedEnvironmentError, ResetNeeded

from intercode.closing import HomeProcess
from intercode.envs.core.failures import BROKEN, MachineFailuresEnd
from intercode.envs.core.interruption import RunningCode
from intercode.envs.core.snapshots import EnvSnapshot, SavedState, restore_fields, save_fields
from intercode.errors import SnapshotError, UserError
from intercode.sandboxes.base import Snapshot
from intercode.types import Observation

if TYPE_CHECKING:
    from intercode.envs.base import Env

E = TypeVar("E", bound="Env")

NO_WAY_BACK = "this state cannot be branched from"


class Branching(Generic[E]):
    """Branches the episodes of an environment whose world is a session's file system.

    A world that is more than that subclasses it, and names the class as its `branching`. The methods that it may write
    come first; `snapshot`, `restore` and `fork`, which `Env` calls, use them.
    """

    def __init__(self, env: E) -> None:
        self.env = env

    # What a world may write

    def key(self) -> dict[str, str]:
        """What must be equal, by name, in every environment that goes on from a snapshot of this one."""
        env = self.env
        alike = {
            "class": type(env).__qualname__,
            "data set": env.dataset.name,
            "scoring": env.scoring,
            "step reward": env.step_reward,
        }
        if not env.needs_sandbox:
            return alike
        return alike | {"sandbox": type(env.sandbox).__name__, "image": f"{env._base.name}@{env._base.digest}"}

    def save(self) -> SavedState:
        """What the world has to keep to become what it is now.

        Raises:
            SnapshotError: If the state cannot be kept.
        """
        return self.env.current_session.snapshot()

    def save_for_fork(self) -> SavedState:
        """State for `fork`, which goes on in another environment at once. Default: same as `save`."""
        return self.save()

    def release(self, state: SavedState) -> None:
        """Before `load`: end what runs, but for what helps to come back to *state*."""
        self.env.end_episode()

    def load(self, state: SavedState) -> None:
        """In place of `Env.prepare`: make the world what it was when *state* was saved.

        Raises:
            SnapshotError: If the state cannot be restored.
        """
        assert isinstance(state, Snapshot)
        env = self.env
        env.session = env.sandbox.start(env.image, snapshot=state, started_at=env.started_at, limits=env.limits)

    def detach(self) -> None:
        """Forget, without ending it, all that belongs to the environment that this one was copied from."""
        self.env.session = None

    # What `Env` calls

    def snapshot(self) -> EnvSnapshot:
        """See `Env.snapshot`."""
        return self._snapshot(self.save)

    def restore(self, snapshot: EnvSnapshot) -> Observation:
        """See `Env.restore`."""
        env = self.env
        if not isinstance(snapshot, EnvSnapshot):
            raise UserError(f"restore takes what snapshot() gives, not {type(snapshot).__name__}")
        snapshot.check(self.key())
        self.release(snapshot.world)
        restore_fields(env, snapshot.fields)
        if env.needs_sandbox:
            env.image = env.dataset.image(env.task, env._base)
        env.history = list(snapshot.history)
        env.elapsed = snapshot.seconds
        try:
            with MachineFailuresEnd(env):
                self.load(snapshot.world)
                return env.history[-1].observation if env.history else env.initial_observation()
        except (SnapshotError, *BROKEN) as error:
            env.status, env._playing = "error", False
            raise error if isinstance(error, SnapshotError) else SnapshotError(f"{NO_WAY_BACK}: {error}") from error

    def fork(self) -> E:
        """See `Env.fork`."""
        with self._snapshot(self.save_for_fork) as snapshot:
            twin = object.__new__(type(self.env))
            vars(twin).update(vars(self.env))
            twin._origin = self.env if self.env._owns_backend else self.env._origin
            twin._owns_backend, twin._running_code = False, RunningCode()
            type(self)(twin).detach()
            try:
                twin.restore(snapshot)
            except BaseException:
                twin.close()
                raise
        return twin

    # How

    def _snapshot(self, save: Callable[[], SavedState]) -> EnvSnapshot:
        env = self.env
        env._require_task()
        if env.needs_sandbox and env.session is None:
            raise ResetNeeded(f"no episode goes on ({env.status}): call reset() first")
        with MachineFailuresEnd(env):
            try:
                world = save()
            except BROKEN as error:  # which the next action finds out, too, and is judged for
                raise SnapshotError(f"this state cannot be saved: {error}") from error
        seconds = env.elapsed
        return EnvSnapshot(env.task, tuple(env.history), seconds, world, save_fields(env), self.key())


class Branchable:
    """The part of `Env` that goes from one state into many."""

    branching: ClassVar[type[Branching[Any]]] = Branching
    """How episodes are kept, come back to, and forked."""

    _origin: Branchable | None = None
    """Of a fork: the environment that ends its sandbox or database. None where that is nobody's, or its own."""

    needs_sandbox: ClassVar[bool]
    _closed: bool
    _home: HomeProcess

    def snapshot(self) -> EnvSnapshot:
        """The episode as it stands: its world, turns and random numbers. `restore` and `fork` go on from there.

        Raises:
            ResetNeeded: If no episode was begun, or its world is gone.
            SnapshotError: If the state cannot be saved.
        """
        self._must_be_open()
        return self.branching(self).snapshot()

    def restore(self, snapshot: EnvSnapshot) -> Observation:
        """Go on from *snapshot*, and drop the present episode.

        Returns:
            The last observation before the snapshot.

        Raises:
            UserError: If the snapshot is closed, or of an environment made with other options. The episode then goes
                on.
            SnapshotError: If the state cannot be restored.
        """
        self._must_be_open()
        return self.branching(self).restore(snapshot)

    def fork(self) -> Self:
        """Another environment in the same state: what happens in one is not seen in the other.

        It shares this one's sandbox or database: close this one last.

        Raises:
            ResetNeeded: If no episode was begun, or its world is gone.
            SnapshotError: If the state cannot be saved.
        """
        self._must_be_open()
        twin: Self = self.branching(self).fork()
        return twin

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise TypeError("an environment cannot be copied or pickled: use fork(), or make one in each process")

    def _must_be_open(self) -> None:
        """Refuse an environment that is closed, or whose backend it may not use."""
        if self._closed:
            raise ClosedEnvironmentError("this environment is closed: make another")
        self._must_have_backend()

    def _must_have_backend(self) -> None:
        """Refuse another process's environment, and a fork whose sandbox or database has ended."""
        self._home.check(self)
        if self._origin is not None and self._origin._closed:
            what = "sandbox" if self.needs_sandbox else "database"
            raise ClosedEnvironmentError(
                f"the {what} of this fork has ended with the environment that it was made from: close that one last"
            )
