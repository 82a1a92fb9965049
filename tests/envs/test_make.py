"""`intercode.make`: the right environment for a data set."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import intercode
from intercode import datasets
from intercode.errors import UserError
from intercode.sandboxes.embedded import EmbeddedSandbox
from intercode.sandboxes.scripted import ScriptedSandbox


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
        "from intercode.envs.bash import BashEnv\nclass LoudEnv(BashEnv):\n    def execute(self, text):\n"
        "        return super().execute(text.lower())\n"
    )
    with intercode.make("starter", world=str(path)) as env:
        env.reset()
        assert env.step("ECHO hi")[0] == "hi\n"


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


def test_importing_the_package_loads_nothing_of_it() -> None:
    code = (
        "import sys, intercode; assert 'make' in dir(intercode)\n"
        "loaded = [name for name in sys.modules if name.startswith(('intercode.', 'gymnasium', 'numpy', 'msgspec'))]\n"
        "assert not loaded, loaded\n"
        "assert intercode.make is __import__('intercode.envs.core.make', fromlist=['make']).make\n"
        "try: intercode.mkae\nexcept AttributeError as error: assert 'mkae' in str(error)\nelse: raise SystemExit(1)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
