"""The part of the sandbox contract about files that are read and written from outside."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from pathlib import Path

import pytest

from intercode_sandbox.sandbox import Session
from intercode_sandbox.testing.fixtures import added_paths, changes, sh
from intercode_sandbox.testing.patience import patience


class FileTests:
    """See `SandboxContract`."""

    # Reading and writing from outside

    def test_a_file_is_read_as_commands_left_it(self, session: Session) -> None:
        sh(session, "printf 'a\\0b\\xff' > made")
        assert session.read("/data/made") == b"a\0b\xff"
        assert session.read("/data/plain.txt") == b"plain\n"

    def test_no_more_is_read_than_asked_for(self, session: Session) -> None:
        assert session.read("/data/plain.txt", limit=3) == b"pla"

    def test_what_is_not_there_cannot_be_read(self, session: Session) -> None:
        for path in ("/data/none", "/none/none", "/data/empty/none"):
            with pytest.raises(FileNotFoundError):
                session.read(path)

    def test_only_regular_files_are_read(self, session: Session) -> None:
        """Least of all is a FIFO waited for. Errors are those of Python's `open`."""
        sh(session, "mkfifo pipe")
        errors = {"/data": IsADirectoryError, "/data/way": IsADirectoryError, "/data/plain.txt/x": NotADirectoryError}
        for path, error in {**errors, "/data/pipe": OSError}.items():
            with pytest.raises(error, match=path):
                session.read(path)

    def test_links_are_followed_inside(self, session: Session) -> None:
        """Relative ones, absolute ones, links to links, and `..` above the root."""
        sh(session, "ln -s link again; ln -s ../../../../../data/plain.txt up; ln -s /data/plain.txt absolute")
        for path in ("link", "again", "up", "absolute", "way/../plain.txt", "../../data/plain.txt"):
            assert session.read(f"/data/{path}") == b"plain\n"
        assert session.read("/data/way/side.txt") == b"side\n"

    def test_no_link_leads_out(self, session: Session, tmp_path: Path) -> None:
        """Not for reading and not for writing: an absolute target is the session's own path."""
        (tmp_path / "secret").write_text("host")
        up = "../" * 30
        sh(session, f"ln -s {tmp_path}/secret a; ln -s {up}{tmp_path}/secret b; ln -s {tmp_path} c; ln -s loop loop")
        for path in ("a", "b", "c/secret", f"{up}{tmp_path}/secret", "loop"):
            with pytest.raises(OSError):  # noqa: PT011 - each has an error number of its own
                session.read(f"/data/{path}")
        with suppress(OSError):  # or it makes the folders inside
            session.write("/data/c/planted", b"x")
        assert sorted(path.name for path in tmp_path.iterdir()) == ["secret"]

    def test_what_is_written_is_there_for_commands(self, session: Session) -> None:
        """With its mode, owned by the session's root, and folders above it as needed."""
        session.write("/data/x/y/z.sh", b"#!/bin/sh\necho written\n", mode=0o755)
        assert sh(session, "x/y/z.sh").output == b"written\n"
        assert sh(session, "stat -c %a x x/y/z.sh").text.split()[1] == "755"
        assert added_paths(session) == ["/data/x", "/data/x/y", "/data/x/y/z.sh"]

    def test_writing_replaces_what_was_there(self, session: Session) -> None:
        session.write("/data/plain.txt", b"p")
        assert session.read("/data/plain.txt") == b"p"
        assert list(changes(session)) == ["/data/plain.txt"]

    def test_a_folder_cannot_be_written(self, session: Session) -> None:
        for path, error in {"/data": IsADirectoryError, "/data/plain.txt/below": NotADirectoryError}.items():
            with pytest.raises(error):
                session.write(path, b"")

    # Folders

    def test_a_folder_is_listed_as_it_is(self, session: Session) -> None:
        """By name, with what each thing is; links are not followed there, and the folder may be behind one."""
        sh(session, "cd folder; mkfifo pipe; ln -s /etc way; chmod 640 side.txt; printf 12345 > $'odd\\xff'")
        for path in ("/data/folder", "/data/way"):
            found = {entry.name: (entry.type, entry.size) for entry in session.list_folder(path)}
            assert list(found) == sorted(found) == ["inner", "odd\udcff", "pipe", "side.txt", "way"]
            assert (found["odd\udcff"], found["side.txt"]) == (("file", 5), ("file", 5))
            assert [found[name][0] for name in ("inner", "pipe", "way")] == ["directory", "fifo", "symlink"]
        modes = {entry.name: entry.mode for entry in session.list_folder("/data/folder")}
        assert modes["side.txt"] == 0o640
        assert session.list_folder("/data/empty") == []

    def test_what_is_no_folder_is_not_listed(self, session: Session) -> None:
        for path, error in {"/data/none": FileNotFoundError, "/data/plain.txt": NotADirectoryError}.items():
            with pytest.raises(error):
                session.list_folder(path)

    # Folders in and out

    def test_a_folder_goes_in_whole(self, session: Session, tmp_path: Path) -> None:
        """With empty folders and odd names; what can be executed still can."""
        source = _source(tmp_path)
        assert session.upload(source, "/data/made/here") == ["link", "pipe", "sub/way"]
        found = sh(session, "cd made/here; find . | LC_ALL=C sort; ./run.sh; cat 'sub/a b'").text
        assert found == ".\n./empty\n./run.sh\n./sub\n./sub/a b\nran\nblank\n"

    def test_a_folder_goes_in_over_what_is_there(self, session: Session, tmp_path: Path) -> None:
        (tmp_path / "plain.txt").write_text("new\n")
        session.upload(tmp_path, "/data/")
        assert session.read("/data/plain.txt") == b"new\n"
        assert session.read("/data/old.txt") == b"old\n"

    def test_what_is_no_folder_does_not_go_in_or_out(self, session: Session, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("")
        for source in ("none", "file"):
            with pytest.raises(NotADirectoryError):
                session.upload(tmp_path / source, "/data/made")
        for path, error in {"/data/none": FileNotFoundError, "/data/plain.txt": NotADirectoryError}.items():
            with pytest.raises(error):
                session.download(path, tmp_path / "out")
        assert sorted(path.name for path in tmp_path.iterdir()) == ["file"]

    def test_a_folder_comes_out_whole(self, session: Session, tmp_path: Path) -> None:
        sh(
            session,
            "cp run.sh folder; mkdir folder/empty; touch folder/$'a\\nb'; head -c 3000000 /dev/zero > folder/big",
        )
        assert session.download("/data/folder", tmp_path / "new" / "out") == []
        out = tmp_path / "new" / "out"
        found = sorted(str(path.relative_to(out)) for path in out.rglob("*"))
        assert found == ["a\nb", "big", "empty", "inner", "inner/deep.txt", "run.sh", "side.txt"]
        assert (out / "inner" / "deep.txt").read_text() == "deep\n"
        assert (out / "big").stat().st_size == 3_000_000
        modes = [path.stat().st_mode & 0o7111 for path in (out / "run.sh", out / "side.txt")]
        assert modes == [0o111, 0]

    def test_nothing_but_files_and_folders_comes_out(self, session: Session, tmp_path: Path) -> None:
        """Links are neither followed nor made, special bits not kept, FIFOs not waited for; folders have an end."""
        (tmp_path / "secret").mkdir()
        (tmp_path / "secret" / "key").write_text("host")
        sh(session, f"mkdir out; cd out; ln -s {tmp_path}/secret a; ln -s ../plain.txt b; ln -s . c; mkfifo d")
        sh(session, "cd out; cp ../run.sh e; chmod 6755 e; for i in $(seq 150); do mkdir f && cd f || exit; done")
        left_out = session.download("/data/out", tmp_path / "got")
        assert left_out[:4] == ["a", "b", "c", "d"]
        assert [path.count("/") for path in left_out[4:]] == [128]
        assert sorted(path.name for path in (tmp_path / "got").iterdir()) == ["e", "f"]
        assert (tmp_path / "got" / "e").stat().st_mode & 0o7000 == 0

    def test_no_link_on_this_machine_leads_what_comes_out_astray(self, session: Session, tmp_path: Path) -> None:
        (tmp_path / "outside").mkdir()
        (tmp_path / "got").mkdir()
        (tmp_path / "got" / "inner").symlink_to(tmp_path / "outside")
        with pytest.raises(OSError):  # noqa: PT011 - a link where a folder goes
            session.download("/data/folder", tmp_path / "got")
        assert list((tmp_path / "outside").iterdir()) == []

    def test_what_comes_out_has_an_end(self, session: Session, tmp_path: Path) -> None:
        """Though it is sparse, or many."""
        sh(session, "mkdir big; truncate -s 100M big/file")
        started = time.monotonic()
        with pytest.raises(OSError, match="bytes"):
            session.download("/data/big", tmp_path / "got", limit=1 << 20)
        with pytest.raises(OSError, match="many"):
            session.download("/data/many", tmp_path / "got", files=19)
        assert sum(path.stat().st_size for path in (tmp_path / "got").iterdir()) <= 1 << 20
        assert time.monotonic() - started < patience(30)


def _source(folder: Path) -> Path:
    """Return a folder of this machine with all kinds of things in it."""
    source = folder / "source"
    (source / "sub").mkdir(parents=True)
    (source / "empty").mkdir()
    (source / "sub" / "a b").write_text("blank\n")
    (source / "run.sh").write_text("#!/bin/sh\necho ran\n")
    (source / "run.sh").chmod(0o750)
    (folder / "secret").write_text("host")
    (source / "link").symlink_to(folder / "secret")
    (source / "sub" / "way").symlink_to(folder)
    os.mkfifo(source / "pipe")
    return source
