"""Episodes played again, over the toy world."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from recordings import plan_solve, react, try_again, write
from toy_world import ToyAgent, ToyDataset, toy_env, toy_job

from intercode.audit.replay import stored_runs
from intercode.audit.replay.comparison import ComparedEpisode, Pair
from intercode.audit.replay.published import nl2bash as bash
from intercode.audit.replay.published.recorded_turns import REACT_NO_CODE
from intercode.audit.replay.published.recordings import read
from intercode.runs.episode import EpisodeRun
from intercode.types import Action, Trajectory


def replayed(folder: Path, log: dict[str, Any]) -> ComparedEpisode:
    recording = read(write(folder / "a.json", log))
    env = toy_env(ToyDataset(name="nl2bash/fs1"), turns=1000)
    return bash.BashPlayer(recording, recording.episodes[0], "exact").play(env)


def test_try_again_is_judged_after_every_action(tmp_path: Path) -> None:
    episode = replayed(tmp_path, try_again(1, [("say 0", "0", 0.0), ("say 1", "1", 1.0)]))
    assert [turn.rewards["exact"].now for turn in episode.turns] == [0.0, 1.0]
    assert not any(turn.differs for turn in episode.turns)
    assert episode.success == Pair(True, True)


def test_the_best_of_plan_and_solve_counts(tmp_path: Path) -> None:
    episode = replayed(tmp_path, plan_solve(1, [("say 1", "1", 1.0), ("say 2", "2", 0.5)]))
    assert episode.success == Pair(True, True)
    assert [turn.reward_agrees for turn in episode.turns] == [True, False]


def test_react_is_judged_at_the_end_and_observations_are_compared_as_far_as_they_were_kept(tmp_path: Path) -> None:
    long = "x" * 400
    turns = [(f"execute[say {long}]", long[:350], 0), ("oops", REACT_NO_CODE, 0), ("submit", long[:350], 0.0)]
    episode = replayed(tmp_path, react(1, turns))
    assert not any(turn.differs for turn in episode.turns)
    assert [turn.executed for turn in episode.turns] == [True, False, False]
    assert [turn.judged for turn in episode.turns] == [False, False, True]


def test_a_submitting_action_runs_nothing_and_is_judged(tmp_path: Path) -> None:
    episode = replayed(tmp_path, try_again(1, [("say 1", "1", 1.0), ("submit it", "1", 1.0), ("skip", "skipped", 1.0)]))
    assert not any(turn.differs for turn in episode.turns)
    assert [(turn.executed, turn.judged) for turn in episode.turns] == [(True, True), (False, True), (False, True)]


def test_a_turn_without_code_has_no_observation_to_compare(tmp_path: Path) -> None:
    said = "No Bash code was found in your last response."
    (turn,) = replayed(tmp_path, try_again(1, [("Sorry!", said, 0)])).turns
    assert (turn.observation, turn.judged, turn.reward_agrees) == (None, False, True)


def test_what_breaks_while_replaying_is_the_machines_error(tmp_path: Path) -> None:
    episode = replayed(tmp_path, try_again(1, [("say 1", "1", 1.0), ("break", "", 0.0)]))
    assert episode.error == "SandboxError: the toy is broken"
    assert len(episode.turns) == 1


def played(*moves: str, then: str = "submit") -> Trajectory:
    task = ToyDataset()[1]
    return EpisodeRun(toy_env(), ToyAgent({task.id: list(moves)}, then), task).play()


def again(episode: Trajectory) -> ComparedEpisode:
    return stored_runs.StoredRunPlayer(ToyDataset()[1], episode, toy_job().manifest, 0).play(toy_env())


def test_our_own_episode_agrees_with_itself() -> None:
    episode = again(played("say 0", "say 1"))
    assert not any(turn.differs for turn in episode.turns)
    assert [turn.state_agrees for turn in episode.turns] == [True, True, True]
    assert set(episode.turns[-1].rewards) == {"paper", "exact"}
    assert episode.success == Pair(True, True)


def test_a_changed_observation_state_or_score_is_found() -> None:
    episode = played("say 1")
    first, last = episode.turns
    assert last.scores is not None
    worse = {scoring: replace(score, value=0.2) for scoring, score in last.scores.items()}
    forged = (
        replace(first, observation=replace(first.observation, text="2"), state_hash="?"),
        replace(last, scores=worse),
    )
    found = again(replace(episode, turns=forged))
    assert found.turns[0].observation_agrees is False
    assert found.turns[0].state_agrees is False
    assert found.turns[1].reward_agrees is False


def test_an_episode_that_now_ends_earlier_says_so() -> None:
    episode = played("say 1")
    longer = replace(episode, turns=(*episode.turns, replace(episode.turns[0], action=Action("execute", "say 2"))))
    assert again(longer).error == "ended after turn 2 of 3"


def test_a_skipped_episode_has_no_success_to_compare() -> None:
    assert again(played("skip")).success is None
