"""Sessions, snapshots and branches that begin or end wrongly on purpose, each with the test that must notice."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from intercode_sandbox.host import directory_tree
from intercode_sandbox.host.process import HostProcess, send_signal
from intercode_sandbox.host.session import FolderSnapshot
from intercode_sandbox.local.sandbox import LocalSession
from intercode_sandbox.sandbox import Session


class Merciful(LocalSession):
    def kill(self) -> None:
        pass


class Undead(LocalSession):
    def _check_open(self) -> None:
        self.folder.mkdir(exist_ok=True)


class Sharing(LocalSession):
    """All sessions have one folder."""

    common: Path | None = None

    def fill(self, source: Path, now: float) -> None:
        if Sharing.common and Sharing.common.exists():
            shutil.rmtree(self.folder)
            self.folder = Sharing.common
            self._before = directory_tree.scan(self.folder)
        else:
            super().fill(source, now)
            Sharing.common = self.folder


class Timelost(LocalSession):
    def fill(self, source: Path, now: float) -> None:
        super().fill(source, 1.0)


class Frozen(LocalSession):
    """A snapshot that is the session's own folder."""

    def snapshot(self) -> FolderSnapshot:
        return FolderSnapshot(self.folder, self._before, self.image)


class Stateless(LocalSession):
    """Has no snapshots."""

    def snapshot(self) -> FolderSnapshot:
        Session.snapshot(self)
        raise AssertionError


class Oblivious(LocalSession):
    """Branches begin anew."""

    def restore(self, snapshot: FolderSnapshot) -> None:
        pass


class Tethered(LocalSession):
    """Branches go on in the folder of the snapshot."""

    def restore(self, snapshot: FolderSnapshot) -> None:
        super().restore(snapshot)
        self.folder = snapshot.folder


class Restless(LocalSession):
    """Stops nothing."""

    @contextmanager
    def frozen(self) -> Iterator[None]:
        yield


class Paralysed(LocalSession):
    """Lets nothing go on that it has stopped."""

    @contextmanager
    def frozen(self) -> Iterator[None]:
        send_signal(self.processes(), signal.SIGSTOP)
        yield


class Forgetful(LocalSession):
    """Keeps the pipes of what it has opened."""

    kept: list[int] = []

    def open(self, argv: Sequence[str], **options: Any) -> HostProcess:
        process = super().open(argv, **options)
        assert process.popen.stdin is not None
        self.kept.append(os.dup(process.popen.stdin.fileno()))
        return process


BROKEN: list[tuple[type[LocalSession], str]] = [
    (Merciful, "test_close_ends_commands_of_other_threads"),
    (Merciful, "test_kill_ends_processes_and_leaves_files"),
    (Merciful, "test_nothing_outlives_close"),
    (Undead, "test_nothing_can_be_done_after_close"),
    (Sharing, "test_sessions_do_not_see_each_other"),
    (Timelost, "test_fresh_files_have_the_time_of_the_start"),
    (Frozen, "test_a_snapshot_outlives_its_session_and_a_branch_its_snapshot"),
    (Stateless, "test_who_takes_no_snapshots_says_so"),
    (Oblivious, "test_a_branch_begins_where_the_snapshot_was_taken"),
    (Tethered, "test_branches_are_independent"),
    (Restless, "test_nothing_runs_while_it_is_frozen"),
    (Paralysed, "test_nothing_runs_while_it_is_frozen"),
    (Forgetful, "test_closing_a_session_closes_its_processes"),
]
