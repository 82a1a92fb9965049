"""One door to every data set: by name, by part, by file."""

from __future__ import annotations

import re
from contextlib import chdir
from importlib.util import find_spec
from inspect import signature
from pathlib import Path

import pytest

from intercode import datasets, registry
from intercode.datasets.base import Dataset, Subset
from intercode.datasets.files import FilesDataset
from intercode.datasets.settings.option_types import TYPES
from intercode.errors import BadDataError, UnknownNameError, UserError
from intercode.testing.dataset import DatasetContract


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "mine.jsonl"
    path.write_text(
        '{"query": "a", "id": "easy/x", "gold": "ls a"}\n'
        '{"query": "b", "id": "hard/x"}\n'
        '{"query": "c", "id": "hard/y"}\n'
        '{"query": "d"}\n'
    )
    return path


def test_a_path_is_a_file_of_tasks(file: Path) -> None:
    loaded = datasets.load(str(file), query="query", name="other")
    assert isinstance(loaded, FilesDataset)
    assert loaded[0].id == "other/easy/x"


def test_a_file_beside_you_needs_no_folder(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(file.parent)
    assert len(datasets.load("mine.jsonl")) == 4
    file.rename(file.parent / "mine")
    assert len(datasets.load("mine", format="jsonl")) == 4


@pytest.mark.parametrize("spec", ["absent.jsonl", "absent/tasks", "./absent"])
def test_a_file_that_is_not_there_is_named(spec: str) -> None:
    with pytest.raises(BadDataError, match="there is no such file"):
        datasets.load(spec)


OWN = """
from intercode.datasets.base import ListedDataset
from intercode.types import Task


class CountingDataset(ListedDataset):
    name = "counting"

    def __init__(self, *, count=2):
        self._tasks = [Task(f"counting/{number}", f"Print {number}.", f"echo {number}") for number in range(count)]
"""


def test_a_python_file_brings_a_data_set_of_ones_own(tmp_path: Path) -> None:
    (tmp_path / "counting.py").write_text(OWN)
    spec = str(tmp_path / "counting.py")
    assert [task.id for task in datasets.load(spec)] == ["counting/0", "counting/1"]
    assert len(datasets.load(spec, count=5)) == 5
    with pytest.raises(BadDataError, match="there is no such Python file"):
        datasets.load(str(tmp_path / "nothing.py"))


@pytest.mark.parametrize("spec", ["nosuch", "files", "", "x" * 5000])
def test_an_unknown_name_lists_the_names(spec: str) -> None:
    with pytest.raises(UnknownNameError, match=r"there are: .*nl2bash.*, and files \(\.json"):
        datasets.load(spec)


def test_a_part_is_found_by_the_beginning_of_its_ids(published: Path) -> None:
    part = datasets.load("nl2bash/fs2")
    assert part.name == "nl2bash/fs2"
    assert len(part) == 53
    assert part.default_scoring == "paper"
    assert part.find("43").id == part.find("nl2bash/fs2/43").id == part[43].id == "nl2bash/fs2/43"


def test_options_reach_the_whole_of_a_part(published: Path) -> None:
    assert len(datasets.load("nl2bash/fs2", file_system=1)) == 53


def test_a_part_that_is_not_there_lists_those_that_are(file: Path, published: Path) -> None:
    with pytest.raises(UnknownNameError, match="no part 'nl2bash/fs9' of nl2bash; there are: nl2bash/fs1, nl2bash/fs2"):
        datasets.load("nl2bash/fs9")
    with pytest.raises(UnknownNameError, match="no part 'mine/easier' of mine; there are: mine/easy, mine/hard"):
        Subset(FilesDataset(file), "mine/easier")


class TestPart(DatasetContract):
    @pytest.fixture
    def dataset(self, file: Path) -> Dataset:
        return Subset(FilesDataset(file), "mine/hard")


def test_a_name_at_the_hub_without_its_library_says_what_to_install() -> None:
    if find_spec("huggingface_hub") is not None:
        pytest.skip("the `hf` extra is installed")
    with pytest.raises(UserError, match=r"pip install 'intercode-env\[hf\]'"):
        datasets.load("hf:somebody/birds")


@pytest.mark.parametrize("spec", ["hf:somebody/birds", "hf:somebody/birds:train", "hf:./birds"])
def test_a_name_at_the_hub_is_no_path(spec: str) -> None:
    assert datasets.plugin(spec) == "hugging-face"
    assert not datasets.is_path(spec)
    assert "hugging-face" not in datasets.names()


@pytest.mark.parametrize(
    ("spec", "option", "says"),
    [
        ("nl2bash", {"file_system": True}, "file_system=True: it takes a whole number"),
        ("nl2bash", {"file_system": 1.0}, "file_system=1.0: it takes a whole number"),
        ("nl2bash", {"folder": 2024}, "folder=2024: it takes a path, such as './2024'"),
        ("mbpp", {"folder": True}, "folder=True: it takes a path"),
        ("ctf", {"excluded": "no"}, "excluded='no': it takes true or false"),
        ("tasks.jsonl", {"allow_pickle": "no"}, "allow_pickle='no': it takes true or false"),
        ("swebench", {"history": "x"}, "history='x': it takes a whole number"),
    ],
)
def test_an_option_of_another_type_is_refused(spec: str, option: dict[str, object], says: str) -> None:
    """They were taken for what they resemble (`no` allowed a pickle), or ended in a trace."""
    with pytest.raises(UserError, match=f"^{re.escape(says)}"):
        datasets.load(spec, **option)


def test_the_types_of_all_options_of_our_data_sets_are_known() -> None:
    for name in registry.names("datasets"):
        for each in signature(registry.find("datasets", name)).parameters.values():
            if each.default is not each.empty and {"bool", "int", "Path", "PathLike"} & set(
                re.findall(r"\w+", each.annotation)
            ):
                assert each.name in TYPES, f"{name}: {each.name}"


def test_options_of_a_data_set_of_ones_own_may_mean_something_else(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(
        "from intercode.datasets.files import FilesDataset\n"
        "class OwnDataset(FilesDataset):\n"
        "    def __init__(self, *, count=0.5):\n"
        "        super().__init__('tasks.jsonl', name=f'own-{count}')\n"
    )
    (tmp_path / "tasks.jsonl").write_text('{"query": "Say hi.", "gold": "echo hi"}\n')
    with chdir(tmp_path):
        assert datasets.load(str(tmp_path / "own.py"), count=0.25).name == "own-0.25"
