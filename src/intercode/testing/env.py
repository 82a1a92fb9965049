"""The contract of a world: subclass it, give one fixture, inherit the tests.

    class TestMyWorld(EnvContract):
        @pytest.fixture
        def make(self, sandbox: Sandbox) -> MakeEnv:
            return lambda **options: MyEnv(MyDataset(), **{"sandbox": sandbox, **options})

The data set should have three tasks at least. The attributes say what the world's actions look like.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import ClassVar

import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env

from intercode.env.env import Env
from intercode.errors import UserError
from intercode.testing.env_branches import BranchesContract
from intercode.testing.env_lifecycle import EnvLifecycleContract, MakeEnv
from intercode.types import Action, Observation

__all__ = ["EnvContract", "MakeEnv"]

ODD_ACTIONS = [
    "",
    " ",
    "\n",
    "\0",
    "echo a\0b",
    "\ud800",
    "echo \udcff",
    "é漢\u2028",
    "'",
    '"',
    "(",
    "\\",
    "$(",
    "<<X",
    "x" * 1_000_000,
    "echo " + "y" * 200_000,
]
"""What an agent may say at any time. It gets an observation for it, and the episode goes on."""


class EnvContract(BranchesContract, EnvLifecycleContract):
    """What every world keeps to. Give `make`: it makes an environment, with the options of `Env` that it is given."""

    changing: ClassVar[str] = "echo x > contract-made"
    """An action that changes the state."""

    harmless: ClassVar[str] = "true"
    """One that does not."""

    @pytest.fixture
    def make(self) -> MakeEnv:
        """Provide how environments are made here."""
        raise NotImplementedError("give a fixture called `make`")

    @pytest.fixture
    def env(self, make: MakeEnv) -> Iterator[Env]:
        """Provide an environment with nothing begun."""
        with make() as env:
            yield env

    # Gymnasium's rules

    def test_gymnasiums_own_check_passes_without_warnings(self, env: Env) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            check_env(env, skip_render_check=env.spec is None)

    def test_the_order_of_tasks_follows_from_the_seed(self, env: Env) -> None:
        """The same for the same seed, another for another; every task comes once before any comes again."""
        orders = [self._order(env, seed) for seed in (7, 7, 8, 9)]
        assert orders[0] == orders[1]
        assert len({tuple(order) for order in orders}) > 1
        for order in orders:
            epoch = len(env.dataset)
            assert len(set(order[:epoch])) == len(set(order[epoch:])) == epoch

    def _order(self, env: Env, seed: int) -> list[str]:
        first = env.reset(seed=seed)[1]["task"]
        return [first, *(env.reset()[1]["task"] for _ in range(2 * len(env.dataset) - 1))]

    def test_a_task_can_be_asked_for_by_index_and_by_id(self, env: Env) -> None:
        task = env.dataset[1]
        for name in (1, task.id):
            observation, info = env.reset(options={"task": name})
            assert (observation, info["task"]) == (task.query, task.id)

    def test_unknown_options_and_tasks_are_the_callers_mistake(self, env: Env) -> None:
        for options in ({"tusk": 1}, {"task": "no such task"}, {"task": 10**6}, {"task": -1}, {"task": 1.5}):
            with pytest.raises(UserError):
                env.reset(options=options)

    def test_impossible_settings_are_the_callers_mistake(self, make: MakeEnv) -> None:
        for options in ({"turns": 0}, {"scoring": "best"}):
            with pytest.raises(UserError):
                make(**options)

    def test_nothing_can_be_done_before_the_first_reset(self, env: Env) -> None:
        act = Action("execute", self.harmless)
        for use in (lambda: env.step(self.harmless), lambda: env.take_action(act), env.judge):
            with pytest.raises(ResetNeeded):
                use()

    def test_nothing_can_be_done_after_the_end(self, env: Env) -> None:
        for ending in ("submit", "skip"):
            env.reset()
            env.step(ending)
            with pytest.raises(ResetNeeded):
                env.step(self.harmless)

    def test_an_action_that_is_no_text_is_the_callers_mistake(self, env: Env) -> None:
        env.reset()
        with pytest.raises(UserError):
            env.step(5)  # type: ignore[arg-type]

    def test_infos_hold_what_is_promised(self, env: Env) -> None:
        _, info = env.reset()
        assert (set(info), info["turn"]) == ({"task", "turn", "observation"}, 0)
        text, _, _, _, info = env.step(self.harmless)
        assert (set(info), info["turn"]) == ({"task", "turn", "observation", "state_hash"}, 1)
        assert isinstance(info["observation"], Observation)
        assert info["observation"].text == text
        *_, info = env.step("submit")
        assert set(info) == {"task", "turn", "observation", "state_hash", "scores"}
        assert set(info["scores"]) == set(env.rewards) | {env.reward_name} - {""}

    def test_the_gold_is_in_nothing_that_an_agent_sees(self, env: Env) -> None:
        for _ in range(len(env.dataset)):
            observation, info = env.reset()
            seen = repr((observation, info, *env.step(self.harmless), *env.step("submit")))
            assert env.task.gold
            assert env.task.gold not in seen.replace(repr(env.task.query)[1:-1], "")

    def test_an_episode_can_be_shown(self, make: MakeEnv) -> None:
        """As text, with all that was said on both sides."""
        with make(render_mode="ansi") as env:
            query, _ = env.reset()
            seen = env.step(self.harmless)[0]
            shown = env.render()
            assert isinstance(shown, str)
            assert all(part in shown for part in (query, self.harmless, seen))

    # Endings

    def test_submit_ends_the_episode_and_is_judged(self, env: Env) -> None:
        env.reset()
        _, reward, terminated, truncated, info = env.step("submit")
        assert (terminated, truncated, env.status) == (True, False, "submitted")
        assert reward == info["scores"][env.leading_reward].value

    def test_skip_ends_the_episode_unscored(self, env: Env) -> None:
        env.reset()
        _, reward, terminated, truncated, info = env.step("skip")
        assert (reward, terminated, truncated, env.status) == (0.0, True, False, "skipped")
        assert "scores" not in info

    def test_out_of_turns_is_truncated_and_judged(self, make: MakeEnv) -> None:
        with make(turns=2) as env:
            env.reset()
            assert env.step(self.harmless)[1:4] == (0.0, False, False)
            _, reward, terminated, truncated, info = env.step(self.harmless)
            assert (terminated, truncated, env.status) == (False, True, "truncated")
            assert reward == info["scores"][env.leading_reward].value

    def test_the_gold_scores_and_doing_nothing_does_not(self, make: MakeEnv) -> None:
        """Under the scoring that cannot be fooled."""
        with make(scoring="exact") as env:
            for index in range(len(env.dataset)):
                env.reset(options={"task": index})
                assert env.task.gold
                env.step(env.task.gold)
                assert env.step("submit")[1] == 1.0, f"the gold of {env.task.id}"
                env.reset(options={"task": index})
                assert env.step("submit")[1] == 0.0, f"nothing at {env.task.id}"

    def test_a_reward_for_every_turn_is_given_when_asked_for(self, make: MakeEnv) -> None:
        with make(reward_every_turn=True, scoring="exact") as env:
            env.reset()
            _, reward, terminated, truncated, info = env.step(env.task.gold or "")
            assert (reward, terminated, truncated) == (1.0, False, False)
            assert info["scores"][env.leading_reward].success
            assert env.step("submit")[1] == 1.0

    def test_rewards_along_the_way_add_up_to_the_final_score(self, make: MakeEnv) -> None:
        """Whatever was done in between: to within 1e-9, less what the start was worth."""
        with make(scoring="exact", step_reward="progress", turns=6) as env:
            for actions in ([self.harmless, env.dataset[0].gold or "", self.harmless], ["skip"], ["submit"]):
                env.reset(options={"task": 0})
                start = env.current_episode.potential
                assert 0 <= start < 1
                rewards = [env.step(action)[1] for action in actions]
                if env.status is None:
                    rewards.append(env.step("submit")[1])
                scores = env.history[-1].scores
                final = 0.0 if scores is None else scores[env.leading_reward].value
                assert abs(sum(rewards) - (final - start)) < 1e-9

    def test_what_changes_nothing_earns_nothing_along_the_way(self, make: MakeEnv) -> None:
        with make(scoring="exact", step_reward="progress") as env:
            env.reset(options={"task": 0})
            env.step(self.harmless)
            assert env.step(self.harmless)[1] == 0.0

    def test_judging_does_not_end_the_episode(self, make: MakeEnv) -> None:
        with make(scoring="exact") as env:
            env.reset()
            before = env.judge()
            env.step(env.task.gold or "")
            after = env.judge()
            assert before is not None
            assert after is not None
            assert (before[env.leading_reward].value, after[env.leading_reward].value) == (0.0, 1.0)
            assert env.status is None
            assert env.step("submit")[1] == 1.0

    # What agents do

    @pytest.mark.parametrize("action", ODD_ACTIONS, ids=range(len(ODD_ACTIONS)))
    def test_odd_actions_are_answered_with_an_observation(self, make: MakeEnv, action: str) -> None:
        with make(turns=3) as env:
            env.reset()
            text, _, terminated, truncated, info = env.step(action)
            assert isinstance(text, str)
            assert (terminated, truncated, info["turn"]) == (False, False, 1)
            env.step(self.harmless)
            env.step("submit")

    def test_states_have_names(self, env: Env) -> None:
        """Equal ones in every episode, whatever the clock says; others where something has changed."""
        hashes = [self._hashes(env) for _ in range(2)]
        assert hashes[0] == hashes[1]
        assert hashes[0][0] != hashes[0][1] == hashes[0][2]

    def _hashes(self, env: Env) -> list[str]:
        env.reset(options={"task": 0})
        return [env.step(action)[4]["state_hash"] for action in (self.harmless, self.changing, self.harmless)]

    def test_episodes_begin_anew(self, env: Env) -> None:
        """Nothing of the last one is left."""
        env.reset(options={"task": 0})
        first = env.step(self.harmless)[4]["state_hash"]
        env.step(self.changing)
        env.reset(options={"task": 0})
        assert env.step(self.harmless)[4]["state_hash"] == first

    def test_begin_and_play_are_reset_and_step(self, env: Env) -> None:
        """The same, typed."""
        task = env.dataset[0]
        assert env.start_episode(task, started_at=1_500_000_000.0) == Observation(task.query)
        turn = env.take_action(Action("execute", self.harmless))
        assert (turn.action, turn.scores, env.status) == (Action("execute", self.harmless), None, None)
        ending = env.take_action(Action("submit"))
        assert ending.scores is not None
        assert (ending.reward, env.status) == (ending.scores[env.scoring].value, "submitted")
        assert env.history == (turn, ending)
