"""What `intercode generate` writes, read again."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from pyarrow import parquet

from intercode.errors import BadDataError, UserError
from intercode_generate.bash.dataset import GeneratedBashDataset
from intercode_generate.certify.overlap import text_hash
from intercode_generate.maker import CANARY
from intercode_generate.written_tasks import LEAST_BATCHES, certificate_filter, make_tasks, write


def test_both_forms_hold_every_task_with_the_canary(tmp_path: Path) -> None:
    dataset = GeneratedBashDataset(count=50, seed=5)
    heard: list[int] = []
    found = write(dataset, tmp_path / "tasks.jsonl", step=heard.append)
    lines = [json.loads(line) for line in (tmp_path / "tasks.jsonl").read_text().splitlines()]
    assert [line["id"] for line in lines] == [task.id for task in dataset]
    assert all(line["canary"] == CANARY and line["second_gold"] for line in lines)
    assert parquet.read_table(tmp_path / "tasks.parquet").to_pylist() == lines
    assert heard == list(range(1, 51))
    assert sum(found.families.values()) == found.tasks == 50


def test_several_processes_make_the_same_tasks_as_one(tmp_path: Path) -> None:
    dataset = GeneratedBashDataset(count=LEAST_BATCHES * GeneratedBashDataset.maker.size - 3, seed=5)
    assert [task.id for task in make_tasks(dataset, 2)] == [task.id for task in dataset]
    assert write(dataset, tmp_path / "two.jsonl", processes=2).families == write(dataset, tmp_path / "one").families
    assert (tmp_path / "two.jsonl").read_bytes() == (tmp_path / "one.jsonl").read_bytes()


def test_the_hash_list_finds_a_request_written_otherwise(tmp_path: Path) -> None:
    dataset = GeneratedBashDataset(count=4)
    write(dataset, tmp_path / "tasks")
    known = set((tmp_path / "tasks.sha256").read_text().split())
    assert {text_hash(task) for task in dataset} == known


def test_the_card_says_how_to_make_them_again(tmp_path: Path) -> None:
    dataset = GeneratedBashDataset(count=4, seed=5, split="validation", difficulty="easy")
    write(dataset, tmp_path / "tasks.jsonl")
    card = (tmp_path / "tasks.md").read_text()
    assert "count=4 seed=5 split=validation difficulty=easy" in card
    assert CANARY in card
    assert dataset.checksum in card


def test_a_data_card_replaces_nothing_but_a_data_card(tmp_path: Path) -> None:
    dataset = GeneratedBashDataset(count=1)
    write(dataset, tmp_path / "tasks")
    assert write(dataset, tmp_path / "tasks").tasks == 1
    (tmp_path / "README.md").write_text("# Mine\n")
    with pytest.raises(UserError, match=r"README.md is not a data card"):
        write(dataset, tmp_path / "README")
    assert sorted(path.name for path in tmp_path.iterdir() if path.stem == "README") == ["README.md"]
    assert (tmp_path / "README.md").read_text() == "# Mine\n"


def test_only_what_is_to_be_kept_is_written(tmp_path: Path) -> None:
    dataset = GeneratedBashDataset(count=9)
    assert write(dataset, tmp_path / "x.jsonl", keep=lambda task: task.difficulty == "easy").tasks == 3


def test_a_folder_that_is_not_there_is_the_callers_mistake(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"cannot write .*: No such file"):
        write(GeneratedBashDataset(count=1), tmp_path / "none" / "x.jsonl")


def test_a_certificate_says_which_tasks_are_kept(tmp_path: Path) -> None:
    dataset = GeneratedBashDataset(count=5, seed=5)
    path = tmp_path / "certificate.json"
    path.write_text(json.dumps({"checksum": dataset.checksum, "ids": [dataset[1].id, dataset[3].id]}))
    keep = certificate_filter(path, dataset)
    assert [keep(task) for task in dataset] == [False, True, False, True, False]
    assert certificate_filter(None, dataset)(dataset[0])


@pytest.mark.parametrize("text", ["{}", "[]", "no json", '{"checksum": "abc", "ids": []}'])
def test_a_certificate_of_something_else_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "certificate.json"
    path.write_text(text)
    with pytest.raises(BadDataError, match=r"certificate|certifies other tasks"):
        certificate_filter(path, GeneratedBashDataset(count=1))


def test_somebody_elses_tasks_are_not_replaced(tmp_path: Path) -> None:
    """As those of a task folder, which are called tasks.jsonl, too."""
    dataset = GeneratedBashDataset(count=4)
    (tmp_path / "tasks.jsonl").write_text('{"query": "Mine."}\n')
    with pytest.raises(UserError, match=r"tasks.jsonl is not a file of generated tasks and would be replaced"):
        write(dataset, tmp_path / "tasks")
    assert [path.name for path in tmp_path.iterdir()] == ["tasks.jsonl"]
    (tmp_path / "tasks.jsonl").write_text("")
    for _ in range(2):
        write(dataset, tmp_path / "tasks")


@pytest.mark.parametrize("out", ["", ".", ".."])
def test_a_folder_is_no_name_for_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, out: str) -> None:
    """They were called `.jsonl` and `.parquet`, where nobody sees them."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UserError, match=r"names no file, but a folder: name a file in it, such as .*tasks"):
        write(GeneratedBashDataset(count=4), Path(out))
    assert not list(tmp_path.iterdir())


def test_no_link_is_followed_and_nobody_sees_half_a_file(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("mine")
    (tmp_path / "tasks.parquet").symlink_to(tmp_path / "mine")
    write(GeneratedBashDataset(count=4), tmp_path / "tasks")
    assert (tmp_path / "mine").read_text() == "mine"
    assert parquet.read_table(tmp_path / "tasks.parquet").num_rows == 4


def test_without_pyarrow_no_task_is_made_in_vain(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    made: list[int] = []
    with pytest.raises(UserError, match="needs pyarrow: pip install"):
        write(GeneratedBashDataset(count=4), tmp_path / "tasks", step=made.append)
    assert made == []
