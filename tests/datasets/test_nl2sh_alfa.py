"""NL2SH-ALFA as its package brings it: what is asked, where it is asked, and what is said when the package is not here.

The package is installed with the tests (`requirements/data.txt`).
"""

from __future__ import annotations

import json
import shutil
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest

from intercode import registry
from intercode.datasets.base import Dataset
from intercode.datasets.nl2sh_alfa.dataset import DIFFICULTIES, Nl2shAlfaDataset
from intercode.datasets.sources import PACKAGES, PublishedPackage, available, get
from intercode.errors import BadDataError
from intercode.testing.dataset import DatasetContract
from intercode.types import Action
from intercode.worlds.bash import BashEnv
from intercode_sandbox import images
from intercode_sandbox.sandbox import Sandbox, Session

PACKAGE = PACKAGES["nl2sh-alfa"]
FOLDER = PACKAGE.checked_folder()


def records(file_system: int) -> list[dict[str, str | int]]:
    found: list[dict[str, str | int]] = json.loads(
        (FOLDER / f"assets/datasets/nl2bash_fs_{file_system}.json").read_text()
    )
    return found


def test_there_are_three_hundred_tasks_over_five_file_systems_a_third_of_each_difficulty() -> None:
    tasks = list(Nl2shAlfaDataset())
    assert Counter(task.category for task in tasks) == {"fs1": 153, "fs2": 49, "fs3": 57, "fs4": 23, "fs5": 18}
    assert Counter(task.difficulty for task in tasks) == {"easy": 100, "medium": 100, "hard": 100}
    assert all(task.world == "bash" for task in tasks)


@pytest.mark.parametrize("file_system", [1, 2, 3, 4, 5])
def test_both_published_golds_are_accepted_and_nothing_else_is(file_system: int) -> None:
    dataset = Nl2shAlfaDataset()
    for index, record in enumerate(records(file_system)):
        task = dataset.find(f"fs{file_system}/{index}")
        assert (task.id, task.query) == (f"nl2sh-alfa/fs{file_system}/{index}", record["query"])
        assert task.golds == tuple(dict.fromkeys((record["gold"], record["gold2"])))
        assert task.difficulty == DIFFICULTIES[int(record["difficulty"])]
        assert task.extra == {"file_system": file_system}


def test_it_is_found_by_name_and_judged_by_exact() -> None:
    dataset = registry.find("datasets", "nl2sh-alfa")()
    assert isinstance(dataset, Nl2shAlfaDataset)
    assert (dataset.default_scoring, dataset.default_image) == ("exact", "debian")


def test_none_of_the_packages_code_is_run() -> None:
    """It would import Docker's and OpenAI's packages, which the tests' environment need not have."""
    Nl2shAlfaDataset()
    assert not {name for name in sys.modules if name.partition(".")[0] == PACKAGE.package}


def test_the_checksum_follows_tasks_and_file_systems(tmp_path: Path) -> None:
    copy = Path(shutil.copytree(FOLDER, tmp_path / "copy"))
    dataset = Nl2shAlfaDataset(folder=copy)
    assert dataset.checksum == Nl2shAlfaDataset().checksum
    with (copy / "assets/docker/setup_nl2b_fs_2.sh").open("a") as script:
        script.write("\ntrue\n")
    assert Nl2shAlfaDataset(folder=copy).checksum != dataset.checksum


@pytest.mark.parametrize("name", ["datasets/nl2bash_fs_5.json", "docker/setup_nl2b_fs_4.sh"])
def test_a_file_that_is_missing_in_a_folder_is_named(tmp_path: Path, name: str) -> None:
    copy = Path(shutil.copytree(FOLDER, tmp_path / "copy"))
    (copy / "assets" / name).unlink()
    with pytest.raises(BadDataError, match=Path(name).name):
        Nl2shAlfaDataset(folder=copy)


def test_equal_file_systems_are_one_image_object() -> None:
    dataset, base = Nl2shAlfaDataset(), images.find("host")
    first = dataset.image(dataset.find("fs1/0"), base)
    assert dataset.image(dataset.find("fs1/152"), base) is first
    assert dataset.image(dataset.find("fs5/0"), base) is not first


class TestNl2shAlfa(DatasetContract):
    @pytest.fixture
    def dataset(self) -> Dataset:
        return Nl2shAlfaDataset()


def toy(folder: Path, content: bytes = b"[]") -> PublishedPackage:
    """One that is like the real one, of a package with one file."""
    return replace(PACKAGE, package="a_toy_package", version="1.2", files=("t.json",), sha256=sha256(b"[]").hexdigest())


def test_without_the_package_it_says_what_to_type(tmp_path: Path) -> None:
    with pytest.raises(
        BadDataError, match=r"a_toy_package, which is not installed: pip install --no-deps a_toy_pa.*==1\.2"
    ):
        toy(tmp_path).checked_folder()


@pytest.mark.parametrize("files", [{"t.json": b"[1]"}, {}])
def test_another_version_of_the_package_is_refused(
    tmp_path: Path, files: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "a_toy_package"
    folder.mkdir()
    (folder / "__init__.py").write_text("raise RuntimeError('its code was run')")
    monkeypatch.syspath_prepend(tmp_path)
    for name, content in files.items():
        (folder / name).write_bytes(content)
    with pytest.raises(BadDataError, match=r"a_toy_package does not hold the data of a_toy_package 1\.2: pip install"):
        toy(tmp_path).checked_folder()
    (folder / "t.json").write_bytes(b"[]")
    assert toy(tmp_path).checked_folder() == folder


def test_it_is_listed_among_the_published_data_sets_with_what_brings_it() -> None:
    (entry,) = (each for each in available() if each.name == "nl2sh-alfa")
    assert (entry.present, entry.licence, entry.folder) == (True, "MIT", FOLDER)
    assert entry.command == "pip install --no-deps icalfa==0.3.6"
    assert entry.size == sum((FOLDER / name).stat().st_size for name in PACKAGE.files)
    (lacking,) = available({}, {"toy": replace(PACKAGE, package="no_such_package")})
    assert (lacking.present, lacking.folder) == (False, None)
    assert get("nl2sh-alfa") == FOLDER


@pytest.fixture(scope="module")
def env(sandbox: Sandbox) -> Iterator[BashEnv]:
    """On this machine's programs: these tasks need nothing else."""
    with BashEnv(Nl2shAlfaDataset(), sandbox=sandbox, image="host", scoring="exact") as env:
        yield env


def session_of(sandbox: Sandbox, file_system: int) -> Session:
    dataset = Nl2shAlfaDataset()
    return sandbox.start(dataset.image(dataset.find(f"fs{file_system}/0"), images.find("host")))


@pytest.mark.parametrize(
    ("file_system", "path"),
    [(1, "/testbed/dir1/perms.txt"), (2, "/system/temp/.gitkeep"), (3, "/workspace/files.txt"),
     (4, "/setup_nl2b_fs_4.sh"), (5, "/testbed/dir3/textfile6.txt")],
)  # fmt: skip
def test_its_set_up_scripts_make_the_file_systems(sandbox: Sandbox, file_system: int, path: str) -> None:
    """All is in the one commit of the repository at /, and the variable of the first is set."""
    with session_of(sandbox, file_system) as session:
        said = session.run(["bash", "-c", f"cd / && ls {path} && git status --short && echo ${{FILES-unset}}"]).text
        files = "/testbed/hello.c /testbed/FooBar.html" if file_system == 1 else "unset"
        assert said == f"{path}\n{files}\n"


@pytest.mark.parametrize(
    ("id", "wrong"),
    [
        ("fs1/109", "md5sum $FILES"),
        ("fs2/22", "cat /system/folder1/data.csv"),
        ("fs3/40", "wc -l < /workspace/dir1/a.txt"),
        ("fs4/13", "echo 98765"),
        ("fs5/16", "sed -i s/Hello/Hi/ /testbed/dir1/textfile1.txt && touch /testbed/more"),
    ],
)
def test_each_gold_is_paid_and_what_is_wrong_is_not(env: BashEnv, id: str, wrong: str) -> None:
    task = env.dataset.find(id)
    paid = []
    for text in (*task.golds, wrong, "true"):
        env.start_episode(task)
        env.take_action(Action("execute", text))
        scores = env.judge()
        assert scores is not None
        paid.append(scores["exact"].success)
    assert paid == [*(True for _ in task.golds), False, False]
