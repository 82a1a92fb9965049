"""The contract of worlds in which an answer is handed over: `submit ANSWER`. Subclass it as you would `EnvContract`."""

from __future__ import annotations

import pytest
from gymnasium.error import ResetNeeded

from intercode.env.env import Env
from intercode.testing.env import EnvContract, MakeEnv
from intercode.types import Action


class FlagEnvContract(EnvContract):
    """What such a world keeps to, beside what every world does. `make` takes *attempts*."""

    wrong = "no flag at all"
    """What is no task's flag."""

    def test_the_gold_scores_and_doing_nothing_does_not(self, make: MakeEnv) -> None:
        """Nor does an empty answer, or a wrong one."""
        with make(scoring="exact") as env:
            for index in range(len(env.dataset)):
                env.reset(options={"task": index})
                assert env.task.gold
                assert env.step(f"submit {env.task.gold}")[1] == 1.0, f"the gold of {env.task.id}"
                for action in ("submit", "submit ", f"submit {self.wrong}"):
                    env.reset(options={"task": index})
                    assert env.step(action)[1] == 0.0, f"{action!r} at {env.task.id}"

    def test_a_reward_for_every_turn_is_given_when_asked_for(self, make: MakeEnv) -> None:
        """Code alone earns none: only what is handed in does."""
        with make(reward_every_turn=True, scoring="exact") as env:
            env.reset()
            _, reward, terminated, truncated, info = env.step(f"echo '{env.task.gold}'")
            assert (reward, terminated, truncated) == (0.0, False, False)
            assert not info["scores"]["exact"].success
            assert env.step(f"submit {env.task.gold}")[1] == 1.0

    def test_judging_does_not_end_the_episode(self, make: MakeEnv) -> None:
        with make(scoring="exact") as env:
            env.reset()
            before = env.judge()
            assert before is not None
            assert before["exact"].value == 0.0
            assert env.status is None
            assert env.step(f"submit {env.task.gold}")[1] == 1.0

    def test_several_attempts_may_be_allowed_and_each_is_judged_and_kept(self, make: MakeEnv) -> None:
        with make(attempts=3, scoring="exact") as env:
            env.reset()
            for _ in range(2):
                _, reward, terminated, truncated, info = env.step(f"submit {self.wrong}")
                assert (reward, terminated, truncated, env.status) == (0.0, False, False, None)
                assert not info["scores"]["exact"].success
            _, reward, terminated, _, _ = env.step(f"submit {env.task.gold}")
            assert (reward, terminated, env.status) == (1.0, True, "submitted")
            assert [turn.action.text for turn in env.history] == [self.wrong, self.wrong, env.task.gold]
            assert [turn.reward for turn in env.history] == [0.0, 0.0, 1.0]
            assert all(turn.scores for turn in env.history)

    def test_the_last_attempt_ends_the_episode(self, make: MakeEnv) -> None:
        with make(attempts=2, scoring="exact") as env:
            env.reset()
            assert not env.step(f"submit {self.wrong}")[2]
            assert env.step(f"submit {self.wrong}")[1:3] == (0.0, True)
            with pytest.raises(ResetNeeded):
                env.step(f"submit {env.task.gold}")

    def test_a_new_episode_has_all_attempts_again(self, make: MakeEnv) -> None:
        with make(attempts=2) as env:
            for _ in range(2):
                env.reset()
                assert not env.step(f"submit {self.wrong}")[2]

    def test_work_goes_on_between_attempts(self, make: MakeEnv) -> None:
        """What runs is not ended by a wrong flag."""
        with make(attempts=2) as env:
            env.reset()
            env.step("sleep 60 >/dev/null 2>&1 & echo $! > pid")
            env.step(f"submit {self.wrong}")
            assert env.step("kill -0 $(cat pid) && echo alive")[0] == "alive\n"

    def test_a_seed_makes_the_same_flag(self, env: Env) -> None:
        """And so a stored episode can be played again."""
        flags = []
        for seed in (4, 4):
            env.start_episode(env.dataset[0], seed=seed)
            flags.append(env.task.gold)
        assert flags[0] == flags[1]
        assert env.take_action(Action("submit", str(flags[0]))).reward == 1.0
