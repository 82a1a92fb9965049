"""Many episodes: parallel, seeded, interrupted, killed, resumed."""

from __future__ import annotations

import gc
import signal
import subprocess
import sys
import threading
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from toy_world import ToyAgent, toy_job

from intercode.agents.base import Agent
from intercode.audit.replay.source import ReplayOptions
from intercode.errors import InterruptedRunError, MachineError, UnsafeError, UserError
from intercode.report.summary import summarize
from intercode.runs import store
from intercode.runs.callback import ProgressCallback
from intercode.runs.episode_record import Key
from intercode.runs.job import Job
from intercode.runs.resume import reopen, settings_of
from intercode.runs.runner import Runner, assignments, seed_of
from intercode.runs.store import RunStore, StoredRun
from intercode.runs.trust import guarded
from intercode.types import Observation, TaskView, Trajectory
from intercode.types.trajectories import EPISODES


def run(job: Job, folder: Path, parallel: int = 1, callback: ProgressCallback | None = None) -> StoredRun:
    with RunStore.create(folder, job.manifest) as open_store:
        Runner(job, open_store, parallel, callback or ProgressCallback()).run()
    return store.read(folder)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "run"


@pytest.mark.parametrize("parallel", [1, 4, 50])
def test_every_task_is_played_once(folder: Path, parallel: int) -> None:
    found = run(toy_job(size=9), folder, parallel)
    assert sorted(episode.task.id for episode in found.episodes) == [f"toy/{number}" for number in range(9)]
    assert all(episode.success("exact") for episode in found.episodes)
    assert found.missing == 0


class Scales(ProgressCallback):
    """Weighs what Python holds after so many episodes."""

    def __init__(self, *after: int) -> None:
        self.after, self.stored, self.bytes = after, 0, list[int]()

    def on_episode_end(self, episode: Key, success: bool | None, error: str) -> None:
        self.stored += 1
        if self.stored in self.after:
            gc.collect()
            self.bytes.append(tracemalloc.get_traced_memory()[0])


def test_memory_does_not_grow_with_the_episodes_played(folder: Path) -> None:
    """Of each a name is kept, and nothing of what was said in it, a thousand characters here."""
    moves = {f"toy/{number}": [f"say {number} {'x' * 1000}"] for number in range(2000)}
    scales = Scales(500, 2000)
    tracemalloc.start()
    try:
        with RunStore.create(folder, toy_job(moves, size=2000).manifest) as open_store:
            Runner(toy_job(moves, size=2000), open_store, 2, scales).run()
    finally:
        tracemalloc.stop()
    before, after = scales.bytes
    assert (after - before) / 1500 < 150


def test_memory_does_not_grow_with_the_episodes_found_on_resume(folder: Path) -> None:
    job = toy_job({f"toy/{number}": [f"say {number} {'x' * 2000}"] for number in range(1000)}, size=1000)
    run(job, folder, 2)
    assert (folder / EPISODES).stat().st_size > 2_000_000
    tracemalloc.start()
    try:
        RunStore.resume(folder).close()
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert most < 700_000


def test_repeats_have_seeds_of_their_own_that_never_change(folder: Path) -> None:
    found = run(toy_job(size=2, repeat=3, seed=5), folder, 3)
    seeds = {(episode.task.id, episode.repeat): episode.seed for episode in found.episodes}
    assert len(set(seeds.values())) == 6
    assert seeds["toy/1", 2] == seed_of(5, "toy/1", 2) == 2557055081


def test_episodes_of_one_thread_run_at_once_with_those_of_others(folder: Path) -> None:
    """Each waits for the other to be there too: alone they would wait for ever."""
    barrier = threading.Barrier(2, timeout=60)

    class Meeting(ToyAgent):
        def reset(self, task: TaskView, *, seed: int, gold: str | None = None) -> None:
            super().reset(task, seed=seed, gold=gold)
            barrier.wait()

    assert len(run(toy_job(size=2, make_agent=Meeting), folder, 2).episodes) == 2


def test_an_error_is_stored_counted_apart_and_played_again_on_resume(folder: Path) -> None:
    found = run(toy_job({"toy/1": ["say 1", "break"]}), folder)
    assert [episode.status for episode in found.episodes] == ["submitted", "error", "submitted"]
    assert summarize(found.episodes, "exact").rate == 1.0
    assert found.missing == 1
    job = toy_job()
    with reopen(folder, job) as open_store:
        Runner(job, open_store).run()
    assert [episode.task.id for episode in store.read(folder).episodes] == ["toy/0", "toy/2", "toy/1"]
    assert store.read(folder).missing == 0


def test_the_machines_failure_of_an_agent_is_an_error_too(folder: Path) -> None:
    class Speechless(ToyAgent):
        def reset(self, task: TaskView, *, seed: int, gold: str | None = None) -> None:
            raise MachineError("the model does not answer")

    found = run(toy_job(make_agent=Speechless), folder)
    assert {episode.error for episode in found.episodes} == {"MachineError: the model does not answer"}


def test_a_bug_of_ours_ends_the_run_with_its_trace_and_keeps_what_was_finished(folder: Path) -> None:
    with pytest.raises(ZeroDivisionError):
        run(toy_job({"toy/2": ["crash"]}), folder)
    assert len(store.read(folder).episodes) == 2


def test_an_interactive_agent_plays_in_the_main_thread(folder: Path) -> None:
    threads = []

    class Person(ToyAgent):
        interactive = True

        def reset(self, task: TaskView, *, seed: int, gold: str | None = None) -> None:
            super().reset(task, seed=seed, gold=gold)
            threads.append(threading.current_thread())

    job = toy_job(make_agent=Person)
    job = Job(job.settings, job.tasks, job.make_env, job.make_agent, job.manifest, interactive=True)
    run(job, folder, 4)
    assert set(threads) == {threading.main_thread()}


def test_stopping_at_the_keyboard_says_how_to_go_on(folder: Path) -> None:
    class Leaving(ToyAgent):
        def act(self, observation: Observation, reward: float) -> object:  # type: ignore[override]
            raise InterruptedRunError("stopped at the keyboard")

    with pytest.raises(InterruptedRunError, match=f"(?s)0 of 3 episodes are stored.*--resume --out {folder}"):
        run(toy_job(make_agent=Leaving), folder)


def test_whoever_looks_on_hears_of_everything(folder: Path) -> None:
    heard: list[tuple[object, ...]] = []

    class Ear(ProgressCallback):
        def on_start(self, total: int, finished: int, successes: int) -> None:
            heard.append(("planned", total, finished, successes))

        def on_reset(self, episode: Key) -> None:
            heard.append(("began", *episode))

        def on_step(self, episode: Key, turn: int) -> None:
            heard.append(("turned", *episode, turn))

        def on_episode_end(self, episode: Key, success: bool | None, error: str) -> None:
            heard.append(("ended", *episode, success, error))

        def close(self) -> None:
            heard.append(("close",))

    run(toy_job({"toy/0": ["say 1"]}, size=1), folder, callback=Ear())
    assert heard == [
        ("planned", 1, 0, 0),
        ("began", "toy/0", 0),
        ("turned", "toy/0", 0, 1),
        ("turned", "toy/0", 0, 2),
        ("ended", "toy/0", 0, False, ""),
        ("close",),
    ]


def test_a_run_goes_on_only_as_what_it_was_begun(folder: Path) -> None:
    run(toy_job(seed=1), folder)
    assert settings_of(folder, {"seed": 1}).seed == 1
    with pytest.raises(UserError, match=r"seed is 1, not 2: leave that out to resume it"):
        settings_of(folder, {"seed": 2})


def test_a_run_of_unknown_origin_runs_nothing_unguarded_unless_that_is_said_anew(folder: Path) -> None:
    job = toy_job()
    pickled = job.settings.changed(unsafe=True, sandbox="local", dataset_options={"format": "pickle"})
    RunStore.create(folder, replace(job.manifest, settings=pickled)).close()
    with pytest.raises(UnsafeError, match="read as a pickle, which runs code"):
        settings_of(folder, {})
    assert settings_of(folder, {"unsafe": True}).unsafe
    assert not guarded(pickled.changed(dataset_options={}), False).unsafe
    with pytest.raises(UnsafeError):
        ReplayOptions().settings(pickled)


def test_a_run_goes_on_only_on_the_data_that_it_was_begun_on(folder: Path) -> None:
    run(toy_job(size=3), folder)
    with pytest.raises(UserError, match="the data of toy changed since"):
        reopen(folder, toy_job(size=4))
    reopen(folder, toy_job(size=3)).close()


@contextmanager
def long_run(folder: Path, seconds: float, parallel: int = 2) -> Iterator[subprocess.Popen[str]]:
    """A run in a process of its own."""
    here = Path(__file__).parent
    command = [sys.executable, "long_run.py", str(folder), str(seconds), str(parallel)]
    with subprocess.Popen(command, cwd=here, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def wait_for(process: subprocess.Popen[str], count: int, what: str = "stored") -> None:
    """Until it has said *what* of so many episodes."""
    assert process.stdout is not None
    lines = 0
    while lines < count:
        line = process.stdout.readline()
        assert line, "the run ended early"
        lines += line.startswith(what)


def outcomes(episodes: tuple[Trajectory, ...]) -> list[tuple[str, int, object, int]]:
    return sorted((each.task.id, each.seed or 0, each.success("exact"), len(each.turns)) for each in episodes)


def test_ctrl_c_stores_what_is_finished_and_says_how_to_go_on(folder: Path) -> None:
    with long_run(folder, 1.0) as process:
        wait_for(process, 4)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=60)
    assert process.returncode == 1
    stored = len(store.read(folder).episodes)
    assert 4 <= stored < 20
    assert f"InterruptedRunError: stopped: {stored} of 20 episodes are stored, {20 - stored} are left\n" in said
    assert f"  resume: intercode run --resume --out {folder}" in said


def test_ctrl_c_does_not_wait_for_an_episode_that_never_ends(folder: Path) -> None:
    with long_run(folder, 600) as process:
        wait_for(process, 2, "began")
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
    assert process.returncode == 1


def test_kill_9_in_the_middle_then_resume_gives_the_same_table(folder: Path, tmp_path: Path) -> None:
    with long_run(folder, 1.0) as process:
        wait_for(process, 5)
        process.kill()
    torn = (folder / "episodes.jsonl").read_bytes()
    (folder / "episodes.jsonl").write_bytes(torn + torn[:100])  # as if the kill had come within a line
    before = len(store.read(folder).episodes)
    assert 5 <= before < 20
    with long_run(folder, 0.02) as process:
        said, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    assert "torn" in said.splitlines()[0]
    assert said.count("stored") == 20 - before
    with long_run(tmp_path / "unbroken", 0.02) as process:
        process.communicate(timeout=60)
    assert outcomes(store.read(folder).episodes) == outcomes(store.read(tmp_path / "unbroken").episodes)


def test_two_processes_cannot_fill_one_run(folder: Path) -> None:
    with long_run(folder, 600) as first:
        wait_for(first, 1, "began")
        with long_run(folder, 600) as second:
            _, said = second.communicate(timeout=60)
        assert second.returncode == 1
        assert f"another process is writing {folder}" in said


def test_assignments_go_through_all_tasks_before_any_comes_again() -> None:
    keys = [each.key for each in assignments(toy_job(size=2, repeat=2))]
    assert keys == [("toy/0", 0), ("toy/1", 0), ("toy/0", 1), ("toy/1", 1)]


def test_agents_are_one_for_each_thread(folder: Path) -> None:
    made: list[Agent] = []

    def make() -> Agent:
        made.append(ToyAgent())
        return made[-1]

    run(toy_job(size=8, make_agent=make), folder, 3)
    assert len(made) == 3
