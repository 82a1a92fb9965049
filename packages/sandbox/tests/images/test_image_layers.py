from __future__ import annotations

import io
import os
import stat
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest
from local_layer_builder import LocalLayerBuilder, shell

from intercode_sandbox.errors import ImageError, UserError
from intercode_sandbox.images import Image, Layer
from intercode_sandbox.images.files_layer import CREATED, FilesLayer
from intercode_sandbox.images.image import LONGEST_AGE, UNSET_TIME
from intercode_sandbox.images.root_layers import DirectoryLayer, TarLayer
from intercode_sandbox.images.script_layer import ScriptLayer
from intercode_sandbox.images.store import ImageStore

END_OF_MAY = 1685577599
"""2023-05-31 23:59:59 UTC: the latest time that the published set-up scripts set."""


def build(tmp_path: Path, layer: Layer) -> Path:
    """The content of *layer* on top of a shell."""
    store = ImageStore(tmp_path / "cache", layer_builder=LocalLayerBuilder())
    return store.mounts(Image("test", (shell(), layer)))[1].path


def make_tar(path: Path, members: dict[str, float], mode: str = "w") -> Path:
    with tarfile.open(path, mode) as archive:  # type: ignore[call-overload]
        for name, mtime in members.items():
            info = tarfile.TarInfo(name)
            info.mtime = mtime
            info.size = len(name)
            archive.addfile(info, io.BytesIO(name.encode()))
    return path


def mode(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


def times(root: Path) -> dict[str, float]:
    return {str(path.relative_to(root)): path.lstat().st_mtime for path in (root, *root.rglob("*"))}


def test_files_come_with_content_modes_times_and_links(tmp_path: Path) -> None:
    layer = FilesLayer(
        {"/a/text": "ü\n", "a/bytes": b"\x00\xff"},
        links={"/a/link": "../etc/passwd"},
        directories=("/a/empty",),
        modes={"/a/text": 0o600, "/a": 0o2775},
        mtimes={"/a/text": 1500000000.25, "/a/empty": 5},
    )
    root = build(tmp_path, layer)
    assert (root / "a/text").read_bytes() == "ü\n".encode()
    assert (root / "a/bytes").read_bytes() == b"\x00\xff"
    assert os.readlink(root / "a/link") == "../etc/passwd"
    assert (mode(root / "a"), mode(root / "a/text"), mode(root / "a/bytes")) == (0o2775, 0o600, 0o644)
    assert times(root) == {
        ".": CREATED, "a": CREATED, "a/text": 1500000000.25, "a/bytes": CREATED, "a/link": CREATED, "a/empty": 5,
    }  # fmt: skip


def test_fresh_files_without_a_time_of_their_own_have_none(tmp_path: Path) -> None:
    layer = FilesLayer({"/a/now": "", "/a/then": ""}, mtimes={"/a/then": 1500000000}, fresh=True)
    assert times(build(tmp_path, layer)) == {
        ".": UNSET_TIME, "a": UNSET_TIME, "a/now": UNSET_TIME, "a/then": 1500000000,
    }  # fmt: skip


def test_ages_are_kept_in_fresh_layers_and_one_of_a_time_and_an_age_is_given(tmp_path: Path) -> None:
    layer = FilesLayer({"/a": "", "/b": ""}, ages={"/a": 90}, fresh=True)
    assert times(build(tmp_path, layer)) == {".": UNSET_TIME, "a": UNSET_TIME + 90, "b": UNSET_TIME}
    for wrong in (
        FilesLayer({"/a": ""}, ages={"/a": 90}),
        FilesLayer({"/a": ""}, ages={"/b": 90}, fresh=True),
        FilesLayer({"/a": ""}, ages={"/a": LONGEST_AGE + 1}, fresh=True),
        FilesLayer({"/a": ""}, ages={"/a": -1}, fresh=True),
        FilesLayer({"/a": ""}, ages={"/a": 90}, mtimes={"/a": 1500000000}, fresh=True),
        FilesLayer({"/a": ""}, mtimes={"/a": 90}, fresh=True),
    ):
        with pytest.raises(UserError, match=r"age|time"):
            wrong.key  # noqa: B018


def test_neighbours_do_not_come_between_a_folder_and_its_time(tmp_path: Path) -> None:
    """`-` sorts before `/`."""
    found = times(build(tmp_path, FilesLayer({"/a/x": "", "/a-b": ""}, mtimes={"/a": 5})))
    assert found["a"] == 5


def test_a_file_in_tmp_does_not_close_tmp_to_others(tmp_path: Path) -> None:
    """The folder of the uppermost layer decides over a path's mode."""
    root = build(tmp_path, FilesLayer({"/tmp/x": "", "/var/tmp/y": ""}))
    assert (mode(root / "tmp"), mode(root / "var/tmp"), mode(root / "var")) == (0o1777, 0o1777, 0o755)


@pytest.mark.parametrize("name", ["with blank", "new\nline", "\udcff not utf-8", "-dash", "ünïcode", "x" * 200])
def test_odd_names_arrive_as_they_are(tmp_path: Path, name: str) -> None:
    root = build(tmp_path, FilesLayer({f"/odd/{name}": "here"}))
    assert os.listdir(root / "odd") == [name]


@pytest.mark.parametrize(
    ("layer", "message"),
    [
        (FilesLayer({"/a/../../etc/passwd": ""}), "cannot be a path"),
        (FilesLayer({"/a\0b": ""}), "cannot be a path"),
        (FilesLayer({"/a": "", "/a/b": ""}), "two files of the layer have the same path: a"),
        (FilesLayer({"/a": ""}, links={"a": "b"}), "two files of the layer have the same path: a"),
        (FilesLayer({"/a": ""}, modes={"/b": 0o600}), "for missing files: b"),
    ],
)
def test_impossible_files_are_the_callers_mistake(tmp_path: Path, layer: FilesLayer, message: str) -> None:
    with pytest.raises(UserError, match=message):
        build(tmp_path, layer)


@pytest.mark.parametrize(
    ("suffix", "form"), [("tar", "w"), ("tar.gz", "w:gz"), ("tar.xz", "w:xz"), ("tar.bz2", "w:bz2")]
)
def test_a_tar_is_unpacked_however_it_is_compressed(tmp_path: Path, suffix: str, form: str) -> None:
    root = build(tmp_path, TarLayer(make_tar(tmp_path / f"a.{suffix}", {"etc/motd": 1500000000}, form)))
    assert (root / "etc/motd").read_text() == "etc/motd"
    assert (root / "etc/motd").stat().st_mtime == 1500000000


def test_a_tar_has_the_key_of_its_content_wherever_it_lies(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    here, there = make_tar(tmp_path / "a.tar", {"x": 5}), make_tar(tmp_path / "elsewhere/b.tar", {"x": 5})
    other = make_tar(tmp_path / "c.tar", {"x": 6})
    assert TarLayer(here).key == TarLayer(there).key
    variants = {TarLayer(here), TarLayer(other), TarLayer(here, unset_after=3), TarLayer(here, remove=("x",))}
    assert len({layer.key for layer in variants}) == 4


def test_times_from_a_day_on_are_unset_in_a_tar(tmp_path: Path) -> None:
    archive = make_tar(tmp_path / "a.tar", {"d/old": END_OF_MAY, "x": 9, "d/new": END_OF_MAY + 0.5, "d/newer": 2e9})
    layer = TarLayer(archive, unset_after=END_OF_MAY + 0.5)
    assert layer.fresh
    assert times(build(tmp_path, layer)) == {
        ".": UNSET_TIME, "d": UNSET_TIME, "x": 9, "d/old": END_OF_MAY, "d/new": UNSET_TIME, "d/newer": UNSET_TIME,
    }  # fmt: skip


def test_paths_are_left_out_of_a_tar_with_all_below(tmp_path: Path) -> None:
    archive = make_tar(tmp_path / "a.tar", {"./.placeholder": 1, "./a/b/c": 1, "./a/bb": 1})
    root = build(tmp_path, TarLayer(archive, remove=("/.placeholder", "a/b")))
    assert sorted(str(path.relative_to(root)) for path in root.rglob("*")) == ["a", "a/bb"]


def test_a_rewritten_tar_keeps_links_modes_and_holes(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "file").write_text("text")
    (tree / "file").chmod(0o4751)
    os.link(tree / "file", tree / "hard")
    (tree / "soft").symlink_to("nowhere")
    with (tree / "sparse").open("wb") as file:
        file.truncate(5 << 20)
        file.seek(1 << 20)
        file.write(b"in the middle")
    archive = tmp_path / "a.tar"
    subprocess.run(
        ["tar", "--create", "--sparse", "--format=pax", f"--file={archive}", f"--directory={tree}", "."], check=True
    )
    root = build(tmp_path, TarLayer(archive, unset_after=0))
    assert (root / "file").stat().st_ino == (root / "hard").stat().st_ino
    assert mode(root / "file") == 0o4751
    assert os.readlink(root / "soft") == "nowhere"
    assert (root / "sparse").read_bytes() == (tree / "sparse").read_bytes()
    assert set(times(root).values()) == {UNSET_TIME}


def test_what_is_no_archive_is_an_image_error(tmp_path: Path) -> None:
    """Whether it is rewritten here or goes straight to the layer builder."""
    (tmp_path / "text").write_text("no archive at all")
    for layer in (TarLayer(tmp_path / "text"), TarLayer(tmp_path / "text", unset_after=0)):
        with pytest.raises(ImageError, match=r"tar"):
            build(tmp_path, layer)


@pytest.mark.parametrize(("form", "cut"), [("w", 0), ("w", 100), ("w", 512), ("w:gz", 0), ("w:xz", 0), ("w:bz2", 0)])
def test_an_archive_that_is_cut_off_is_an_image_error(tmp_path: Path, form: str, cut: int) -> None:
    """Wherever it is cut: `tar` does not mind if it is before a header."""
    whole = make_tar(tmp_path / "whole", {"a" * 90 + str(number): number for number in range(50)}, form).read_bytes()
    (tmp_path / "cut").write_bytes(whole[: len(whole) // 2 + cut])
    for layer in (TarLayer(tmp_path / "cut"), TarLayer(tmp_path / "cut", remove=("b",))):
        with pytest.raises(ImageError):
            build(tmp_path, layer)


def test_an_archive_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ImageError, match=r"nowhere\.tar: No such file"):
        build(tmp_path, TarLayer(tmp_path / "nowhere.tar"))


def test_a_folder_is_used_where_it_stands(tmp_path: Path) -> None:
    (tmp_path / "root/bin").mkdir(parents=True)
    (tmp_path / "root/bin/sh").touch()
    (tmp_path / "link").symlink_to("root")
    image = Image("mine", (DirectoryLayer(tmp_path / "link"),))
    (mount,) = ImageStore(tmp_path / "cache", layer_builder=LocalLayerBuilder()).mounts(image)
    assert mount.path == tmp_path / "root"
    assert mount.foreign
    assert not (tmp_path / "cache").exists()


def test_a_folder_that_is_no_root_file_system_is_refused(tmp_path: Path) -> None:
    image = Image("mine", (DirectoryLayer(tmp_path),))
    with pytest.raises(ImageError, match=f"{tmp_path} is not a root file system"):
        ImageStore(tmp_path / "cache", layer_builder=LocalLayerBuilder()).mounts(image)


@pytest.mark.parametrize("name", ["nowhere", "file"])
def test_a_folder_that_is_not_there_is_named(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ImageError, match=f"{name} is not a folder"):
        _ = Image("mine", (DirectoryLayer(tmp_path / name),)).digest


def test_an_update_of_a_folder_changes_its_key(tmp_path: Path) -> None:
    (tmp_path / "usr/bin").mkdir(parents=True)
    before = DirectoryLayer(tmp_path).key
    assert DirectoryLayer(tmp_path).key == before
    (tmp_path / "usr/bin/new").touch()
    assert DirectoryLayer(tmp_path).key != before


def test_a_script_makes_a_layer(tmp_path: Path) -> None:
    root = build(tmp_path, ScriptLayer('echo "$GREETING" > made; chmod 600 made', env={"GREETING": "hello"}))
    assert (root / "made").read_text() == "hello\n"
    assert mode(root / "made") == 0o600
    assert (root / "made").stat().st_mtime > 1e9


def test_a_fresh_script_keeps_the_times_that_it_sets(tmp_path: Path) -> None:
    script = ScriptLayer("mkdir d; touch d/now; touch --date=@1500000000 d/then", env=dict(os.environ), fresh=True)
    assert times(build(tmp_path, script)) == {
        ".": UNSET_TIME, "d": UNSET_TIME, "d/now": UNSET_TIME, "d/then": 1500000000,
    }  # fmt: skip


def test_a_failing_script_fails_the_build_with_what_it_said(tmp_path: Path) -> None:
    with pytest.raises(ImageError, match="no such luck"):
        build(tmp_path, ScriptLayer("echo no such luck >&2; exit 3"))


def test_a_scripts_key_is_of_all_that_it_is(tmp_path: Path) -> None:
    scripts = [
        ScriptLayer("true"), ScriptLayer("false"), ScriptLayer("true", env={"A": "1"}), ScriptLayer("true", fresh=True)
    ]  # fmt: skip
    assert len({script.key for script in scripts}) == 4
    assert ScriptLayer(b"true").key == ScriptLayer("true", title="another").key


def test_keys_are_the_same_in_every_process(tmp_path: Path) -> None:
    make_tar(tmp_path / "a.tar", {"x": 5})
    code = f"""
from pathlib import Path
from intercode_sandbox.images import Image, find
from intercode_sandbox.images.files_layer import FilesLayer
from intercode_sandbox.images.root_layers import TarLayer
from intercode_sandbox.images.script_layer import ScriptLayer
files = FilesLayer({{"/b": "2", "/a": "1"}}, modes={{"/b": 0o600, "/a": 0o640}}, directories=("/x", "/y"))
script = ScriptLayer("true", env={{"B": "2", "A": "1"}})
print(Image("", (files, script, TarLayer(Path({str(tmp_path / "a.tar")!r}), remove=("p", "q")))).digest)
print(find("host").digest, find("debian").digest, find("ubuntu").digest)
"""
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code], env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in ("1", "2")
    }
    assert len(outputs) == 1


def test_published_file_systems_keep_the_times_that_their_scripts_set(tmp_path: Path) -> None:
    archive = published() / "nl2bash" / "fs_1.tar.gz"
    found = times(build(tmp_path, TarLayer(archive, unset_after=END_OF_MAY + 1)))
    set_by_script = {path: mtime for path, mtime in found.items() if mtime != UNSET_TIME}
    assert set_by_script == {
        "testbed/recent.txt": END_OF_MAY,
        "testbed/dir3/subdir1/subsubdir1/tmp/tmp.txt": END_OF_MAY - 365 * 86400,
    }


def test_the_fourth_published_file_system_adds_nothing(tmp_path: Path) -> None:
    archive = published() / "nl2bash" / "fs_4.tar.gz"
    root = build(tmp_path, TarLayer(archive, unset_after=END_OF_MAY + 1, remove=(".placeholder",)))
    assert list(root.iterdir()) == []


def published() -> Path:
    """The folder of the published data; who asks is skipped where there is none."""
    folder = Path(os.environ.get("INTERCODE_DATA") or Path(__file__).parents[4].parent / "shared" / "data")
    if not (folder / "nl2bash").is_dir():
        pytest.skip(f"the published data is not at {folder}; INTERCODE_DATA names another place")
    return folder
