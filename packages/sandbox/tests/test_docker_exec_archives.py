"""What an engine's command hands out was named by hostile code: none of it leads out, and all of it has an end."""

from __future__ import annotations

import io
import os
import platform
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

from intercode_sandbox import images
from intercode_sandbox.docker.by_exec.engine import CommandEngine
from intercode_sandbox.docker.by_exec.file_tree import ImageTree
from intercode_sandbox.docker.by_exec.session import DockerExecSession
from intercode_sandbox.engine.command import find_programs
from intercode_sandbox.errors import SandboxError, SessionLostError
from intercode_sandbox.sandbox import Limits

ENGINE = """\
#!/bin/sh
echo "$@" >> {folder}/calls
case "$1" in
cp|export) cat {folder}/archive; exit "$(cat {folder}/status)" ;;
diff) cat {folder}/listing ;;
exec) echo begun; cat {folder}/said ;;
esac
"""
"""A program in the place of `docker` that hands out what a hostile engine could."""

GIGANTIC = 1 << 60

Play = Callable[..., DockerExecSession]


@pytest.fixture
def play(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Play:
    """Makes a session whose engine answers with an archive of some members, whatever it is asked."""
    folder = tmp_path / "engine"
    folder.mkdir()
    (folder / "docker").write_text(ENGINE.format(folder=folder))
    (folder / "docker").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")

    def make(*members: tuple[tarfile.TarInfo, bytes], status: int = 0, cut: int | None = None) -> DockerExecSession:
        (folder / "archive").write_bytes(archive(*members)[:cut])
        (folder / "status").write_text(str(status))
        (folder / "listing").write_text("C /work\n")
        (folder / "said").write_text("begun\nagain\n")
        limits = Limits(disk=1 << 20, inodes=64)
        return DockerExecSession(CommandEngine(), "container", images.find("host"), limits, ImageTree({}), 1)

    return make


def archive(*members: tuple[tarfile.TarInfo, bytes]) -> bytes:
    """Headers just as they are, however much of their content is there."""
    file = io.BytesIO()
    for info, content in members:
        file.write(info.tobuf(tarfile.PAX_FORMAT, errors="surrogateescape"))
        file.write(content + bytes(-len(content) % tarfile.BLOCKSIZE))
    return file.getvalue() + bytes(2 * tarfile.BLOCKSIZE)


def member(
    name: str, content: bytes = b"", *, kind: bytes = tarfile.REGTYPE, link: str = "", size: int | None = None
) -> tuple[tarfile.TarInfo, bytes]:
    info = tarfile.TarInfo(name)
    info.type, info.linkname, info.mode = kind, link, 0o6777
    info.size = len(content) if size is None else size
    return info, content


FOLDER = member("work", kind=tarfile.DIRTYPE)


def everything_below(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() if path.is_file() else b"" for path in folder.rglob("*")}


@pytest.mark.parametrize(
    "name", ["work/../../out", "work/..", "work/a/../../../out", "/out/../../out", "work//out", ".."]
)
def test_a_name_that_leads_out_is_left_out(play: Play, tmp_path: Path, name: str) -> None:
    session = play(FOLDER, member(name, b"hostile"), member("work/good", b"good"))
    before = everything_below(tmp_path)
    assert len(session.download("/work", tmp_path / "to/here")) == 1
    new = everything_below(tmp_path).keys() - before.keys() - {"to", "to/here", "engine/calls"}
    assert new == {"to/here/good"}


def test_links_devices_and_fifos_are_left_out_and_nothing_goes_through_a_link(play: Play, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    session = play(
        FOLDER,
        member("work/link", kind=tarfile.SYMTYPE, link=str(outside)),
        member("work/link/file", b"hostile"),
        member("work/disk", kind=tarfile.BLKTYPE),
        member("work/terminal", kind=tarfile.CHRTYPE),
        member("work/pipe", kind=tarfile.FIFOTYPE),
        member("work/second", kind=tarfile.LNKTYPE, link=str(outside / "no")),
        member("work/third", kind=tarfile.LNKTYPE, link="work/../../../etc/passwd"),
    )
    left_out = session.download("/work", tmp_path / "here")
    assert left_out == ["disk", "link", "pipe", "second", "terminal", "third"]
    assert everything_below(tmp_path / "here") == {"link": b"", "link/file": b"hostile"}
    assert not list(outside.iterdir())


def test_a_link_that_is_there_already_is_not_followed(play: Play, tmp_path: Path) -> None:
    outside, here = tmp_path / "outside", tmp_path / "here"
    outside.mkdir()
    here.mkdir()
    (here / "folder").symlink_to(outside)
    (here / "file").symlink_to(outside / "file")
    with pytest.raises(FileExistsError):
        play(FOLDER, member("work/folder/file", b"hostile")).download("/work", here)
    with pytest.raises(OSError, match="symbolic links"):
        play(FOLDER, member("work/file", b"hostile")).download("/work", here)
    assert not list(outside.iterdir())


def test_what_comes_out_has_no_set_user_id_bits(play: Play, tmp_path: Path) -> None:
    play(FOLDER, member("work/program", b"#!/bin/sh")).download("/work", tmp_path / "here")
    assert (tmp_path / "here/program").stat().st_mode & 0o7000 == 0


def test_a_gigantic_file_is_an_error_at_once(play: Play, tmp_path: Path) -> None:
    session = play(FOLDER, member("work/file", b"x", size=GIGANTIC))
    with pytest.raises(OSError, match="more bytes than allowed"):
        session.download("/work", tmp_path / "here")
    with pytest.raises(SessionLostError, match="over its limits"):
        session.changes()


def test_of_a_gigantic_file_only_the_beginning_is_read(play: Play) -> None:
    assert play(member("file", bytes(1 << 16), size=GIGANTIC)).read("/file", limit=10) == bytes(10)


def test_too_many_files_are_an_error(play: Play, tmp_path: Path) -> None:
    session = play(FOLDER, *(member(f"work/{number}") for number in range(400)))
    with pytest.raises(OSError, match="too many files"):
        session.download("/work", tmp_path / "here", files=100)
    with pytest.raises(SessionLostError, match="over its limits"):
        session.changes()


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE, tarfile.DIRTYPE])
def test_only_a_file_can_be_read(play: Play, kind: bytes) -> None:
    with pytest.raises(OSError, match=r"Is a directory|not a regular file"):
        play(member("file", kind=kind, link="/etc/passwd")).read("/file")


@pytest.mark.parametrize("cut", [512, 700, 1100, 1536])
def test_an_archive_that_is_cut_off_is_no_answer(play: Play, tmp_path: Path, cut: int) -> None:
    """Python takes a broken header for the end, so a judgement could rest on half of what there is."""
    session = play(FOLDER, member("work/file", b"content"), member("work/more", b"content"), status=1, cut=cut)
    with pytest.raises(SessionLostError):
        session.changes()
    with pytest.raises(OSError, match=r"cannot be read|says nothing"):
        session.download("/work", tmp_path / "here")


def test_what_is_no_archive_is_an_error(play: Play, tmp_path: Path) -> None:
    session = play()
    (tmp_path / "engine/archive").write_bytes(b"hostile" * 1000)
    for ask in (session.changes, lambda: session.read("/file"), lambda: session.download("/work", tmp_path / "here")):
        with pytest.raises((OSError, SandboxError)):
            ask()


def test_what_a_command_says_reaches_the_engine_as_one_argument(play: Play, tmp_path: Path) -> None:
    """No shell on this side reads it."""
    session = play()
    result = session.run(
        ["/bin/echo", f"$(touch {tmp_path}/first)`touch {tmp_path}/second`; touch {tmp_path}/third"], cwd="/;id"
    )
    assert result.text == "begun\nagain\n"
    assert not {"first", "second", "third"} & {path.name for path in tmp_path.iterdir()}
    assert "$(touch" in (tmp_path / "engine/calls").read_text()


@pytest.mark.parametrize(
    "name", ["C:evil", "file:stream", "a\\..\\b", "NUL", "con.txt", "COM1", "...", "a ", "a.", "a\tb"]
)
def test_on_windows_names_that_mean_more_there_are_left_out(
    play: Play, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    session = play(FOLDER, member(f"work/{name}", b"hostile"), member("work/good", b"good"))
    monkeypatch.setattr(platform, "system", lambda: "Windows")
    assert session.download("/work", tmp_path / "here") == [name]
    assert everything_below(tmp_path / "here") == {"good": b"good"}


def test_on_windows_a_batch_file_is_no_command_of_an_engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its arguments would be read by the command interpreter."""
    for name in ("docker", "docker.cmd", "docker.bat", "podman.exe"):
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(platform, "system", lambda: "Windows")
    assert [Path(each).name for each in find_programs()] == ["podman.exe"]
