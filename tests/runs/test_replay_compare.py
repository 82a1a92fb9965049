"""Then and now, compared."""

from __future__ import annotations

from pathlib import Path

import pytest

from intercode.audit.replay.comparison import ComparedEpisode, ComparedTurn, Comparison, Pair, Share, agreement


def seen(then: str, now: str, cut: int = 0) -> bool | None:
    return ComparedTurn(1, "ls", Pair(then, now), cut=cut).observation_agrees


def test_the_order_of_lines_does_not_matter_but_their_number_does() -> None:
    assert seen("a\nb\n", "b\na\n")
    assert not seen("a\na\n", "a\n")
    assert not seen("a", "a\n")


def test_of_a_cut_observation_all_that_is_left_must_be_there() -> None:
    assert seen("b\na\nlon", "a\nlonger\nb\nc\n", cut=7)
    assert not seen("b\na\nlon", "a\nb\nc\n", cut=7)
    assert not seen("b\na\nlon", "longer\nb\nc\n", cut=7)
    assert not seen("a\nb\n", "a\nb\nc\n", cut=7), "shorter than the cut: nothing was cut off"


@pytest.mark.parametrize(
    ("then", "now", "agrees"), [(0.71, 0.7100000001, True), (0.71, 0.72, False), (1.0, float("nan"), False)]
)
def test_rewards_agree_to_the_second_digit(then: float, now: float, agrees: bool) -> None:
    assert ComparedTurn(1, "ls", rewards={"paper": Pair(then, now)}).reward_agrees is agrees


def test_what_was_not_there_to_compare_neither_agrees_nor_differs() -> None:
    turn = ComparedTurn(1, "hm")
    assert (turn.observation_agrees, turn.reward_agrees, turn.state_agrees, turn.differs) == (None, None, None, False)


def test_shares_are_of_what_could_be_compared() -> None:
    turns = (
        ComparedTurn(1, "a", Pair("x", "x"), {"paper": Pair(1.0, 0.5)}, Pair("1", "1")),
        ComparedTurn(2, "b", Pair("x", "y")),
        ComparedTurn(3, "c", Pair("z", "z"), {"paper": Pair(0.0, 0.0)}, judged=False, executed=False),
    )
    whole = agreement([ComparedEpisode("t/1", 0, turns, Pair(True, False))])
    assert (whole.turns, whole.states) == (3, Share(1, 1))
    assert (whole.rewards, whole.judged) == (Share(2, 1), Share(1, 0))
    assert (whole.observations, whole.executed) == (Share(3, 2), Share(2, 1))
    assert (whole.success.then, whole.success.now) == (Share(1, 1), Share(1, 0))


def test_an_episode_that_the_machine_broke_has_no_success() -> None:
    whole = agreement([ComparedEpisode("t/1", 0, (), Pair(True, False), error="SandboxError: gone")])
    assert (whole.errors, whole.success.then.of) == (1, 0)


def test_the_first_difference_of_each_episode_is_kept() -> None:
    differing = ComparedTurn(2, "b", Pair("x", "y"))
    episodes = (
        ComparedEpisode("t/1", 0, (ComparedTurn(1, "a"), differing, ComparedTurn(3, "c", Pair("x", "y"))), None),
        ComparedEpisode("t/2", 0, (ComparedTurn(1, "a"),), None),
    )
    assert Comparison(Path("a.json"), "react", episodes).differences == [(episodes[0], differing)]


def test_figures_on_stable_tasks_are_apart() -> None:
    episodes = tuple(ComparedEpisode(f"t/{number}", 0, (), None) for number in range(3))
    comparison = Comparison(Path("a.json"), "react", episodes, stable=frozenset({"t/1"}))
    assert comparison.on_stable_tasks is not None
    assert comparison.on_stable_tasks.episodes == 1
    assert Comparison(Path("a.json"), "react", episodes).on_stable_tasks is None
