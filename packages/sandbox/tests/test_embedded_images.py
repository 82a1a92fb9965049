"""Many images in one embedded sandbox: those in use stay, of the others only the last ones."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest

from intercode_sandbox import images
from intercode_sandbox.embedded import EmbeddedSandbox, scratch
from intercode_sandbox.errors import ImageError, SandboxError
from intercode_sandbox.images import Image
from intercode_sandbox.images.files_layer import FilesLayer
from intercode_sandbox.images.root_layers import TarLayer

Count = Callable[[], set[str]]


@pytest.fixture
def children(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Count:
    """Tells the processes that this one has started since the test began, and not yet seen the end of.

    The images go away with the test.
    """
    monkeypatch.setenv("INTERCODE_CACHE", str(tmp_path))
    others = _children()
    return lambda: _children() - others


def _children() -> set[str]:
    found = set()
    for task in Path("/proc/self/task").iterdir():
        with suppress(OSError):  # a thread that has just ended
            found |= set((task / "children").read_text().split())
    return found


@pytest.fixture
def sandbox(children: Count) -> Iterator[EmbeddedSandbox]:
    with EmbeddedSandbox(idle_images=2, ahead=0) as sandbox:
        yield sandbox


def image(number: int) -> Image:
    layer = FilesLayer({"/number": str(number)}, title=f"the number {number}")
    return images.find("host").with_layers(layer, name=f"number-{number}")


def number(sandbox: EmbeddedSandbox, wanted: int) -> str:
    with sandbox.start(image(wanted)) as session:
        return session.run(["cat", "/number"]).text


def open_folders(below: Path) -> list[str]:
    """The folders below a path that this process holds open: layers of images."""
    found = []
    for descriptor in Path("/proc/self/fd").iterdir():
        with suppress(OSError):
            found.append(os.readlink(descriptor))
    return [path for path in found if path.startswith(f"{below}/") and Path(path).is_dir()]


def test_only_the_last_images_are_kept_ready(sandbox: EmbeddedSandbox, children: Count, tmp_path: Path) -> None:
    assert [number(sandbox, wanted) for wanted in range(2)] == ["0", "1"]
    few, folders = children(), len(open_folders(tmp_path))
    assert [number(sandbox, wanted) for wanted in range(2, 8)] == [str(wanted) for wanted in range(2, 8)]
    assert len(children()) == len(few)
    assert len(open_folders(tmp_path)) == folders > 0
    assert not few & children(), "the first two have ended"
    last = children()
    assert number(sandbox, 6) == "6"
    assert children() == last
    assert number(sandbox, 0) == "0", "an image that was left is started anew"


def test_images_in_use_are_kept_however_many_there_are(sandbox: EmbeddedSandbox, children: Count) -> None:
    before = children()
    sessions = [sandbox.start(image(wanted)) for wanted in range(5)]
    for wanted in range(5, 8):
        number(sandbox, wanted)
    for wanted, session in enumerate(sessions):
        session.write("/new", b"x")
        assert session.run(["cat", "/number"]).text == str(wanted)
        assert [change.path for change in session.changes()] == ["/new"]
        assert sandbox.start(image(wanted)).run(["cat", "/number"]).text == str(wanted)
        session.close()
    each = 1 + (scratch.upper() == "trusted")  # a stager beside bubblewrap
    assert len(children() - before) == (5 + 2) * each, "five have another session, and two were the last to be left"


def test_a_snapshot_outlives_its_image(sandbox: EmbeddedSandbox, children: Count) -> None:
    with sandbox.start(image(0)) as session:
        session.write("/new", b"kept")
        snapshot = session.snapshot()
    before = children()
    for wanted in range(1, 5):
        number(sandbox, wanted)
    assert not before & children()
    with snapshot, sandbox.start(image(0), snapshot=snapshot) as session:
        assert session.read("/new") == b"kept"


def test_a_start_that_fails_leaves_no_use_behind(sandbox: EmbeddedSandbox, children: Count) -> None:
    with sandbox.start(image(0)) as session:
        snapshot = session.snapshot()
    snapshot.close()
    first = children()
    for _ in range(3):
        with pytest.raises(SandboxError, match="this snapshot is closed"):
            sandbox.start(image(0), snapshot=snapshot)
    for wanted in (1, 2):
        number(sandbox, wanted)
    assert len(children() & first) == 0


def test_many_threads_get_the_images_that_they_ask_for(sandbox: EmbeddedSandbox) -> None:
    """While others' images are left and started anew beside them."""
    with ThreadPoolExecutor(6) as threads:
        wanted = [index % 5 for index in range(30)]
        assert list(threads.map(lambda each: number(sandbox, each), wanted)) == [str(each) for each in wanted]


def test_a_tar_that_is_none_is_refused_in_tars_own_words(sandbox: EmbeddedSandbox, tmp_path: Path) -> None:
    (tmp_path / "mine.tar").write_text("no archive")
    with pytest.raises(ImageError, match=r"mine\.tar cannot be unpacked: .*not look like a tar archive"):
        sandbox.start(Image("mine", (TarLayer(tmp_path / "mine.tar"),)))


def test_a_layer_may_come_twice_in_an_image(sandbox: EmbeddedSandbox) -> None:
    first, second = image(1).layers[-1], image(2).layers[-1]
    twice = images.find("host").with_layers(first, second, first, name="twice")
    with sandbox.start(twice) as session:
        assert session.run(["cat", "/number"]).text == "1"


def test_none_may_be_kept(children: Count) -> None:
    with EmbeddedSandbox(idle_images=0, ahead=0) as sandbox:
        before = children()
        assert [number(sandbox, wanted) for wanted in (0, 1, 0)] == ["0", "1", "0"]
        assert children() == before
