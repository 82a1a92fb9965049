"""The Bash world: commands in a shell, judged by what they leave behind and what the last of them prints."""

from __future__ import annotations

from functools import cached_property, partial
from typing import Any, ClassVar, Literal, Unpack

from intercode.datasets.base import Dataset
from intercode.env.env import Env
from intercode.env.options import EnvOptions
from intercode.env.saved_state import SavedState
from intercode.errors import UserError
from intercode.rewards.base import EndingReward
from intercode.rewards.core.file_endings import BashEnding, Gold
from intercode.rewards.core.guessed import is_guessed
from intercode.types import Observation, Score, Task
from intercode.worlds.bash.final_state import read_final_state
from intercode.worlds.bash.fresh_shell import FreshShell
from intercode.worlds.bash.gold_cache import GoldCache
from intercode.worlds.bash.gold_contents import GoldContents, read_lines
from intercode.worlds.bash.paper_shell import PaperShell
from intercode.worlds.bash.persistent_shell import PersistentShell
from intercode.worlds.bash.saved_state import BashState
from intercode.worlds.bash.scoring.exact import exact
from intercode.worlds.bash.scoring.nearness import nearness
from intercode.worlds.bash.scoring.paper import paper
from intercode.worlds.bash.shell import Shell
from intercode.worlds.bash.spec import SPEC
from intercode_sandbox.session import NO_TERMINAL
from intercode_sandbox.util.naming import sandbox_name


class BashEnv(Env):
    """`intercode/Bash-v1`. An action is what is typed into a shell, of one line or many.

    Args:
        dataset: A name, a path, or a `Dataset`.
        shell: Under `exact` scoring "fresh" (each command is its own Bash; files and the working directory stay) or
            "persistent" (one Bash: variables, functions and background jobs stay too). Under `paper` scoring commands
            run as in the published benchmark, its quoting and its `cd` included, and only "fresh" is possible.
        **options: See `EnvOptions`.

    Raises:
        UserError: If an option is impossible.
    """

    world_spec = SPEC
    rewards = {"paper": EndingReward(paper, first_gold=True), "exact": EndingReward(exact)}

    paper_shell: ClassVar[bool] = True
    """Whether commands run as in the published benchmark under `paper` scoring; worlds that it left out say no."""

    def __init__(
        self,
        dataset: str | Dataset = "starter",
        *,
        shell: Literal["fresh", "persistent"] = "fresh",
        **options: Unpack[EnvOptions],
    ) -> None:
        super().__init__(dataset, **options)
        if shell not in ("fresh", "persistent"):
            raise UserError(f"no shell called {shell!r}; there are: fresh, persistent")
        if shell == "persistent" and self.scoring == "paper" and self.paper_shell:
            raise UserError("shell='persistent' is not the paper's: say scoring='exact' with it, or leave it out")
        if shell == "persistent" and not self.sandbox.gives_terminal:
            raise UserError(NO_TERMINAL.format(sandbox_name(self.sandbox)))
        self.shell = shell
        self._shell: Shell | None = None
        self._cut_golds: dict[str, Gold] = {}  # in this episode: each judgement of it would wait again

    @property
    def cwd(self) -> str:
        """Return where the next command starts."""
        return self._shell.cwd if self._shell else "/"

    def prepare(self) -> None:
        """A fresh session, and a shell in it."""
        super().prepare()
        self._cut_golds = {}
        self._shell = self.make_shell()

    def make_shell(self) -> Shell:
        """Return the shell that runs the commands of this episode."""
        seconds = self.current_session.limits.seconds
        if self.scoring == "paper" and self.paper_shell:
            return PaperShell(self.current_session, seconds=seconds)
        kind = PersistentShell if self.shell == "persistent" else FreshShell
        return kind(self.current_session, seconds=seconds)

    def execute(self, text: str) -> Observation:
        """Run *text* in the shell."""
        assert self._shell is not None
        self._shell.seconds = self.action_seconds
        return self._shell.run(text)

    def ending(self, task: Task) -> Any:
        """Return what the session holds now, the last output, and what the gold leaves behind."""
        mine = read_final_state(
            self.current_session,
            self.answer,
            self._gold_cache.tracked_files(self.sandbox, self.image),
            where=self.cwd,
            started_at=self.started_at,
            archives=task.criteria.archive_members,
        )
        return BashEnding(task, mine, self._gold(task.gold or ""), acted=self.turn > 0)

    def gold_endings(self) -> tuple[Gold, ...]:
        """Return what each of the task's golds leaves behind, for those who examine golds.

        Raises:
            ResetNeeded: Before an episode, and after one that the machine broke.
        """
        return tuple(self._gold(text) for text in self.task.golds)

    def keep_golds(self) -> int:
        """See `Env.keep_golds`: they are stored where every process would find the same."""
        self.gold_endings()
        return len(self.task.golds) if GoldCache.is_kept(self.sandbox, self.image) else 0

    @cached_property
    def _gold_cache(self) -> GoldCache:
        return GoldCache.of(self.sandbox)

    def _gold(self, text: str) -> Gold:
        if text in self._cut_golds:
            return self._cut_golds[text]
        gold = self._gold_cache.gold(
            self.sandbox,
            self.image,
            text,
            started_at=self.started_at,
            limits=self.current_session.limits,
            archives=self.task.criteria.archive_members,
        )
        if gold.cut:
            self._cut_golds[text] = gold
        return gold

    def potential_of(self, ending: Any, score: Score) -> float:
        """Files count by how much of the gold's content is in them."""
        if not isinstance(ending, BashEnding):  # a world of another kind that has a shell
            return score.value
        expected = GoldContents.of(self.sandbox).contents(self)
        read = partial(read_lines, self.current_session)
        return max(score.value, nearness(ending, score, expected, read))

    def is_answer_guessed(self, ending: Any) -> bool:
        return isinstance(ending, BashEnding) and is_guessed(ending.gold.exact.answer or "")

    def state_hash(self) -> str:
        """Return the state of the file system, and the working directory."""
        return self.hash_of(self.current_session.changes(), self.cwd)

    def end_episode(self) -> None:
        """End the shell, then the session."""
        if self._shell is not None:
            self._shell.close()
            self._shell = None
        super().end_episode()

    # Branches: processes are no part of a state

    def branch_key(self) -> dict[str, str]:
        """See `Env.branch_key`: what one shell carries is nothing to the other."""
        return super().branch_key() | {"shell": self.shell}

    def save_state(self) -> SavedState:
        """Return the file system, and what the shell carries."""
        assert self._shell is not None
        memory = self._shell.memory()  # before the file system: asking may start what writes
        return BashState(self.current_session.snapshot(), memory)

    def load_state(self, state: SavedState) -> None:
        assert isinstance(state, BashState)
        super().load_state(state.files)
        self._shell = self.make_shell()
        self._shell.recall(state.shell)

    def detach(self) -> None:
        super().detach()
        self._shell = None
