from __future__ import annotations

import gc
import json
import multiprocessing
import os
import stat
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pytest
from local_layer_builder import LocalLayerBuilder, build_slowly, shell, slow_image

from intercode_sandbox.errors import ImageError, UnknownNameError, UserError
from intercode_sandbox.images import Image, Layer, LayerBuilder
from intercode_sandbox.images.digests import recipe_key
from intercode_sandbox.images.files_layer import FilesLayer
from intercode_sandbox.images.script_layer import ScriptLayer
from intercode_sandbox.images.store import ImageStore, address

SPAWN = multiprocessing.get_context("spawn")


@dataclass(frozen=True)
class BrokenLayer(Layer):
    error: Exception

    @cached_property
    def key(self) -> str:
        return recipe_key("broken")

    def build(self, target: Path, layer_builder: LayerBuilder, below: tuple[Layer, ...]) -> None:
        (target / "half").write_text("half")
        raise self.error


def make_store(root: Path, said: list[str] | None = None) -> ImageStore:
    return ImageStore(root, layer_builder=LocalLayerBuilder(), progress=(said if said is not None else []).append)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def wait_for(path: Path) -> None:
    deadline = time.monotonic() + 30
    while not path.exists():
        assert time.monotonic() < deadline, f"{path} did not come"
        time.sleep(0.01)


def test_layers_are_built_lowest_first_and_mounted_with_what_they_are(tmp_path: Path) -> None:
    image = Image("two", (shell(), FilesLayer({"/note": "hello"}, fresh=True)))
    lower, upper = make_store(tmp_path / "cache").mounts(image)
    assert (lower.path / "bin/sh").is_file()
    assert not lower.fresh
    assert (upper.path / "note").read_text() == "hello"
    assert upper.fresh
    assert not upper.foreign
    assert upper.binds == {}


def test_a_store_makes_nothing_before_it_is_asked(tmp_path: Path) -> None:
    make_store(tmp_path / "cache").built()
    assert not (tmp_path / "cache").exists()


def test_mounts_are_absolute_however_the_cache_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (mount,) = make_store(Path("cache")).mounts(Image("one", (shell(),)))
    assert mount.path == tmp_path / "cache" / shell().key / "root"


def test_the_cache_is_private(tmp_path: Path) -> None:
    make_store(tmp_path / "cache").mounts(Image("one", (shell(),)))
    assert stat.S_IMODE((tmp_path / "cache").stat().st_mode) == 0o700


def test_a_layer_is_built_once_and_found_by_the_next_store(tmp_path: Path) -> None:
    log = tmp_path / "log"
    first = make_store(tmp_path / "cache").mounts(slow_image(log))
    assert make_store(tmp_path / "cache").mounts(slow_image(log)) == first
    assert log.read_text() == "built\n"


def test_building_says_so_and_finding_does_not(tmp_path: Path) -> None:
    said: list[str] = []
    for _ in range(2):
        make_store(tmp_path, said).mounts(Image("one", (shell(),)))
    assert said == ["building 1 file: needed once, may take minutes"]


def test_nothing_but_the_layer_is_left_after_a_build(tmp_path: Path) -> None:
    layer = shell()
    make_store(tmp_path).mounts(Image("one", (layer,)))
    assert names(tmp_path) == [layer.key]
    assert names(tmp_path / layer.key) == ["layer.json", "root"]
    label = json.loads((tmp_path / layer.key / "layer.json").read_text())
    assert label["key"] == layer.key
    assert label["recipe"] == "1 file"


def test_four_processes_that_ask_at_the_same_time_build_once(tmp_path: Path) -> None:
    """The three that come late are told that they wait, and get the same whole layer."""
    log, said = tmp_path / "log", [tmp_path / f"said-{number}" for number in range(4)]
    crowd = [SPAWN.Process(target=build_slowly, args=(tmp_path / "cache", log, 3.0, each)) for each in said]
    for process in crowd:
        process.start()
    for process in crowd:
        process.join(60)
    assert [process.exitcode for process in crowd] == [0, 0, 0, 0]
    assert log.read_text() == "built\n"
    assert sum("building" in each.read_text() for each in said) == 1
    assert any("somebody else" in each.read_text() for each in said)
    assert names(tmp_path / "cache") == [slow_image(log).layers[0].key]


def test_threads_of_one_store_build_once(tmp_path: Path) -> None:
    log, store = tmp_path / "log", make_store(tmp_path / "cache")
    threads = [threading.Thread(target=store.mounts, args=(slow_image(log, 0.3),)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert log.read_text() == "built\n"


def test_a_builder_killed_half_way_leaves_nothing_that_is_taken_for_whole(tmp_path: Path) -> None:
    """Its partial folder is there, is not listed, and is gone after the next build."""
    log, cache = tmp_path / "log", tmp_path / "cache"
    builder = SPAWN.Process(target=build_slowly, args=(cache, log, 600.0, tmp_path / "said"))
    builder.start()
    wait_for(log)
    builder.kill()
    builder.join()
    store = make_store(cache)
    assert any(".partial-" in name for name in names(cache))
    assert store.built() == ()
    (mount,) = store.mounts(slow_image(log))
    assert (mount.path / "last").read_text() == "last"
    assert names(cache) == [slow_image(log).layers[0].key]


def test_what_dead_builders_left_goes_when_another_layer_is_built(tmp_path: Path) -> None:
    (tmp_path / "0123.partial-abc" / "root").mkdir(parents=True)
    make_store(tmp_path).mounts(Image("one", (shell(),)))
    assert names(tmp_path) == [shell().key]


def test_what_a_living_builder_has_is_left_alone(tmp_path: Path) -> None:
    log, cache = tmp_path / "log", tmp_path / "cache"
    builder = SPAWN.Process(target=build_slowly, args=(cache, log, 600.0, tmp_path / "said"))
    builder.start()
    try:
        wait_for(log)
        make_store(cache).mounts(Image("one", (shell(),)))
        assert any(".partial-" in name for name in names(cache))
    finally:
        builder.kill()
        builder.join()


@pytest.mark.parametrize("label", [None, "", "{", "[]", '{"key": "x"}'])
def test_a_folder_without_a_proper_label_is_built_anew(tmp_path: Path, label: str | None) -> None:
    layer = shell()
    (tmp_path / layer.key / "root" / "junk").mkdir(parents=True)
    if label is not None:
        (tmp_path / layer.key / "layer.json").write_text(label)
    (mount,) = make_store(tmp_path).mounts(Image("one", (layer,)))
    assert names(mount.path) == ["bin"]


@pytest.mark.parametrize("error", [ImageError("no luck"), OSError(5, "Input/output error"), ZeroDivisionError("a bug")])
def test_a_build_that_fails_leaves_nothing_behind(tmp_path: Path, error: Exception) -> None:
    expected = ImageError if isinstance(error, OSError) else type(error)
    with pytest.raises(expected, match=r"no luck|Input/output error|a bug"):
        make_store(tmp_path).mounts(Image("broken", (BrokenLayer(error),)))
    assert names(tmp_path) == []


def test_a_cache_that_cannot_be_written_is_named_with_the_way_out(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(ImageError, match=r"file/cache.*INTERCODE_CACHE"):
        make_store(tmp_path / "file" / "cache").mounts(Image("one", (shell(),)))


def test_a_full_disk_is_named_with_the_way_out(tmp_path: Path) -> None:
    """A disk of our own of 256 KiB, in a mount namespace; the layer is 1 MiB."""
    ended = in_own_mounts(
        tmp_path,
        "mount -t tmpfs -o size=256k none .",
        "store.mounts(Image('big', (FilesLayer({'/bin/sh': b'x' * (1 << 20)}),)))",
    )
    assert "ImageError: " in ended
    assert str(tmp_path) in ended
    assert "INTERCODE_CACHE" in ended


def test_a_full_disk_that_the_layer_builder_meets_is_named_as_well(tmp_path: Path) -> None:
    """The archive of 1.3 MiB still has room on the disk of 2 MiB; its content has not."""
    ended = in_own_mounts(
        tmp_path,
        "mount -t tmpfs -o size=2m none .",
        "store.mounts(Image('big', (FilesLayer({'/bin/sh': b'x' * (13 << 17)}),)))",
    )
    assert "tar: " in ended
    assert f"the disk of {tmp_path} is full" in ended
    assert "INTERCODE_CACHE" in ended


def test_a_cache_that_is_read_only_serves_what_it_has(tmp_path: Path) -> None:
    make_store(tmp_path).mounts(Image("one", (FilesLayer({"/bin/sh": "x"}),)))
    ended = in_own_mounts(
        tmp_path,
        "mount --bind . . && cd . && mount -o remount,bind,ro .",
        "print(store.mounts(Image('one', (FilesLayer({'/bin/sh': 'x'}),)))[0].path.joinpath('bin/sh').read_text())\n"
        "store.mounts(Image('two', (FilesLayer({'/bin/sh': 'y'}),)))",
    )
    assert ended.startswith("x\n")
    assert "ImageError: " in ended
    assert "Read-only file system" in ended


def in_own_mounts(folder: Path, mount: str, code: str) -> str:
    """What Python says to *code*, run after *mount* in *folder*, with a store of that folder."""
    script = f"""
import sys; sys.path.insert(0, {str(Path(__file__).parent)!r})
from pathlib import Path
from local_layer_builder import *
store = ImageStore(Path({str(folder)!r}), layer_builder=LocalLayerBuilder())
{code}"""
    unshare = ["unshare", "--user", "--map-root-user", "--mount"]
    if subprocess.run([*unshare, "mount", "-t", "tmpfs", "none", "/mnt"], capture_output=True).returncode:
        pytest.skip("this machine gives no user namespace to mount in")
    inside = f'cd "{folder}" && {mount} && exec "$@"'
    done = subprocess.run(
        [*unshare, "sh", "-c", inside, "sh", sys.executable, "-c", script], capture_output=True, text=True
    )
    return done.stdout + done.stderr


def test_the_lowest_layer_must_be_a_root_file_system(tmp_path: Path) -> None:
    with pytest.raises(ImageError, match="is not a root file system: it has no /bin/sh"):
        make_store(tmp_path).mounts(Image("bare", (FilesLayer({"/etc/motd": "hi"}),)))


def test_a_link_at_bin_is_not_followed_out_of_the_layer(tmp_path: Path) -> None:
    """/usr/bin/sh exists on this machine, but not in the layer."""
    with pytest.raises(ImageError, match="not a root file system"):
        make_store(tmp_path).mounts(Image("bare", (FilesLayer({}, links={"/bin": "/usr/bin"}),)))


def test_a_root_file_system_with_merged_usr_will_do(tmp_path: Path) -> None:
    make_store(tmp_path).mounts(Image("merged", (FilesLayer({"/usr/bin/sh": ""}, links={"/bin": "usr/bin"}),)))


def test_an_image_without_layers_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ImageError, match="'empty' has no layers"):
        make_store(tmp_path).mounts(Image("empty", ()))


def test_a_script_is_kept_apart_for_each_stack_below_it() -> None:
    script = ScriptLayer("touch made")
    assert address((shell(), script)) != address((shell("/more"), script))
    assert address((shell(), shell("/more"))) == shell("/more").key


def test_built_lists_whole_layers_only(tmp_path: Path) -> None:
    store = make_store(tmp_path)
    store.mounts(Image("two", (shell(), FilesLayer({"/data": b"x" * 100_000}, title="data"))))
    (tmp_path / "stray").mkdir()
    first, second = store.built()
    assert [first.recipe, second.recipe] == ["1 file", "data"]
    assert second.size >= 100_000
    assert first.built_at <= second.built_at <= time.time()


def test_a_layer_in_use_is_not_removed(tmp_path: Path) -> None:
    store, other = make_store(tmp_path), make_store(tmp_path)
    store.mounts(Image("one", (shell(),)))
    with pytest.raises(UserError, match="in use"):
        other.remove(shell().key)
    assert other.prune() == ()
    assert [label.key for label in other.built()] == [shell().key]


def test_a_layer_is_removed_once_no_store_uses_it(tmp_path: Path) -> None:
    store = make_store(tmp_path)
    store.mounts(Image("one", (shell(),)))
    del store
    gc.collect()
    other = make_store(tmp_path)
    other.remove(shell().key)
    assert names(tmp_path) == []
    assert other.mounts(Image("one", (shell(),)))[0].path.is_dir()


def test_prune_removes_unused_layers_and_leavings(tmp_path: Path) -> None:
    make_store(tmp_path).mounts(Image("one", (shell(),)))
    gc.collect()
    (tmp_path / "0123.partial-abc" / "root").mkdir(parents=True)
    assert [label.key for label in make_store(tmp_path).prune()] == [shell().key]
    assert names(tmp_path) == []


def test_removing_what_is_not_there_is_an_unknown_name(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="no layer 'abc'"):
        make_store(tmp_path).remove("abc")


def test_a_store_gives_its_descriptors_back(tmp_path: Path) -> None:
    make_store(tmp_path).mounts(Image("one", (shell(),)))
    gc.collect()
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(20):
        make_store(tmp_path).mounts(Image("one", (shell(),)))
    gc.collect()
    assert len(os.listdir("/proc/self/fd")) == before
