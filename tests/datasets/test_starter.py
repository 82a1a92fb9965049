"""The starter set: its data is whole, every gold scores 1, nothing scores 0, and the scripted agent ends as meant."""

from __future__ import annotations

import json
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from intercode import agents
from intercode.datasets.base import Dataset
from intercode.testing.dataset import DatasetContract
from intercode.types import Action, Score, Task
from intercode.worlds.bash import BashEnv
from intercode.worlds.bash.datasets.starter import StarterDataset
from intercode.worlds.bash.starter.image import FOLDER, shop_layer
from intercode_sandbox.images import Image

STARTER = StarterDataset()
SCRIPT = Path(agents.__file__).parent / "scripts" / "starter_bash.json"
MOVES: dict[str, list[str]] = json.loads(SCRIPT.read_text(encoding="utf-8"))["moves"]

ENDS_WRONG = {
    "starter/bash/app-errors",
    "starter/bash/change-port",
    "starter/bash/dearer-tyres",
    "starter/bash/files-of-january",
    "starter/bash/link-the-twins",
    "starter/bash/lock-keys",
    "starter/bash/no-blanks",
    "starter/bash/photo-twins",
    "starter/bash/silent-customers",
    "starter/bash/unsubscribe",
    "starter/bash/worst-hour",
}
"""The tasks that the script fails on purpose, so that a table of results has something to show."""

every_task = pytest.mark.parametrize("task", list(STARTER), ids=[task.id for task in STARTER])


class TestContract(DatasetContract):
    @pytest.fixture
    def dataset(self) -> Dataset:
        return StarterDataset()


@pytest.fixture(scope="module")
def env() -> Iterator[BashEnv]:
    env = BashEnv(STARTER)
    yield env
    env.close()


def exact(env: BashEnv, task: Task, *actions: str) -> Score:
    """The exact score of *task* after *actions*, handed in."""
    env.start_episode(task)
    for action in actions:
        env.take_action(Action("execute", action))
    scores = env.take_action(Action("submit")).scores
    assert scores is not None
    return scores["exact"]


@every_task
def test_the_gold_scores_one(env: BashEnv, task: Task) -> None:
    score = exact(env, task, task.gold or "")
    assert score.success, score
    assert score.value == 1


@every_task
def test_doing_nothing_scores_zero(env: BashEnv, task: Task) -> None:
    """Whether nothing is run or a command that does nothing."""
    assert exact(env, task).value == 0
    assert exact(env, task, "true").value == 0


@every_task
def test_the_scripted_agent_ends_as_meant(env: BashEnv, task: Task) -> None:
    """Its right endings are a second opinion on each gold: other commands, the same result."""
    score = exact(env, task, *MOVES[task.id][:-1])
    assert score.success == (task.id not in ENDS_WRONG), score


def test_the_script_plays_every_task_in_its_own_words() -> None:
    assert set(MOVES) == {task.id for task in STARTER}
    for task in STARTER:
        *moves, last = MOVES[task.id]
        assert moves
        assert last == "submit"
        assert len(moves) < 10, f"{task.id} is not done in ten turns"
        assert task.gold not in moves
    assert 0.10 <= len(ENDS_WRONG) / len(STARTER) <= 0.20


def test_there_is_enough_of_every_difficulty() -> None:
    assert len(STARTER) >= 48
    counts = Counter(task.difficulty for task in STARTER)
    assert set(counts) == {"easy", "medium", "hard"}
    assert min(counts.values()) >= 12


def test_every_file_of_the_data_is_used_and_small() -> None:
    """What lies in files/ and what tree.toml names is the same."""
    files = FOLDER / "files"
    stored = {path for path in files.rglob("*") if path.is_file()}
    used: set[Path] = set()
    for path, about in tomllib.loads((FOLDER / "tree.toml").read_text(encoding="utf-8"))["files"].items():
        if "pack" in about:
            used.update(packed for packed in (files / about["pack"]).rglob("*") if packed.is_file())
        elif "text" not in about:
            used.add(files / about.get("from", path))
    assert used == stored
    assert sum(path.stat().st_size for path in stored) < 100_000


def test_stored_names_are_plain() -> None:
    """Packages, archives and version control carry them unharmed, whatever the system."""
    for path in FOLDER.rglob("*"):
        name = path.name.replace("-", "").replace("_", "").replace(".", "")
        assert name.isascii(), path
        assert name.isalnum(), path
        assert not path.name.startswith("."), path


def test_the_layer_is_the_same_every_time() -> None:
    assert shop_layer().key == shop_layer().key


def test_every_file_has_a_time_of_its_own() -> None:
    """So nothing that a command prints depends on the day of the episode."""
    layer = shop_layer()
    assert set(layer.mtimes) == set(layer.files)
    assert not layer.fresh


def test_equal_bases_share_one_image_and_others_do_not() -> None:
    first, second = Image("a", ()), Image("b", (), reproducible=False)
    one = STARTER.image(STARTER[0], first)
    assert STARTER.image(STARTER[1], Image("a", ())) is one
    assert STARTER.image(STARTER[0], second) is not one
    assert not STARTER.image(STARTER[0], second).reproducible
