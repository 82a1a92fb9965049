"""The part of the sandbox contract about files: what has changed, reading and writing from outside."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from pathlib import Path

import pytest

from intercode.sandboxes.base import Session
from intercode.testing.patience import patience
from intercode.testing.sandbox_fixtures import OLD, added_paths, changes, removed_paths, sh


class FileTests:
    """See `SandboxContract`."""

    # Changes

    def test_nothing_has_changed_at_first(self, session: Session) -> None:
        """Looking at files changes nothing either."""
        sh(session, "cat plain.txt; ls -lR; find . -type f | xargs md5sum")
        assert session.changes() == []

    def test_a_new_file_is_seen_with_all_that_it_is(self, session: Session) -> None:
        sh(session, "umask 022; echo hello > made; chmod 640 made")
        change = changes(session)["/data/made"]
        assert change.before is None
        assert change.after is not None
        assert (change.after.type, change.after.mode, change.after.size) == ("file", 0o640, 6)

    def test_a_changed_file_is_seen_with_what_it_was(self, session: Session) -> None:
        sh(session, "echo longer >> plain.txt")
        change = changes(session)["/data/plain.txt"]
        assert change.before is not None
        assert change.after is not None
        assert (change.before.size, change.after.size) == (6, 13)
        assert change.before.digest != change.after.digest

    def test_a_file_changed_to_the_same_size_is_seen(self, session: Session) -> None:
        """Though its time is put back as well."""
        sh(session, "touch -r plain.txt time; echo plaiN > plain.txt; touch -r time plain.txt; rm time")
        assert list(changes(session)) == ["/data/plain.txt"]

    def test_a_deleted_file_is_seen(self, session: Session) -> None:
        sh(session, "rm plain.txt")
        assert removed_paths(session) == ["/data/plain.txt"]
        assert list(changes(session)) == ["/data/plain.txt"]

    def test_a_deleted_folder_lists_all_that_was_below(self, session: Session) -> None:
        sh(session, "rm -r folder empty")
        below = ["/data/folder", "/data/folder/inner", "/data/folder/inner/deep.txt", "/data/folder/side.txt"]
        assert removed_paths(session) == ["/data/empty", *below]

    def test_a_folder_made_anew_hides_what_was_below(self, session: Session) -> None:
        sh(session, "rm -r folder; mkdir folder; echo other > folder/other.txt")
        assert added_paths(session) == ["/data/folder/other.txt"]
        assert removed_paths(session) == ["/data/folder/inner", "/data/folder/inner/deep.txt", "/data/folder/side.txt"]

    def test_folders_made_anew_in_each_other_hide_what_was_below(self, session: Session) -> None:
        sh(session, "rm -r folder; mkdir -p folder/inner")
        assert added_paths(session) == []
        assert removed_paths(session) == ["/data/folder/inner/deep.txt", "/data/folder/side.txt"]

    def test_a_folder_replaced_by_a_file_is_seen(self, session: Session) -> None:
        sh(session, "rm -r folder; echo file > folder")
        change = changes(session)["/data/folder"]
        assert change.before is not None
        assert change.after is not None
        assert (change.before.type, change.after.type) == ("directory", "file")
        assert "/data/folder/inner/deep.txt" in removed_paths(session)

    def test_a_file_replaced_by_a_folder_is_seen(self, session: Session) -> None:
        sh(session, "rm plain.txt; mkdir -p plain.txt/sub")
        change = changes(session)["/data/plain.txt"]
        assert change.after is not None
        assert change.after.type == "directory"
        assert added_paths(session) == ["/data/plain.txt/sub"]

    def test_a_renamed_folder_is_one_gone_and_one_new(self, session: Session) -> None:
        sh(session, "mv folder renamed")
        assert [path.replace("renamed", "folder") for path in added_paths(session)] == removed_paths(session)
        assert len(removed_paths(session)) == 4

    def test_an_empty_folder_is_seen(self, session: Session) -> None:
        sh(session, "mkdir -p a/b")
        assert added_paths(session) == ["/data/a", "/data/a/b"]

    def test_a_mode_is_seen(self, session: Session) -> None:
        """Of files and folders, special bits included."""
        sh(session, "chmod 4711 run.sh; chmod 1777 folder; chmod 000 plain.txt")
        modes = {path: change.after.mode for path, change in changes(session).items() if change.after}
        assert modes == {"/data/run.sh": 0o4711, "/data/folder": 0o1777, "/data/plain.txt": 0}

    def test_a_links_target_is_seen(self, session: Session) -> None:
        sh(session, "ln -sfn other.txt link; ln -s nowhere broken")
        found = changes(session)
        assert list(found) == ["/data/broken", "/data/link"]
        assert all(change.after and change.after.type == "symlink" for change in found.values())
        assert found["/data/link"].before != found["/data/link"].after

    def test_equal_contents_have_equal_digests(self, session: Session) -> None:
        sh(session, "echo same > a; echo same > b; echo else > c; ln -s same x; ln -s same y; ln -s else z")
        digests = {path[-1]: change.after.digest for path, change in changes(session).items() if change.after}
        assert digests["a"] == digests["b"] != digests["c"]
        assert digests["x"] == digests["y"] != digests["z"]

    def test_no_content_has_the_digest_of_another(self, session: Session) -> None:
        """A file of zeros, and files that hold what a digest of them might be made of."""
        sh(
            session,
            "head -c 1048576 /dev/zero > a; printf '1048576 bytes' > b; truncate -s 1048577 c; printf 1048576 > d",
        )
        entries = [change.after for change in changes(session).values() if change.after]
        assert [entry.size for entry in entries] == [1048576, 13, 1048577, 7]
        assert len({entry.digest for entry in entries}) == 4

    def test_a_copy_identical_to_the_images_is_no_change(self, session: Session) -> None:
        """Written over, moved back, or with all its folder made anew: what counts is how it ends."""
        sh(session, "cp -p old.txt tmp && mv tmp old.txt; chmod 600 plain.txt; chmod 644 plain.txt")
        sh(session, "cp -a folder tmp && rm -r folder && mv tmp folder; touch made; rm made")
        assert changes(session) == {}
        assert [change.path for change in session.changes()] == []

    def test_a_file_of_which_only_the_time_differs_is_seen(self, session: Session) -> None:
        """As a change of `mtime_ns` and of nothing else."""
        sh(session, "touch -d @1234567890.5 old.txt")
        [change] = session.changes()
        assert change.before is not None
        assert change.after is not None
        assert (change.before.mtime_ns, change.after.mtime_ns) == (OLD * 10**9, 1234567890500000000)
        assert change.before.digest == change.after.digest

    def test_changes_are_sorted_by_path(self, session: Session) -> None:
        sh(session, "touch z a-b a a.b; mkdir m; touch m/x m-x; rm -r folder")
        paths = [change.path for change in session.changes()]
        assert paths == sorted(paths)

    def test_odd_names_are_kept(self, session: Session) -> None:
        """Blanks, line breaks, and bytes that are not UTF-8."""
        sh(session, "touch 'a b' $'c\\nd' $'\\xff\\xfe' -- -n '*' é")
        names = ["a b", "c\nd", "\udcff\udcfe", "-n", "*", "é"]
        assert added_paths(session) == sorted(f"/data/{name}" for name in names)

    def test_hard_links_are_files_of_their_own(self, session: Session) -> None:
        sh(session, "ln plain.txt twin; echo x > made; ln made again")
        assert added_paths(session) == ["/data/again", "/data/made", "/data/twin"]
        assert all(change.after and change.after.type == "file" for change in changes(session).values())

    def test_a_fifo_is_seen_and_nobody_waits_at_it(self, session: Session) -> None:
        sh(session, "mkfifo pipe; rm plain.txt; mkfifo plain.txt")
        types = {path: change.after.type for path, change in changes(session).items() if change.after}
        assert types == {"/data/pipe": "fifo", "/data/plain.txt": "fifo"}

    def test_what_is_too_deep_is_cut_and_said_to_be(self, session: Session) -> None:
        sh(session, "for i in $(seq 150); do mkdir d && cd d || exit; done; touch bottom")
        deepest = session.changes()[-1]
        assert deepest.after is not None
        assert deepest.after.digest == "cut"
        assert deepest.path.count("/") == 129

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
        assert time.monotonic() - started < patience(5)


def _source(folder: Path) -> Path:
    """A folder of this machine with all kinds of things in it."""
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
