"""The published way of running Bash episodes: two containers that serve a whole recording, reset by git.

What git does not look at lives on, and what it brings back has a new time: a gold that made links in /root fails the
next time, a file that an earlier gold deleted is no longer old. Part of the recordings can only be understood so.
"""

from __future__ import annotations

from dataclasses import replace

from intercode.errors import UserError
from intercode.rewards.base import EndingReward
from intercode.rewards.core.file_endings import BashEnding, FinalState, Gold
from intercode.types import Task
from intercode.worlds.bash import BashEnv
from intercode.worlds.bash.final_state import read_final_state
from intercode.worlds.bash.gold_cache import GoldCache
from intercode.worlds.bash.gold_runs import SECONDS, other_container
from intercode.worlds.bash.paper_shell import PaperShell, run_paper
from intercode.worlds.bash.scoring.paper import paper
from intercode.worlds.bash.scoring.paper_quoting import paper_gold
from intercode.worlds.bash.shell import BASH
from intercode_sandbox.sandbox import Limits, Session

RESET = "git reset --hard; git clean -fd;"
"""What the published code runs in both, in `/`, before an episode and before a gold."""

REFRESH = "git update-index -q --refresh"
"""First of all in a new session: its files are copies with times and numbers that the repository does not know, and git
would write them all anew, with the rights that it knows (755 for 777)."""

ROOM = 4 << 30
"""Bytes that a session may write: it lives as long as hundreds of episodes."""


class ReusedContainersEnv(BashEnv):
    """`BashEnv` under `paper` scoring, in sessions that serve one episode after the other.

    A session that cannot be reset (one recorded action compresses /usr) gives way to a new one, as those who ran the
    benchmark had to do by hand. Processes end with their episode.
    """

    rewards = dict.fromkeys(("paper", "exact"), EndingReward(paper, first_gold=True))

    _agents: Session | None = None
    _golds: Session | None = None
    _made_of = ""

    def prepare(self) -> None:
        """The agent's session, reset, and a shell in it."""
        if self.scoring != "paper":
            raise UserError("reused containers are the published way: they go with scoring='paper'")
        if self.image.digest != self._made_of:
            self._give_up_both()
            self._made_of = self.image.digest
        self.session = self._agents = self._reset(self._agents)
        self._shell = PaperShell(self.current_session, seconds=self.current_session.limits.seconds)

    def ending(self, task: Task) -> BashEnding:
        """Return both sides' endings: the gold is run again, in its own session, which is reset first."""
        tracked = GoldCache.of(self.sandbox).tracked_files(self.sandbox, self.image)
        mine = read_final_state(self.current_session, self.answer, tracked)
        self._golds = self._reset(self._golds, judging=True)
        command = paper_gold(task.gold or "")
        theirs = FinalState()
        if command is not None:
            env = other_container(self.image.env)
            shown = run_paper(self._golds, command, seconds=SECONDS, keep=True, env=env)
            theirs = read_final_state(self._golds, shown.text, tracked)
        gold = Gold(paper=theirs, exact=theirs, corrupt=command is None)
        return BashEnding(task, mine, gold, acted=self.turn > 0)

    def end_episode(self) -> None:
        """End the episode, and leave its session to the next one."""
        self.session = None
        super().end_episode()

    def close_backend(self) -> None:
        """Close both sessions."""
        self._give_up_both()
        super().close_backend()

    def _reset(self, used: Session | None, *, judging: bool = False) -> Session:
        if used is not None:
            used.kill()
            if used.run([BASH, "-c", RESET]).exit_code == 0:
                return used
            used.close()
        limits = replace(self.limits or Limits(), disk=ROOM, judging=judging)
        fresh = self.sandbox.start(self.image, started_at=self.started_at, limits=limits)
        fresh.run([BASH, "-c", f"{REFRESH}; {RESET}"])
        return fresh

    def _give_up_both(self) -> None:
        for session in (self._agents, self._golds):
            if session is not None:
                session.close()
        self._agents = self._golds = None
