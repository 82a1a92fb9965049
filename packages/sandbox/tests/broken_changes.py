"""Sessions that tell wrongly what has changed, each with the test of the contract that must notice."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from intercode_sandbox.host import directory_tree
from intercode_sandbox.local.sandbox import LocalSession
from intercode_sandbox.sandbox import Change


class Sighted(LocalSession):
    """Alters what has changed."""

    def changes(self) -> list[Change]:
        return [change for change in super().changes() if self.sees(change)]

    def sees(self, change: Change) -> bool:
        raise NotImplementedError


class BlindToDeletions(Sighted):
    def sees(self, change: Change) -> bool:
        return change.after is not None


class BlindToFolders(Sighted):
    def sees(self, change: Change) -> bool:
        return change.before is not None or change.after is None or change.after.type != "directory"


class BlindToWhatWasBelow(Sighted):
    def sees(self, change: Change) -> bool:
        return change.after is not None or not os.path.dirname(change.path).startswith("/data/folder")


class BlindBelowNewFolders(Sighted):
    """Takes a folder in a new one for the image's, so that what was in that seems to be there still."""

    def sees(self, change: Change) -> bool:
        return change.after is not None or os.path.dirname(change.path) != "/data/folder/inner"


class BlindToModes(Sighted):
    def sees(self, change: Change) -> bool:
        before, after = change.before, change.after
        return before is None or after is None or replace(before, mode=0) != replace(after, mode=0)


class BlindToContent(Sighted):
    def sees(self, change: Change) -> bool:
        before, after = change.before, change.after
        return before is None or after is None or replace(before, digest="") != replace(after, digest="")


class BlindToTimes(Sighted):
    def sees(self, change: Change) -> bool:
        before, after = change.before, change.after
        return before is None or after is None or replace(before, mtime_ns=0) != replace(after, mtime_ns=0)


class BlindToOwners(Sighted):
    def sees(self, change: Change) -> bool:
        before, after = change.before, change.after
        return before is None or after is None or replace(before, uid=0, gid=0) != replace(after, uid=0, gid=0)


class BlindToFifos(Sighted):
    def sees(self, change: Change) -> bool:
        return change.after is None or change.after.type != "fifo"


class Careless(LocalSession):
    """Takes a session for pristine in which all files are as they were."""

    def is_pristine(self) -> bool:
        return not self.changes()


class Unsorted(LocalSession):
    def changes(self) -> list[Change]:
        return super().changes()[::-1]


class Suspicious(LocalSession):
    """Takes whatever was made anew for changed."""

    def changes(self) -> list[Change]:
        now = directory_tree.scan(self.folder)
        anew = [path for path, entry in now.items() if os.lstat(f"{self.folder}{path}").st_ctime_ns > self.began]
        return [Change(path, self._before.get(path), now[path]) for path in sorted(anew)]

    def fill(self, source: Path, now: float) -> None:
        super().fill(source, now)
        self.began = max(os.lstat(f"{self.folder}{path}").st_ctime_ns for path in self._before)


BROKEN: list[tuple[type[LocalSession], str]] = [
    (BlindToDeletions, "test_a_deleted_file_is_seen"),
    (BlindToFolders, "test_an_empty_folder_is_seen"),
    (BlindToWhatWasBelow, "test_a_deleted_folder_lists_all_that_was_below"),
    (BlindBelowNewFolders, "test_folders_made_anew_in_each_other_hide_what_was_below"),
    (BlindToModes, "test_a_mode_is_seen"),
    (BlindToContent, "test_a_file_changed_to_the_same_size_is_seen"),
    (BlindToContent, "test_a_links_target_is_seen"),
    (BlindToTimes, "test_a_file_of_which_only_the_time_differs_is_seen"),
    (BlindToOwners, "test_an_owner_is_seen"),
    (BlindToFifos, "test_a_fifo_is_seen_and_nobody_waits_at_it"),
    (Careless, "test_no_session_is_pristine_in_which_something_was_left"),
    (Unsorted, "test_changes_are_sorted_by_path"),
    (Suspicious, "test_a_copy_identical_to_the_images_is_no_change"),
]
