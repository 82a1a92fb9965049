"""A whole world in one file, `examples/menu_world.py`: its actions, three tasks and a reward, played everywhere.

`tests/env/test_own_world.py` has it keep the contract of a world.
"""

from __future__ import annotations

import json
from pathlib import Path

import gymnasium
import pytest
from terminal import intercode

import intercode as library
from intercode.runs import store

WORLD = Path(__file__).parents[2] / "examples/menu_world.py"
UNSAFE = "--i-know-this-is-unsafe"  # a run names a file of code: whoever replays it says that it is trusted


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of the golds, for which nothing is named but the file."""
    folder = tmp_path_factory.mktemp("menu") / "run"
    said("run", "--world", WORLD, "--out", folder)
    return folder


def said(*words: str | Path, status: int = 0) -> str:
    done = intercode(*words)
    assert done.returncode == status, f"{done.stdout}\n{done.stderr}"
    return done.stdout


def test_it_is_short() -> None:
    assert len(WORLD.read_text().splitlines()) <= 120


def test_its_golds_meet_its_three_tasks(run: Path) -> None:
    assert [(each.task.id, each.success("exact")) for each in store.read(run).episodes] == [
        ("menu/comments", True),
        ("menu/prices", True),
        ("menu/ice", True),
    ]


@pytest.mark.parametrize("words", [("--world",), ("--dataset",)], ids=["as-a-world", "as-a-data-set"])
def test_processes_play_it_however_it_is_named(words: tuple[str, ...], tmp_path: Path) -> None:
    said("run", *words, WORLD, "--processes", "2", "-p", "2", "--out", tmp_path / "run")
    assert [each.success("exact") for each in store.read(tmp_path / "run").episodes] == [True] * 3


def test_what_is_not_asked_for_earns_nothing(tmp_path: Path) -> None:
    (tmp_path / "script.json").write_text(json.dumps({"moves": {"menu/ice": ["s/4/5/", "1e touch /gone"]}}))
    script = ["--agent", "scripted", "--agent-option", f"script={tmp_path / 'script.json'}", "--tasks", "ice"]
    said("run", "--world", WORLD, *script, "--out", tmp_path / "run")
    (episode,) = store.read(tmp_path / "run").episodes
    assert episode.scores is not None
    assert (episode.scores["exact"].value, episode.scores["exact"].parts) == (0, {"lines": 5 / 6})
    assert "e/r/w commands disabled in sandbox mode" in episode.turns[1].observation.text


def test_it_is_listed_shown_and_reported(run: Path) -> None:
    assert "honey cake" in said("tasks", WORLD)
    assert "honey cake = 5" in said("show", run, "menu/ice")
    assert "100.0%" in said("report", run)
    assert json.loads(said("report", run, "--json"))
    assert "honey cake" in said("play", "ice", "--world", WORLD)


def test_its_page_is_one_file_to_send(run: Path, tmp_path: Path) -> None:
    assert "3 episodes" in said("view", run, "--export", tmp_path / "page.html")


def test_no_adversary_is_paid(run: Path) -> None:
    found = json.loads(said("hackcheck", WORLD, "--json"))
    assert found["passes"]
    assert {task["task"] for task in found["tasks"]} == {"menu/comments", "menu/prices", "menu/ice"}


def test_its_run_is_executed_again_and_certified_once_it_is_trusted(run: Path) -> None:
    assert "would run on this machine" in intercode("replay", run, "--verify").stderr
    assert "everything agrees" in said("replay", run, "--verify", UNSAFE)
    assert json.loads((run / "certificate.json").read_text())["run"]["world"] == str(WORLD)


def test_a_sweep_plays_it(tmp_path: Path) -> None:
    (tmp_path / "sweep.toml").write_text(f'out = "{tmp_path}/out"\n[grid]\ndataset = ["{WORLD}"]\nseed = [1, 2]\n')
    said("sweep", tmp_path / "sweep.toml")
    runs = [store.read(path.parent) for path in sorted((tmp_path / "out").rglob("manifest.json"))]
    assert [each.success("exact") for run in runs for each in run.episodes] == [True] * 6


def test_gymnasium_and_programs_make_it() -> None:
    with gymnasium.make("intercode/Own-v1", world=str(WORLD)) as env:
        seen, _ = env.reset(options={"task": "prices"})
        assert seen == "Write the prices as $6 instead of = 6."
        env.step("s/ = / $/")
        assert env.step("submit")[1] == 1
    for environment in (library.make(WORLD), library.make(world=WORLD)):
        with environment:
            assert (environment.world, environment.dataset.name) == ("menu", "menu")
