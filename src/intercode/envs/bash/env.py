"""The Bash world: commands in a shell, judged by what they leave behind and what the last of them prints."""

from __future__ import annotations

from functools import cached_property, partial
from typing import ClassVar, Literal, Unpack

from intercode.datasets.base import Dataset
from intercode.envs.base import Env
from intercode.envs.bash.branching import BashBranching
from intercode.envs.bash.final_state import read_final_state
from intercode.envs.bash.fresh_shell import FreshShell
from intercode.envs.bash.gold_cache import GoldCache
from intercode.envs.bash.gold_contents import GoldContents, read_lines
from intercode.envs.bash.gold_runs import ending_name
from intercode.envs.bash.paper_shell import PaperShell
from intercode.envs.bash.persistent_shell import PersistentShell
from intercode.envs.bash.shell import Shell
from intercode.envs.core.options import EnvOptions
from intercode.errors import UserError
from intercode.rewards.bash.final_state import BashEnding, FinalState, Gold
from intercode.rewards.bash.nearness import nearness
from intercode.rewards.bash.paper import paper
from intercode.types import Observation, Score, Scores
from intercode.worlds.bash import SPEC


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
    branching = BashBranching

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
        self.shell = shell
        self._shell: Shell | None = None

    @property
    def cwd(self) -> str:
        """Where the next command starts."""
        return self._shell.cwd if self._shell else "/"

    def prepare(self) -> None:
        """A fresh session, and a shell in it."""
        super().prepare()
        self._shell = self.make_shell()

    def make_shell(self) -> Shell:
        """The shell that runs the commands of this episode."""
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

    def score(self) -> Scores | None:
        """Both scores of what the session holds now and of the last output. A gold that disagrees runs again."""
        mine = read_final_state(
            self.current_session,
            self.answer,
            self._gold_cache.tracked_files(self.sandbox, self.image),
            where=self.cwd,
            started_at=self.started_at,
            archives=self.task.criteria.archive_members,
        )
        gold = self._gold()
        scores = self._compare(mine, gold)
        if not self._is_final or gold.volatile or all(score.success for score in scores.values()):
            return scores
        proven = self._gold(unlike=ending_name(mine))
        return scores if proven is gold else self._compare(mine, proven)

    def gold_endings(self) -> tuple[Gold, ...]:
        """What each of the task's golds leaves behind, for those who examine golds.

        Raises:
            ResetNeeded: Before an episode, and after one that the machine broke.
        """
        return tuple(self._gold(text=text) for text in self.task.golds)

    def keep_golds(self) -> int:
        """See `Env.keep_golds`: they are stored where every process would find the same."""
        self.gold_endings()
        return len(self.task.golds) if GoldCache.is_kept(self.sandbox, self.image) else 0

    @cached_property
    def _gold_cache(self) -> GoldCache:
        return GoldCache.of(self.sandbox)

    def _gold(self, *, text: str | None = None, unlike: str | None = None) -> Gold:
        return self._gold_cache.gold(
            self.sandbox,
            self.image,
            (self.task.gold if text is None else text) or "",
            started_at=self.started_at,
            limits=self.current_session.limits,
            unlike=unlike,
            archives=self.task.criteria.archive_members,
        )

    def _compare(self, mine: FinalState, gold: Gold) -> Scores:
        self.ending = ending = BashEnding(self.task, mine, gold, acted=self.turn > 0)
        exact = self._gold_cache.judge(self.task, gold).judge(mine, acted=ending.acted)
        return {"paper": paper(ending), "exact": exact}

    def nearness(self, exact: Score) -> float:
        """Files count by how much of the gold's content is in them."""
        if not isinstance(self.ending, BashEnding):  # a world of another kind that has a shell
            return exact.value
        expected = GoldContents.of(self.sandbox).contents(self)
        read = partial(read_lines, self.current_session)
        return max(exact.value, nearness(self.ending, exact, expected, read))

    def state_hash(self) -> str:
        """The state of the file system, and the working directory."""
        return self._hasher.hash(self.current_session.changes(), self.cwd)

    def end_episode(self) -> None:
        """End the shell, then the session."""
        if self._shell is not None:
            self._shell.close()
            self._shell = None
        super().end_episode()
