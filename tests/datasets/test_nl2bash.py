"""NL2Bash as it was published: what is asked, where it is asked, and what is said when a part of it is missing."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from hashlib import sha256
from pathlib import Path

import pytest

from intercode import registry
from intercode.datasets.annotations import Annotations, annotations_of
from intercode.datasets.base import Dataset
from intercode.datasets.nl2bash.dataset import NL2BashDataset
from intercode.errors import BadDataError, UnknownNameError
from intercode.testing.dataset import DatasetContract
from intercode.types import Action, Criteria
from intercode.worlds.bash import BashEnv
from intercode_sandbox.images import Image
from intercode_sandbox.images.files_layer import FilesLayer
from intercode_sandbox.sandbox import Sandbox


def base(name: str = "base") -> Image:
    """An image that equals every other one of its name."""
    return Image(name, (FilesLayer({"etc/issue": "some base\n"}),))


@pytest.fixture
def copy(published: Path, tmp_path: Path) -> Path:
    """A copy of the published files, to be broken."""
    return Path(shutil.copytree(published / "nl2bash", tmp_path / "nl2bash", copy_function=shutil.copyfile))


def test_there_are_two_hundred_tasks_over_four_file_systems(published: Path) -> None:
    tasks = list(NL2BashDataset())
    assert len(tasks) == 200
    assert Counter(task.category for task in tasks) == {"fs1": 60, "fs2": 53, "fs3": 60, "fs4": 27}
    assert all(task.world == "bash" and task.gold for task in tasks)


@pytest.mark.parametrize("file_system", [1, 2, 3, 4])
def test_every_task_stands_where_the_published_file_has_it(published: Path, file_system: int) -> None:
    records = json.loads((published / "nl2bash" / f"nl2bash_fs_{file_system}.json").read_text())
    dataset = NL2BashDataset()
    for index, record in enumerate(records):
        task = dataset.find(f"fs{file_system}/{index}")
        assert task.id == f"nl2bash/fs{file_system}/{index}"
        assert (task.query, task.gold) == (record["query"], record["gold"])
        assert task.extra == {"file_system": file_system}


@pytest.mark.parametrize(
    ("id", "word"),
    [("fs1/17", "/testbed/textfile7.txt"), ("fs1/59", "world"), ("fs2/43", "empty.txt"), ("fs3/15", "long.txt"),
     ("fs4/0", "uname"), ("fs4/26", "jq")],
)  # fmt: skip
def test_known_tasks_are_found_by_their_ids(published: Path, id: str, word: str) -> None:
    """Ids count from 0 in each file system, as the recordings do."""
    assert word in str(NL2BashDataset().find(id).gold)


def test_it_is_found_by_name_and_scored_like_the_paper(published: Path) -> None:
    dataset = registry.find("datasets", "nl2bash")()
    assert isinstance(dataset, NL2BashDataset)
    assert (dataset.default_scoring, dataset.default_image, dataset.world) == ("paper", "debian", "bash")


def test_the_checksum_is_of_the_four_files_of_tasks(published: Path) -> None:
    files = [published / "nl2bash" / f"nl2bash_fs_{number}.json" for number in (1, 2, 3, 4)]
    assert NL2BashDataset().checksum == sha256(b"".join(file.read_bytes() for file in files)).hexdigest()


def test_equal_file_systems_are_one_image_object(published: Path) -> None:
    """However many tasks ask, and even where each brings a base of its own, if only the bases are equal."""
    dataset = NL2BashDataset()
    first, second, other = dataset.find("fs1/0"), dataset.find("fs1/59"), dataset.find("fs2/0")
    image = dataset.image(first, base())
    assert dataset.image(second, base()) is image
    assert dataset.image(other, base()) is not image
    assert dataset.image(first, base("another")) is not image
    assert dataset.image(first, base()) is image


def test_all_tasks_can_be_put_on_one_file_system(published: Path) -> None:
    dataset = NL2BashDataset(file_system=1)
    images = {id(dataset.image(task, base())) for task in dataset}
    assert len(images) == 1
    assert dataset.image(dataset[199], base()).env["file_system_version"] == "1"


@pytest.mark.parametrize("number", [0, 5, -1])
def test_a_file_system_that_is_not_there_is_refused(published: Path, number: int) -> None:
    with pytest.raises(UnknownNameError, match=rf"no file system {number} in nl2bash; there are: 1, 2, 3, 4"):
        NL2BashDataset(file_system=number)


def test_nothing_there_names_the_file_and_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INTERCODE_DATA", str(tmp_path))
    with pytest.raises(BadDataError, match=r"nl2bash_fs_1\.json is missing: `intercode data get nl2bash` fetches it"):
        NL2BashDataset()


def test_a_file_system_without_tree_and_script_is_missing(copy: Path) -> None:
    (copy / "fs_3.tar.gz").unlink()
    with pytest.raises(BadDataError, match=r"setup_nl2b_fs_3\.sh is missing"):
        NL2BashDataset(folder=copy)
    (copy / "setup_nl2b_fs_3.sh").write_text("true\n")
    assert len(NL2BashDataset(folder=copy)) == 200


def test_a_damaged_file_is_named_with_the_line(copy: Path) -> None:
    damaged = copy / "nl2bash_fs_2.json"
    damaged.write_text(damaged.read_text()[:1000])
    with pytest.raises(BadDataError, match=r"nl2bash_fs_2\.json: line \d+, column \d+ is not JSON"):
        NL2BashDataset(folder=copy)


class TestNL2Bash(DatasetContract):
    @pytest.fixture
    def dataset(self, published: Path) -> Dataset:
        return NL2BashDataset()


def test_what_is_known_of_golds_is_with_the_tasks(published: Path) -> None:
    """Each id of the annotations is a task's."""
    annotations, tasks = annotations_of("nl2bash"), {task.id: task for task in NL2BashDataset()}
    assert annotations.criteria.keys() | annotations.alternative_golds.keys() <= tasks.keys()
    assert Counter(task.known_issue for task in tasks.values()) == {"": 139, "wrong": 36, "void": 25}
    assert tasks["nl2bash/fs1/3"].known_issue == "wrong"
    assert tasks["nl2bash/fs1/18"].criteria == Criteria(file_times=True)


@pytest.mark.parametrize("name", ["mine", "../datasets/nl2bash", "", "a\0b"])
def test_other_data_sets_have_no_annotations(name: str) -> None:
    assert annotations_of(name) == Annotations()


@pytest.mark.parametrize(
    ("task", "right", "wrong"),
    [
        (
            "nl2bash/fs1/18",
            "cp --preserve=mode,ownership,timestamps /testbed/dir3/subdir1/subsubdir1/FooBar/file.txt /",
            "cp /testbed/dir3/subdir1/subsubdir1/FooBar/file.txt /",
        ),
        (
            "nl2bash/fs2/48",
            "tar -I 'gzip -1' --sort=name -cvf compress_folder1.tar.gz /system/folder1",
            "tar -cvf compress_folder1.tar.gz /system/folder1",
        ),
        ("nl2bash/fs3/30", "cd $(find /workspace -type d | sort | tail -n 1)", "cd /workspace"),
    ],
)
def test_what_the_annotations_have_judged_is_judged(
    published: Path, sandbox: Sandbox, task: str, right: str, wrong: str
) -> None:
    """On the machine's own image: these need nothing of the published one but its files."""
    dataset = NL2BashDataset()
    with BashEnv(dataset, sandbox=sandbox, image="host", scoring="exact") as env:
        for command, expected in ((dataset.find(task).gold, True), (right, True), (wrong, False)):
            env.start_episode(dataset.find(task))
            env.take_action(Action("execute", command or ""))
            scores = env.take_action(Action("submit")).scores
            assert scores is not None
            assert scores["exact"].success == expected, (command, scores["exact"])
