"""`--network`: what a run is given, what it says of it, and what a stranger's run is not given."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from network_servers import FETCH, WebServer, web_server
from terminal import intercode

from intercode.errors import UnsafeError
from intercode.runs import manifest, store
from intercode.runs.settings import Settings
from intercode.runs.trust import guarded
from intercode.types.trajectories import dumps, loads


@pytest.fixture
def server() -> Iterator[WebServer]:
    with web_server() as server:
        yield server


def bash_tasks(folder: Path, gold: str) -> None:
    folder.mkdir()
    (folder / "task.toml").write_text('image = "host"\n')
    (folder / "tasks.jsonl").write_text(json.dumps({"query": "Fetch the greeting.", "gold": gold}) + "\n")


def test_a_run_says_which_network_it_had(server: WebServer, tmp_path: Path) -> None:
    """The manifest, each episode, its display, the table of results, and the certificate of a replay."""
    bash_tasks(tmp_path / "own", f"{FETCH.format(server.name)} > /tmp/got")
    done = intercode("run", "--dataset", "./own", "--network", server.name, "--out", "run", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "1 episode had a network" in done.stdout
    assert manifest.read(tmp_path / "run").networks == {"agent": server.name}
    (episode,) = store.read(tmp_path / "run").episodes
    assert episode.network is not None
    assert episode.network.requests == 1
    assert loads(dumps(episode)) == episode
    shown = intercode("show", "run", "1", cwd=tmp_path).stdout
    assert "1 request by network (0 refused)" in " ".join(shown.split())
    stranger = intercode("replay", "run", "--verify", cwd=tmp_path)
    assert stranger.returncode == 2
    assert "an address of this machine's own network perhaps" in stranger.stderr
    verified = intercode("replay", "run", "--verify", "--i-know-this-is-unsafe", cwd=tmp_path)
    assert verified.returncode == 0, verified.stdout + verified.stderr
    certificate = json.loads((tmp_path / "run" / "certificate.json").read_text())
    assert certificate["run"]["networked"] == 1
    assert "1 episode had a network" in certificate["note"]


def test_without_a_network_nothing_is_said_of_one(tmp_path: Path) -> None:
    bash_tasks(tmp_path / "own", "true")
    done = intercode("run", "--dataset", "./own", "--out", "run", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "network" not in done.stdout
    assert manifest.read(tmp_path / "run").networks == {}
    assert "network" not in (tmp_path / "run" / "episodes.jsonl").read_text()


@pytest.mark.parametrize("network", ["lan", "10.0.0.0/8", "http://pypi.org", "169.254.169.254", ","])
def test_an_option_that_names_no_network_is_refused(network: str) -> None:
    for option in ("--network", "--verifier-network"):
        done = intercode("run", option, network)
        assert done.returncode == 2
        assert "Invalid value for" in done.stderr


@pytest.mark.parametrize("option", ["network", "verifier_network"])
def test_a_strangers_run_names_none_either(option: str) -> None:
    for network in ("10.0.0.1", "pypi.org,127.0.0.1:9"):
        with pytest.raises(UnsafeError, match="its network has"):
            guarded(Settings().changed(**{option: network}), False)
    assert guarded(Settings().changed(**{option: "pypi.org"}), False)


def test_a_strangers_run_names_none_for_a_build_either() -> None:
    with pytest.raises(UnsafeError, match=r"its network has 10\.0\.0\.1"):
        guarded(Settings(dataset_options={"build_network": "10.0.0.1:8080"}), False)
    assert guarded(Settings(dataset_options={"build_network": "pypi.org"}), False)
