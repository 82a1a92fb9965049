"""The index is kept up with a file that is written, cut, replaced, and that may hold anything."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from made_runs import append, episode, varied, write

from intercode.errors import BadDataError
from intercode.types.trajectories import dumps
from intercode.view.index import RunIndex
from intercode.view.library import RunLibrary
from intercode.view.rows import COLUMNS, as_row


def index_of(folder: Path) -> RunIndex:
    index = RunIndex.of(folder)
    index.refresh()
    return index


def test_every_episode_is_found_by_its_place(tmp_path: Path) -> None:
    index = index_of(write(tmp_path / "run", varied()))
    for each in varied():
        assert index.line((each.task.id, each.repeat)).decode().strip() == dumps(each)


def test_a_row_has_a_value_for_each_column(tmp_path: Path) -> None:
    index = index_of(write(tmp_path / "run", [episode("toy/a", exact=0.5)]))
    row = dict(zip(COLUMNS, as_row(index.entries()[0].outline, "exact"), strict=True))
    assert (row["task"], row["exact"], row["success_exact"], row["turns"], row["tokens"]) == (
        "toy/a",
        0.5,
        False,
        2,
        24,
    )


def test_only_what_is_new_is_read(tmp_path: Path) -> None:
    folder = write(tmp_path / "run", varied())
    index = index_of(folder)
    assert not index.refresh()
    append(folder, [episode("toy/new")])
    assert index.refresh()
    assert [entry.outline.task.id for entry in index.entries_after(9)] == ["toy/new"]


def test_a_half_written_line_waits_until_it_is_whole(tmp_path: Path) -> None:
    folder = write(tmp_path / "run", varied())
    line = dumps(episode("toy/new"))
    with index_of(folder).file.open("a") as file:
        file.write(line[:100])
        file.flush()
        index = index_of(folder)
        assert (index.count, index.problems) == (9, [])
        file.write(line[100:] + "\n")
    assert index.refresh()
    assert index.count == 10


def test_an_episode_that_was_played_again_counts_once(tmp_path: Path) -> None:
    folder = write(tmp_path / "run", [episode("toy/a", status="error", error="SandboxError: gone")])
    append(folder, [episode("toy/b"), episode("toy/a")])
    assert [(e.outline.task.id, e.outline.status) for e in index_of(folder).entries()] == [
        ("toy/b", "submitted"),
        ("toy/a", "submitted"),
    ]


def test_a_file_that_was_cut_begins_a_new_generation(tmp_path: Path) -> None:
    folder = write(tmp_path / "run", varied())
    index = index_of(folder)
    before = index.generation
    index.file.write_text(dumps(episode("toy/other")) + "\n")
    assert index.refresh()
    assert index.generation != before
    assert [entry.outline.task.id for entry in index.entries()] == ["toy/other"]


@pytest.mark.parametrize("line", ["{}", "not JSON", "[1]", '{"task": 1}', "\0\0\0", '{"a":' * 2000])
def test_a_line_that_is_no_episode_is_named_and_left_out(tmp_path: Path, line: str) -> None:
    folder = write(tmp_path / "run", [episode("toy/a")])
    with (folder / "episodes.jsonl").open("a") as file:
        file.write(line + "\n")
    append(folder, [episode("toy/b")])
    index = index_of(folder)
    assert [entry.outline.task.id for entry in index.entries()] == ["toy/a", "toy/b"]
    assert index.problems[0].startswith(f"line 2 of {folder}/episodes.jsonl is left out: ")


def test_what_cannot_be_opened_says_why(tmp_path: Path) -> None:
    with pytest.raises(BadDataError, match="there is no such file or directory"):
        RunLibrary.open([tmp_path / "nowhere"])
    with pytest.raises(BadDataError, match="neither a run's folder nor a folder of runs"):
        RunLibrary.open([tmp_path])
    (tmp_path / "text.json").write_text("{}")
    with pytest.raises(BadDataError, match="is neither a run nor an ATIF trajectory"):
        RunLibrary.open([tmp_path / "text.json"])


def test_a_large_file_is_read_in_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("intercode.view.index.PART", 1)
    index = RunIndex.of(write(tmp_path / "run", varied()))
    assert index.refresh(seconds=0)
    assert (index.count, index.is_whole) == (1, False)
    assert index.refresh()
    assert (index.count, index.is_whole) == (9, True)
    assert not index.refresh(seconds=0)


def test_a_file_that_may_not_be_read_is_named_beside_the_others(tmp_path: Path) -> None:
    write(tmp_path / "good", varied())
    bad = write(tmp_path / "bad", varied())
    (bad / "episodes.jsonl").unlink()
    (bad / "episodes.jsonl").mkdir()  # root may read any file, but no folder as one
    library = RunLibrary.open([tmp_path])
    with pytest.raises(BadDataError, match=f"cannot read {bad}/episodes.jsonl: it is a folder, not a regular file"):
        library.find("bad")
    assert library.find("good").count == 9


def test_a_run_of_another_version_is_named_beside_the_others(tmp_path: Path) -> None:
    write(tmp_path / "good", varied())
    bad = write(tmp_path / "bad", varied())
    manifest = json.loads((bad / "manifest.json").read_text())
    (bad / "manifest.json").write_text(json.dumps(manifest | {"format": 99}))
    library = RunLibrary.open([tmp_path])
    assert list(library.runs) == ["good"]
    assert "has format 99" in library.problems[str(bad)]
    with pytest.raises(BadDataError, match="has format 99"):
        RunLibrary.open([bad])


def test_a_run_that_begins_later_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("intercode.view.library.AGAIN", 0.0)
    write(tmp_path / "first", varied())
    library = RunLibrary.open([tmp_path])
    write(tmp_path / "second", varied())
    library.refresh()
    assert list(library.runs) == ["first", "second"]
