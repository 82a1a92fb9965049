"""The part of the sandbox contract about what has changed in a session's files."""

from __future__ import annotations

from typing import ClassVar

from intercode_sandbox.images import Image
from intercode_sandbox.sandbox import Sandbox, Session
from intercode_sandbox.testing.fixtures import OLD, added_paths, changes, need, removed_paths, sh

TRACES = (
    "echo more >> plain.txt",
    "rm plain.txt",
    "chmod 600 plain.txt",
    "touch -d @7 plain.txt",
    "touch made; rm made",
    "sleep 60 >/dev/null 2>&1 &",
)
"""What leaves something behind: in a file, in the time of a folder, or a process."""


class ChangeTests:
    """See `SandboxContract`."""

    no_owners: ClassVar[str] = ""
    """Why files belong to one user; empty where they can be given to others."""

    def test_nothing_has_changed_at_first(self, session: Session) -> None:
        """Looking at files changes nothing either."""
        sh(session, "cat plain.txt; ls -lR; find . -type f | xargs md5sum")
        assert session.changes() == []

    def test_no_session_is_pristine_in_which_something_was_left(self, sandbox: Sandbox, world: Image) -> None:
        """A sandbox need not tell of one that it is; who goes on with it for another episode relies on that."""
        for trace in TRACES:
            with sandbox.start(world) as session:
                assert sh(session, trace).exit_code == 0
                assert not session.is_pristine(), trace
        with sandbox.start(world) as session:
            session.write("/data/plain.txt", b"plain\n")
            assert not session.is_pristine()

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

    def test_an_owner_is_seen(self, session: Session) -> None:
        """By the numbers that count in the session."""
        need(self.no_owners)
        assert sh(session, "chown 12:34 plain.txt").exit_code == 0
        [change] = session.changes()
        assert change.after is not None
        assert (change.after.uid, change.after.gid) == (12, 34)

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
