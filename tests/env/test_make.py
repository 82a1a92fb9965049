"""`intercode.make`: the right environment for a data set."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import gymnasium
import numpy as np
import pytest

import intercode
from intercode import datasets, rewards
from intercode.errors import UserError
from intercode.worlds.bash import BashEnv
from intercode_sandbox import images
from intercode_sandbox.embedded import EmbeddedSandbox
from intercode_sandbox.scripted import ScriptedSandbox


@pytest.mark.parametrize(
    ("dataset", "world"),
    [
        (None, "bash"),
        ("starter-sql", "sql"),
        ("starter-python", "python"),
        ("starter-ctf", "ctf"),
        ("starter-swe", "swe"),
    ],
)
def test_a_data_set_chooses_its_world(dataset: str | None, world: str) -> None:
    with intercode.make(dataset) as env:
        assert env.world == world
        assert env.dataset.name == (dataset or "starter")


def test_a_world_alone_brings_its_starter_set() -> None:
    with intercode.make(world="sql", database="sqlite") as env:
        assert env.dataset.name == "starter-sql"


def test_a_file_a_folder_and_a_dataset_are_taken(tmp_path: Path) -> None:
    path = tmp_path / "mine.jsonl"
    path.write_text(json.dumps({"query": "Say hi.", "gold": "echo hi"}) + "\n")
    for given in (path, str(path), datasets.load(str(path))):
        with intercode.make(given, scoring="exact") as env:
            assert env.reset()[0] == "Say hi."
            env.step("echo hi")
            assert env.step("submit")[1] == 1.0
    folder = tmp_path / "own"
    subprocess.run([sys.executable, "-m", "intercode.cli.main", "new", str(folder)], check=True, capture_output=True)
    with intercode.make(folder) as env:
        assert env.dataset.name == "own"


def test_a_world_of_ones_own_is_taken_by_its_file(tmp_path: Path) -> None:
    path = tmp_path / "loud.py"
    path.write_text(
        "from intercode.worlds.bash import BashEnv\nclass LoudEnv(BashEnv):\n    def execute(self, text):\n"
        "        return super().execute(text.lower())\n"
    )
    with intercode.make("starter", world=str(path)) as env:
        env.reset()
        assert env.step("ECHO hi")[0] == "hi\n"


def test_a_world_may_be_a_task_folder_or_a_name_at_gymnasium_as_on_the_command_line(tmp_path: Path) -> None:
    folder = tmp_path / "own"
    subprocess.run([sys.executable, "-m", "intercode.cli.main", "new", str(folder)], check=True, capture_output=True)
    for world in (folder, str(folder)):
        with intercode.make(world=world) as env:
            assert (env.dataset.name, env.world) == ("own", "bash")
    for dataset in ("starter", datasets.load("starter")):
        with pytest.raises(UserError, match=r"own brings its own tasks: leave out the data set starter$"):
            intercode.make(dataset, world=folder)
    with pytest.raises(UserError, match=r"is not a task's folder: it has no task.toml"):
        intercode.make(world=tmp_path)
    with intercode.make(world="intercode/SQL-v1", database="sqlite") as env:
        assert env.dataset.name == "starter-sql"


def test_paths_are_taken_as_texts_are(tmp_path: Path) -> None:
    tasks, reward, image = tmp_path / "mine.jsonl", tmp_path / "half.py", tmp_path / "image"
    tasks.write_text(json.dumps({"query": "Say hi.", "gold": "echo hi"}) + "\n")
    reward.write_text("def reward(result): return 0.5\n")
    (image / "bin").mkdir(parents=True)
    (image / "bin/sh").touch()
    assert datasets.load(tasks).name == "mine"
    assert rewards.find(reward) is not None
    assert images.find(image).name == images.find(str(image)).name
    with intercode.make(tasks, image=image, reward=reward, sandbox=ScriptedSandbox()) as env:
        assert (env.scoring, env.dataset.name) == ("exact", "mine")


@pytest.mark.parametrize("task", [True, 1.5, [0]])
def test_what_is_neither_an_index_nor_an_id_names_no_task(task: object) -> None:
    said = rf"a task is an index or an id, not {re.escape(repr(task))}"
    with intercode.make("starter", sandbox=ScriptedSandbox()) as env, pytest.raises(UserError, match=said):
        env.reset(options={"task": task})


def test_a_sandbox_that_is_given_is_shared_and_stays_open() -> None:
    with EmbeddedSandbox() as sandbox:
        with (
            intercode.make("starter", sandbox=sandbox) as one,
            intercode.make("starter-python", sandbox=sandbox) as two,
        ):
            assert one.sandbox is two.sandbox is sandbox
            one.reset()
            one.close()
            two.reset()
            assert two.step("1 + 1")[0] == "2\n"
        with intercode.make("starter", sandbox=sandbox) as three:
            three.reset()
            assert three.step("echo open")[0] == "open\n"


def test_a_sandbox_by_its_name_is_the_environments_own() -> None:
    with intercode.make("starter", sandbox="scripted") as env:
        assert isinstance(env.sandbox, ScriptedSandbox)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"dataset": "startr"}, "no data set"),
        ({"world": "cobol"}, "no world called 'cobol'"),
        ({"dataset": "starter-sql", "world": "bash"}, "starter-sql is for the world 'sql'"),
        ({"dataset": "starter-sql", "sandbox": "embedded"}, "runs on a database"),
        ({"dataset": "starter-sql", "image": "debian"}, "no option called 'image'"),
        ({"tunrs": 3}, "the world bash has no option called 'tunrs'; there are: .*turns"),
        ({"handicap": True}, "no option called 'handicap'"),
        ({"sandbox": "dokcer"}, "no sandbox called 'dokcer'"),
        ({"seconds": 0}, "seconds=0"),
        ({"episode_seconds": -1.0}, "episode_seconds=-1"),
    ],
)
def test_what_cannot_be_is_said(arguments: dict[str, object], said: str) -> None:
    with pytest.raises(UserError, match=said):
        intercode.make(**arguments)  # type: ignore[arg-type]


def test_a_file_for_another_world_is_told_how_to_say_its_world(tmp_path: Path) -> None:
    (tmp_path / "mine.jsonl").write_text(
        '{"query": "Double it.", "gold": "print(2)", "inputs": ["1"], "outputs": ["2"]}'
    )
    with pytest.raises(UserError, match=r"mine is for the world 'bash', and .*--dataset-option world=python"):
        intercode.make(tmp_path / "mine.jsonl", world="python")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"turns": "3"}, "turns='3': it takes a whole number"),
        ({"turns": 2.5}, "turns=2.5: it takes a whole number"),
        ({"turns": True}, "turns=True: it takes a whole number"),
        ({"limits": 3}, "limits=3: it takes Limits"),
        ({"dataset": []}, "dataset=[]: it takes a name, a path or a Dataset"),
        ({"dataset": [{"query": "Say hi."}] * 1000}, "...]: it takes a name, a path or a Dataset"),
        ({"world": 3}, "world=3: it takes the name of a world"),
        ({"sandbox": 3}, "sandbox=3: it takes a name or a Sandbox"),
        ({"image": 3}, "image=3: it takes a name, a path or an Image"),
        ({"seconds": "3"}, "seconds='3': it takes a number of seconds"),
        ({"seconds": True}, "seconds=True: it takes a number of seconds"),
        ({"reward_every_turn": "no"}, "reward_every_turn='no': it takes True or False"),
        ({"world": "sql", "database": 3}, "database=3: it takes a name, an address or a Database"),
        ({"world": "sql", "handicap": "no"}, "handicap='no': it takes True or False"),
        ({"world": "ctf", "attempts": 1.5}, "attempts=1.5: it takes a whole number"),
    ],
)
def test_a_value_of_another_type_is_refused_by_the_name_of_its_option(arguments: dict[str, object], said: str) -> None:
    with pytest.raises(UserError, match=re.escape(said)):
        intercode.make(**arguments)  # type: ignore[arg-type]


def test_the_class_of_a_world_and_an_action_check_types_as_make_does() -> None:
    with pytest.raises(UserError, match="turns='3': it takes a whole number"):
        BashEnv("starter", turns="3")  # type: ignore[arg-type]
    with pytest.raises(UserError, match="dataset=None: it takes a name, a path or a Dataset"):
        BashEnv(None)  # type: ignore[arg-type]
    with pytest.raises(UserError, match="turns=None: it takes a whole number"):
        gymnasium.make("intercode/Bash-v1", turns=None)
    with intercode.make() as env:
        env.reset()
        with pytest.raises(UserError, match="seconds='3': it takes a number of seconds"):
            env.step_within("pwd", "3")  # type: ignore[arg-type]


def test_numbers_of_numpy_are_numbers() -> None:
    with intercode.make(turns=np.int64(3), seconds=np.float32(2.5)) as env:
        assert (env.turns, env.clock.seconds) == (3, 2.5)


def test_importing_the_package_loads_nothing_of_it() -> None:
    code = (
        "import sys, intercode; assert 'make' in dir(intercode)\n"
        "loaded = [name for name in sys.modules if name.startswith(('intercode.', 'gymnasium', 'numpy', 'msgspec'))]\n"
        "assert not loaded, loaded\n"
        "assert intercode.make is __import__('intercode.env.make', fromlist=['make']).make\n"
        "try: intercode.mkae\nexcept AttributeError as error: assert 'mkae' in str(error)\nelse: raise SystemExit(1)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
