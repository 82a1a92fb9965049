"""Files written whole or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from intercode.util.atomic_write import write_text


@pytest.mark.parametrize("durable", [False, True])
def test_a_file_is_replaced_and_nothing_lies_beside_it(tmp_path: Path, durable: bool) -> None:
    path = tmp_path / "notes.json"
    path.write_text("old")
    write_text(path, "new é", durable=durable)
    assert path.read_text(encoding="utf-8") == "new é"
    assert path.stat().st_mode & 0o777 == 0o644
    assert [each.name for each in tmp_path.iterdir()] == ["notes.json"]


def test_a_private_file_is_read_by_its_owner_only(tmp_path: Path) -> None:
    write_text(tmp_path / "secret", "x", mode=0o600)
    assert (tmp_path / "secret").stat().st_mode & 0o777 == 0o600


def test_no_link_in_the_folder_is_followed(tmp_path: Path) -> None:
    """Neither at the place itself, nor at one that a draft could be expected at."""
    (tmp_path / "mine").write_text("kept")
    folder = tmp_path / "run"
    folder.mkdir()
    for name in ("notes.json", "notes.json.new", ".notes.json.new"):
        (folder / name).symlink_to(tmp_path / "mine")
    write_text(folder / "notes.json", "noted")
    assert (tmp_path / "mine").read_text() == "kept"
    assert not (folder / "notes.json").is_symlink()


def test_where_it_cannot_be_done_nothing_is_left(tmp_path: Path) -> None:
    (tmp_path / "taken").mkdir()
    with pytest.raises(OSError, match="taken"):
        write_text(tmp_path / "taken", "x")
    assert [each.name for each in tmp_path.iterdir()] == ["taken"]
