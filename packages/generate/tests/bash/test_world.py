"""Generated file systems."""

from __future__ import annotations

import io
import tarfile

from intercode.worlds.bash.starter.archives import gzip, tar
from intercode_generate.bash.build import build
from intercode_generate.draw import Draw
from intercode_generate.maker import source_digest


def test_a_world_is_the_same_every_time_and_another_key_makes_another() -> None:
    one, again, other = (build(Draw("world", number), "train") for number in (1, 1, 2))
    assert one.layer.key == again.layer.key != other.layer.key


def test_a_world_has_all_kinds_of_files_odd_names_links_modes_and_owners() -> None:
    worlds = [build(Draw("world", number), "train") for number in range(8)]
    kinds = {file.kind for world in worlds for file in world.files.values()}
    assert kinds == {
        "text", "csv", "log", "access", "conf", "json", "mail", "script", "archive", "list", "pointer", "junk"
    }  # fmt: skip
    names = [file.name for world in worlds for file in world.files.values()]
    assert any(" " in name for name in names)
    assert any(name.startswith("-") for name in names)
    assert any(name.startswith(".") for name in names)
    for world in worlds:
        assert len(world.links) >= 3
        assert len({file.mode for file in world.files.values()}) > 3
        assert len({file.owner for file in world.files.values()}) > 3
        assert len({file.mtime for file in world.files.values()}) == len(world.files)
        assert all(path.startswith(f"{world.root}/") for path in (*world.files, *world.links))


def test_splits_share_no_root_and_no_person() -> None:
    def names(split: str) -> tuple[set[str], set[str]]:
        worlds = [build(Draw(split, number), split) for number in range(20)]  # type: ignore[arg-type]
        return {world.root for world in worlds}, {person for world in worlds for person in world.people}

    train, test = names("train"), names("test-families")
    assert not train[0] & test[0]
    assert not train[1] & test[1]


def test_an_archive_is_one_and_needs_no_compression_of_this_machine() -> None:
    data = gzip(tar("box", {"a.txt": b"apple\n", "b.txt": b""}, 1_700_000_000))
    with tarfile.open(fileobj=io.BytesIO(data), mode="r:gz") as archive:
        assert archive.getnames() == ["box", "box/a.txt", "box/b.txt"]
        member = archive.extractfile("box/a.txt")
        assert member is not None
        assert member.read() == b"apple\n"


def test_the_source_has_a_digest() -> None:
    assert len(bytes.fromhex(source_digest())) == 32
