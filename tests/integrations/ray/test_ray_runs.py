"""Runs on a Ray cluster: the same as here, whoever is killed meanwhile."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from tempfile import gettempdir
from typing import Any

import pytest
from ray.cluster_utils import Cluster
from ray_actors import actors, add_node

from intercode.errors import UserError
from intercode.integrations.ray import RayCluster
from intercode.integrations.ray.parcel import Parcel
from intercode.runs import store
from intercode.runs.callback import ProgressCallback
from intercode.runs.episode_record import Key
from intercode.runs.job import prepare
from intercode.runs.runner import Runner
from intercode.runs.settings import Settings
from intercode.runs.store import RunStore
from intercode.types.trajectories import EPISODES
from intercode_sandbox.testing.fixtures import becomes_true

TIMES = {"started_at", "seconds", "phases", "started"}
"""The fields of a record that differ from one run to the next."""

SETTINGS = Settings(limit=8, repeat=63)


class Faults(ProgressCallback):
    """Does something, in a thread of its own, when so many episodes are stored; and remembers what was said."""

    def __init__(self, faults: Mapping[int, Callable[[], None]]) -> None:
        self.said: list[str] = []
        self.threads = {count: threading.Thread(target=fault) for count, fault in faults.items()}
        self._stored = 0
        self._guard = threading.Lock()

    def on_episode_end(self, episode: Key, success: bool | None, error: str) -> None:
        with self._guard:
            self._stored += 1
            thread = self.threads.get(self._stored)
        if thread is not None:
            thread.start()

    def on_message(self, message: str) -> None:
        self.said.append(message)


def play(settings: Settings, out: Path, callback: ProgressCallback, *, on_ray: bool) -> None:
    with prepare(settings) as job, RunStore.create(out, job.manifest) as open_store:
        if not on_ray:
            Runner(job, open_store, 4, callback).run()
            return
        with RayCluster() as ours:
            Runner(job, open_store, 6, callback, processes=3, launcher=ours.launcher(job.manifest)).run()


def lines(folder: Path) -> Counter[Key]:
    """How often each episode is in the file."""
    found = map(json.loads, (folder / EPISODES).read_text().splitlines())
    return Counter((line["task"]["id"], line["repeat"]) for line in found)


def timeless(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: timeless(each) for name, each in value.items() if name not in TIMES}
    return [timeless(each) for each in value] if isinstance(value, list | tuple) else value


def records(folder: Path) -> dict[Key, Any]:
    return {(each.task.id, each.repeat): timeless(each.as_dict()) for each in store.read(folder).episodes}


def folders_left() -> list[Path]:
    return list(Path(gettempdir()).glob("intercode-ray-*"))


def test_a_killed_actor_and_a_lost_node_cost_nothing_that_was_stored(cluster: Cluster, tmp_path: Path) -> None:
    gone = add_node(cluster)
    faults = Faults(
        {
            120: lambda: os.kill(actors(cluster, "EpisodeActor")[0], signal.SIGKILL),
            250: lambda: cluster.remove_node(gone, allow_graceful=False),
        }
    )
    play(SETTINGS, tmp_path / "ray", faults, on_ray=True)
    for thread in faults.threads.values():
        thread.join(timeout=60)
    play(SETTINGS, tmp_path / "here", ProgressCallback(), on_ray=False)
    assert len([said for said in faults.said if "its episodes are played again" in said]) >= 2, faults.said
    assert len(lines(tmp_path / "ray")) == SETTINGS.limit * SETTINGS.repeat  # type: ignore[operator]
    assert set(lines(tmp_path / "ray").values()) == {1}
    assert records(tmp_path / "ray") == records(tmp_path / "here")
    assert not folders_left()


def test_the_command_plays_on_a_cluster_with_less_room_than_was_asked_for(cluster: Cluster, tmp_path: Path) -> None:
    """Actors without a place are not waited for once all is played."""
    program = [sys.executable, "-m", "intercode", "run", "--ray", cluster.address, "--out", str(tmp_path / "run")]
    options = ["--limit", "8", "--parallel", "5", "--processes", "5"]
    done = subprocess.run([*program, *options], capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    assert len(lines(tmp_path / "run")) == 8
    assert {each.success("exact") for each in store.read(tmp_path / "run").episodes} == {True}
    assert becomes_true(lambda: not actors(cluster, "EpisodeActor"), 60)


def test_ctrl_c_ends_the_actors_and_says_how_to_go_on(cluster: Cluster, tmp_path: Path) -> None:
    program = [sys.executable, "-m", "intercode", "run", "--ray", cluster.address, "--out", str(tmp_path / "run")]
    options = ["--limit", "12", "--repeat", "200", "--parallel", "3"]
    with subprocess.Popen([*program, *options], stderr=subprocess.PIPE, text=True) as process:
        try:
            deadline = time.monotonic() + 200
            while not (tmp_path / "run" / EPISODES).exists() or not lines(tmp_path / "run"):
                assert time.monotonic() < deadline
                time.sleep(0.2)
            process.send_signal(signal.SIGINT)
            _, said = process.communicate(timeout=120)
        finally:
            process.kill()
    assert process.returncode == 130, said
    assert f"--resume --out {tmp_path / 'run'}" in said
    assert "Traceback" not in said
    assert becomes_true(lambda: not actors(cluster, "EpisodeActor"), 60)
    assert not folders_left()


def test_an_actor_that_no_node_has_room_for_is_refused(cluster: Cluster) -> None:
    with pytest.raises(UserError, match="no node of the Ray cluster has 64 free cores"):
        RayCluster(cpus=64)


@pytest.fixture
def parcel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Settings, Parcel]:
    """What is sent for a data set in a file, from a machine with a gold in its cache."""
    monkeypatch.setenv("INTERCODE_CACHE", str(tmp_path / "cache"))
    gold = tmp_path / "cache/golds/ab/abc.json"
    gold.parent.mkdir(parents=True)
    gold.write_text("{}")
    (tmp_path / "tasks.json").write_text('[{"query": "List.", "gold": "ls"}]')
    with prepare(Settings(dataset=str(tmp_path / "tasks.json"))) as job:
        return job.settings, Parcel.of(replace(job.manifest, reproducible=True))


def test_a_node_without_the_data_takes_what_was_sent(
    parcel: tuple[Settings, Parcel], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings, sent = parcel
    (tmp_path / "tasks.json").unlink()
    monkeypatch.setenv("INTERCODE_CACHE", str(tmp_path / "elsewhere"))
    dataset = sent.unpack(settings)
    assert dataset.checksum == sent.checksum
    assert [task.gold for task in dataset] == ["ls"]
    assert (tmp_path / "elsewhere/golds/ab/abc.json").read_text() == "{}"


def test_a_node_with_other_data_takes_what_was_sent(parcel: tuple[Settings, Parcel], tmp_path: Path) -> None:
    settings, sent = parcel
    (tmp_path / "tasks.json").write_text('[{"query": "Other.", "gold": "pwd"}]')
    assert [task.gold for task in sent.unpack(settings)] == ["ls"]
    with pytest.raises(UserError, match="another on this node"):
        replace(sent, data=b"").unpack(settings)


def test_a_node_that_would_play_another_run_is_refused(parcel: tuple[Settings, Parcel]) -> None:
    settings, sent = parcel
    with pytest.raises(UserError, match="this node has another image host"):
        replace(sent, images=dict.fromkeys(sent.images, "0" * 64)).unpack(settings)
    with pytest.raises(UserError, match="install the same"):
        replace(sent, version="0.0").unpack(settings)
