"""How episodes of the Python world branch: by a copy of the interpreter, or by its actions, run again."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import takewhile
from typing import TYPE_CHECKING, Literal

from intercode.envs.core.branching import NO_WAY_BACK, Branching
from intercode.envs.core.snapshots import SavedState
from intercode.envs.core.state_hash import state_hash
from intercode.envs.python.forks import Fork
from intercode.envs.python.preimport import first_imports
from intercode.errors import SnapshotError

if TYPE_CHECKING:
    from intercode.envs.python.env import PythonEnv

Step = tuple[Literal["run", "failed", "judged"], str]
"""The text of an action, or of one that raised an error, or a name that the published judgement left its marks for."""


@dataclass(frozen=True, slots=True)
class PythonState:
    """What is kept of the world: what was run or judged in place, and what that came to.

    `copy` is a fork of the interpreter, which waits in its session; None where a fork would have been another than it.
    `script`, `last` and `submitted` are the environment's own, `state` is the state's name.
    """

    steps: tuple[Step, ...]
    script: tuple[tuple[str, float], ...]
    last: str
    submitted: str
    state: str
    copy: Fork | None = None

    def close(self) -> None:
        """End the copy."""
        if self.copy is not None:
            self.copy.close()


class PythonBranching(Branching["PythonEnv"]):
    """See `Branching`."""

    env: PythonEnv

    def save(self) -> PythonState:
        """A fork of the interpreter; what was run, to be run again where that is of no use; what it must come to."""
        assert self.env._copies is not None
        return replace(self.save_for_fork(), copy=self.env._copies.keep())

    def save_for_fork(self) -> PythonState:
        """The same without the fork, which cannot leave its session."""
        env = self.env
        return PythonState(tuple(env._steps), tuple(env._script), env._last, env.submitted, env.state_hash())

    def release(self, state: SavedState) -> None:
        """See `Branching.release`: a session in which a copy waits is still wanted."""
        assert isinstance(state, PythonState)
        if state.copy is None or state.copy.copies is not self.env._copies:
            self.env.end_episode()

    def load(self, state: SavedState) -> None:
        """See `Branching.load`. Go on with the copy, if it waits in this session and no file has changed since.

        Else, as in every fork, run the actions again in a fresh session.

        Raises:
            SnapshotError: If they come to another state, as they do where they use chance or time.
        """
        assert isinstance(state, PythonState)
        if self.env.interpreter is None or not self._go_back(state):
            self.env.end_episode()
            self._run_again(state)
        self.env.submitted = state.submitted

    def detach(self) -> None:
        """See `Branching.detach`."""
        super().detach()
        self.env.interpreter = self.env._copies = None

    def _go_back(self, saved: PythonState) -> bool:
        """Whether the copy works now, and all is as it was."""
        env = self.env
        assert saved.copy is not None
        assert env._copies is not None
        state = env._copies.go_back(saved.copy)
        if state is not None and not saved.steps:
            state = ""  # as it is called before the first action
        if state is None or state_hash(env.current_session.changes(), state) != saved.state:
            return False
        env._steps, env._script = list(saved.steps), list(saved.script)
        env._last, env._state = saved.last, state
        return True

    def _run_again(self, saved: PythonState) -> None:
        env = self.env
        without_error = takewhile(lambda step: step[0] == "run", saved.steps)
        env.begin_session(first_imports(text for _, text in without_error))
        for kind, text in saved.steps:
            if kind == "judged":
                env.submitted = text
                env.published()
            else:
                env.execute(text)
        if env.state_hash() != saved.state:
            raise SnapshotError(f"{NO_WAY_BACK}: its actions depend on time or chance")
