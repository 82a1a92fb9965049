"""The Bash world: commands in a shell, judged by what they leave behind and what the last of them prints."""

from __future__ import annotations

from typing import Literal, Unpack

from intercode.datasets.base import Dataset
from intercode.envs.base import Env, EnvOptions
from intercode.envs.core.fingerprint import fingerprint
from intercode.envs.core.fresh import FreshShell
from intercode.envs.core.gold import GoldKeeper
from intercode.envs.core.outcome import outcome
from intercode.envs.core.paper import PaperShell
from intercode.envs.core.persistent import PersistentShell
from intercode.envs.core.shell import Shell
from intercode.errors import UserError
from intercode.rewards.base import Ending, Gold, Outcome
from intercode.rewards.bash_exact import exact
from intercode.rewards.bash_paper import paper
from intercode.types import Observation, Scores


class BashEnv(Env):
    """`intercode/Bash-v1`. An action is what is typed into a shell, of one line or many.

    Under `exact` scoring *shell* is "fresh" (each command its own Bash; files and the working directory live on) or
    "persistent" (one Bash that stays: variables, functions and background jobs live on too). Under `paper` scoring
    commands run as in the published benchmark, its quoting and its `cd` included, and *shell* can only be "fresh".
    """

    world = "bash"

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
        if shell == "persistent" and self.scoring == "paper":
            raise UserError("shell='persistent' is not the paper's: say scoring='exact' with it, or leave it out")
        self._shell_name = shell
        self._shell: Shell | None = None

    @property
    def cwd(self) -> str:
        """Where the next command starts."""
        return self._shell.cwd if self._shell else "/"

    def prepare(self) -> None:
        """A fresh session, and a shell in it."""
        super().prepare()
        seconds = self.live.limits.seconds
        if self.scoring == "paper":
            self._shell = PaperShell(self.live, seconds=seconds)
        elif self._shell_name == "persistent":
            self._shell = PersistentShell(self.live, seconds=seconds)
        else:
            self._shell = FreshShell(self.live, seconds=seconds)

    def execute(self, text: str) -> Observation:
        """Run *text* in the shell."""
        assert self._shell is not None
        return self._shell.run(text)

    def score(self) -> Scores | None:
        """Both scores of what the session holds now and of the last output; a gold that disagrees is doubted."""
        tracked = GoldKeeper.of(self.sandbox).tracked(self.sandbox, self.image)
        mine = outcome(self.live, self.answer, tracked)
        gold = self._gold(doubted=False)
        scores = self._compare(mine, gold)
        if gold.volatile or all(score.success for score in scores.values()):
            return scores
        return self._compare(mine, self._gold(doubted=True))

    def _gold(self, *, doubted: bool) -> Gold:
        text, start, limits = self.task.gold or "", self.started_at, self.live.limits
        keeper = GoldKeeper.of(self.sandbox)
        return keeper.gold(self.sandbox, self.image, text, started_at=start, limits=limits, doubted=doubted)

    def _compare(self, mine: Outcome, gold: Gold) -> Scores:
        ending = Ending(self.task, mine, gold, acted=self.turn > 0)
        return {"paper": paper(ending), "exact": exact(ending)}

    def fingerprint(self) -> str:
        """The state of the file system, and the working directory."""
        return fingerprint(self.live.changes(), self.cwd)

    def finish(self) -> None:
        """End the shell, then the session."""
        if self._shell is not None:
            self._shell.close()
            self._shell = None
        super().finish()
