"""The contract notices sandboxes that are broken on purpose: each of them fails, in the test that is about it."""

from __future__ import annotations

import inspect
import os
import shutil
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from intercode.errors import IntercodeError, UserError
from intercode.sandboxes import images
from intercode.sandboxes.base import Change, Limits, Result, Sandbox, Session
from intercode.sandboxes.host import directory_tree
from intercode.sandboxes.host.process import HostProcess
from intercode.sandboxes.host.session import FolderSnapshot
from intercode.sandboxes.images import Image
from intercode.sandboxes.local import LocalSandbox
from intercode.sandboxes.local.sandbox import LocalSession
from intercode.testing.sandbox import SandboxContract
from intercode.testing.sandbox_fixtures import contract_image


class Altered(LocalSession):
    """Alters the result of every command."""

    def run(self, argv: Sequence[str], **options: Any) -> Result:
        return self.altered(super().run(argv, **options))

    def altered(self, result: Result) -> Result:
        raise NotImplementedError


class Cheerful(Altered):
    def altered(self, result: Result) -> Result:
        return replace(result, exit_code=0)


class Negative(Altered):
    def altered(self, result: Result) -> Result:
        return replace(result, exit_code=128 - result.exit_code if result.exit_code > 128 else result.exit_code)


class Textual(Altered):
    def altered(self, result: Result) -> Result:
        return replace(result, output=result.text.encode(), output_bytes=len(result.text.encode()))


class Miscounting(Altered):
    def altered(self, result: Result) -> Result:
        return replace(result, output_bytes=len(result.output))


class Merging(LocalSession):
    def run(self, argv: Sequence[str], **options: Any) -> Result:
        return super().run(argv, **{**options, "separate": False})


class Inheriting(LocalSession):
    def run(self, argv: Sequence[str], **options: Any) -> Result:
        return super().run(argv, **{**options, "env": {**os.environ, **(options.get("env") or self.image.env)}})


class Shelly(LocalSession):
    """Has a shell read the arguments once more."""

    def run(self, argv: Sequence[str], **options: Any) -> Result:
        return super().run(["/bin/sh", "-c", " ".join(argv)] if len(argv) > 3 else argv, **options)


class Rooted(LocalSession):
    def run(self, argv: Sequence[str], **options: Any) -> Result:
        return super().run(argv, **{**options, "cwd": "/"})


class Deaf(LocalSession):
    def run(self, argv: Sequence[str], **options: Any) -> Result:
        return super().run(argv, **{**options, "stdin": b""})


class Patient(LocalSession):
    """Kills at time-out only the command itself."""

    def run(self, argv: Sequence[str], **options: Any) -> Result:
        timeout = options.pop("timeout", None)
        script = ["/usr/bin/timeout", "-s", "KILL", str(timeout), *argv] if timeout else list(argv)
        result = super().run(script, **options)
        return replace(result, timed_out=result.exit_code == 137)


class Timeless(LocalSession):
    """Knows of no limit but the one given with the command."""

    def run(self, argv: Sequence[str], **options: Any) -> Result:
        return super().run(argv, **{"timeout": 30, **options})


class Trusting(LocalSession):
    """Looks at no argument before it is too late."""

    def run(self, argv: Sequence[str], **options: Any) -> Result:
        return super().run([argument.replace("\0", "")[: 1 << 10] for argument in argv], **options)


class OneAtATime(LocalSession):
    """Runs a command when the last one has ended."""

    def run(self, argv: Sequence[str], **options: Any) -> Result:
        with _ONE:
            return super().run(argv, **options)


_ONE = threading.Lock()


class Merciless(LocalSession):
    """Kills all commands at the time-out of one."""

    def run(self, argv: Sequence[str], **options: Any) -> Result:
        result = super().run(argv, **options)
        if result.timed_out:
            self.kill()
        return result


class Narrow(LocalSession):
    """Takes no more arguments than fit in one."""

    def run(self, argv: Sequence[str], **options: Any) -> Result:
        if sum(map(len, argv)) > 128 << 10:
            raise UserError("too much for me")
        return super().run(argv, **options)


class Cutting(LocalSession):
    """Makes arguments fit."""

    def run(self, argv: Sequence[str], **options: Any) -> Result:
        return super().run([argument[: 100 << 10] for argument in argv[:40]], **options)


class Ignoring(LocalSession):
    """Runs everything as root, whoever it is to run as."""

    def run(self, argv: Sequence[str], **options: Any) -> Result:
        return super().run(argv, **{**options, "user": None})


class Believing(LocalSession):
    """Believes what the session says of its users, unread."""

    def run(self, argv: Sequence[str], **options: Any) -> Result:
        user = options.pop("user", None)
        if user:
            passwd = self.read("/etc/passwd", limit=1 << 30).decode()
            options["env"] = {"ID": next((line for line in passwd.splitlines() if line.startswith(user)), "")}
        return super().run(argv, **options)


class Vague(LocalSession):
    """Does not say what is wrong with a file."""

    def read(self, path: str, *, limit: int = 1 << 20) -> bytes:
        try:
            return super().read(path, limit=limit)
        except OSError as error:
            raise OSError(f"{path}: {error.strerror}") from error

    def write(self, path: str, data: bytes, *, mode: int = 0o644) -> None:
        try:
            super().write(path, data, mode=mode)
        except OSError as error:
            raise OSError(f"{path}: {error.strerror}") from error


class Following(LocalSession):
    """Copies folders as if nobody had laid out anything in them."""

    def upload(self, source: str | Path, path: str) -> list[str]:
        shutil.copytree(source, self.folder / path.strip("/"), dirs_exist_ok=True, ignore=_no_fifos)
        return []

    def download(self, path: str, target: str | Path, *, limit: int = 1 << 30, files: int = 1 << 16) -> list[str]:
        shutil.copytree(self.folder / path.strip("/"), target, dirs_exist_ok=True, ignore=_no_fifos)
        return []


def _no_fifos(folder: str, names: list[str]) -> set[str]:
    return {name for name in names if Path(folder, name).is_fifo() or name in ("c", "way")}


class Shallow(LocalSession):
    """Copies only what lies in the folder itself."""

    def upload(self, source: str | Path, path: str) -> list[str]:
        files = [each for each in Path(source).iterdir() if each.is_file() and not each.is_symlink()]
        for file in files:
            self.write(f"{path}/{file.name}", file.read_bytes())
        return []

    def download(self, path: str, target: str | Path, *, limit: int = 1 << 30, files: int = 1 << 16) -> list[str]:
        Path(target).mkdir(parents=True, exist_ok=True)
        for file in (self.folder / path.strip("/")).iterdir():
            if file.is_file() and not file.is_symlink():
                shutil.copy(file, target)
        return []


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


class Escaping(LocalSession):
    def read(self, path: str, *, limit: int = 1 << 20) -> bytes:
        return (self.folder / path[1:]).read_bytes()[:limit]


class Greedy(LocalSession):
    def read(self, path: str, *, limit: int = 1 << 20) -> bytes:
        return super().read(path)


class Modeless(LocalSession):
    def write(self, path: str, data: bytes, *, mode: int = 0o644) -> None:
        super().write(path, data)


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


class Forgetful(LocalSession):
    """Keeps the pipes of what it has opened."""

    kept: list[int] = []

    def open(self, argv: Sequence[str], **options: Any) -> HostProcess:
        process = super().open(argv, **options)
        assert process.popen.stdin is not None
        self.kept.append(os.dup(process.popen.stdin.fileno()))
        return process


class Numb(LocalSession):
    def open(self, argv: Sequence[str], *, cwd: str = "/", env: Mapping[str, str] | None = None) -> HostProcess:
        return NumbProcess(super().open(argv, cwd=cwd, env=env).popen, lambda: None)


class NumbProcess(HostProcess):
    """Hears no signal, and leaves its children behind."""

    def signal(self, number: int) -> None:
        pass


BROKEN: list[tuple[type[LocalSession], str]] = [
    (Cheerful, "test_it_tells_output_and_exit_code"),
    (Negative, "test_a_signal_is_128_and_its_number"),
    (Textual, "test_bytes_of_any_kind_come_out_unchanged"),
    (Miscounting, "test_more_output_than_allowed_is_cut_and_counted"),
    (Merging, "test_errors_come_apart_when_asked_for"),
    (Inheriting, "test_the_environment_is_what_was_given"),
    (Inheriting, "test_the_environment_is_the_images_where_none_was_given"),
    (Shelly, "test_arguments_arrive_as_they_are"),
    (Rooted, "test_it_starts_where_it_was_told_to"),
    (Rooted, "test_a_working_directory_that_is_not_there_is_126"),
    (Deaf, "test_standard_input_arrives_whole_and_ends"),
    (Patient, "test_timeout_kills_the_children_too"),
    (Timeless, "test_the_sessions_limit_holds_where_no_time_is_given"),
    (Trusting, "test_a_nul_byte_is_the_callers_mistake"),
    (Trusting, "test_arguments_over_8_mib_are_the_callers_mistake"),
    (Narrow, "test_arguments_arrive_up_to_the_kernels_limit"),
    (Cutting, "test_arguments_over_the_kernels_limit_are_126"),
    (OneAtATime, "test_several_commands_run_at_once_in_a_session"),
    (Merciless, "test_a_time_out_kills_nothing_of_other_commands"),
    (Merciful, "test_close_ends_commands_of_other_threads"),
    (Ignoring, "test_a_command_runs_as_the_user_that_is_named"),
    (Ignoring, "test_a_user_may_do_what_a_user_may"),
    (Ignoring, "test_a_user_that_is_not_there_is_126"),
    (Ignoring, "test_what_is_no_user_is_the_callers_mistake"),
    (Ignoring, "test_who_has_one_user_says_so"),
    (Believing, "test_what_a_session_says_of_users_is_not_trusted"),
    (Vague, "test_only_regular_files_are_read"),
    (Vague, "test_a_folder_cannot_be_written"),
    (Shallow, "test_a_folder_goes_in_whole"),
    (Shallow, "test_a_folder_comes_out_whole"),
    (Following, "test_a_folder_goes_in_whole"),
    (Following, "test_nothing_but_files_and_folders_comes_out"),
    (Following, "test_no_link_on_this_machine_leads_what_comes_out_astray"),
    (Following, "test_what_comes_out_has_an_end"),
    (Following, "test_what_is_no_folder_does_not_go_in_or_out"),
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
    (Escaping, "test_no_link_leads_out"),
    (Greedy, "test_no_more_is_read_than_asked_for"),
    (Modeless, "test_what_is_written_is_there_for_commands"),
    (Merciful, "test_kill_ends_processes_and_leaves_files"),
    (Merciful, "test_nothing_outlives_close"),
    (Undead, "test_nothing_can_be_done_after_close"),
    (Sharing, "test_sessions_do_not_see_each_other"),
    (Timelost, "test_fresh_files_have_the_time_of_the_start"),
    (Frozen, "test_a_snapshot_outlives_its_session_and_a_branch_its_snapshot"),
    (Stateless, "test_who_takes_no_snapshots_says_so"),
    (Oblivious, "test_a_branch_begins_where_the_snapshot_was_taken"),
    (Tethered, "test_branches_are_independent"),
    (Numb, "test_a_process_can_be_sent_signals"),
    (Numb, "test_closing_a_process_kills_what_it_started"),
    (Forgetful, "test_closing_a_session_closes_its_processes"),
]


class BrokenSandbox(LocalSandbox):
    """Its sessions are of the class given."""

    def __init__(self, kind: type[LocalSession]) -> None:
        super().__init__(i_know_this_is_unsafe=True)
        self.kind = kind
        self.made: list[LocalSession] = []

    def make_session(self, image: Image, limits: Limits) -> LocalSession:
        self.made.append(self.kind(image, limits))
        return self.made[-1]

    def close(self) -> None:
        """What is broken must not outlive its test."""
        for session in self.made:
            LocalSession.kill(session)
            LocalSession.close(session)
            directory_tree.remove(session.folder)
        super().close()


@pytest.mark.parametrize(("kind", "test"), BROKEN, ids=[f"{kind.__name__}-{test}" for kind, test in BROKEN])
def test_the_contract_notices(
    kind: type[LocalSession], test: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same tests pass on the local sandbox as it is: `tests/sandboxes/test_local.py`."""
    with BrokenSandbox(kind) as sandbox:
        run = _prepared(sandbox, test, tmp_path, monkeypatch)
        with pytest.raises((AssertionError, IntercodeError, OSError, ValueError, pytest.fail.Exception)):
            run()


def test_a_sandbox_without_snapshots_may_say_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SandboxContract, "no_snapshots", "there are none here")
    with BrokenSandbox(Stateless) as sandbox:
        _prepared(sandbox, "test_who_takes_no_snapshots_says_so", tmp_path, monkeypatch)()
        _prepared(sandbox, "test_nothing_can_be_done_after_close", tmp_path, monkeypatch)()
        with pytest.raises(pytest.skip.Exception, match="none here"):
            _prepared(sandbox, "test_processes_go_on_after_a_snapshot", tmp_path, monkeypatch)()


def _prepared(sandbox: Sandbox, test: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], object]:
    """The contract's *test* with what it asks for."""
    world = contract_image(images.find("host"))
    method = getattr(SandboxContract(), test)
    known = {"sandbox": sandbox, "world": world, "tmp_path": tmp_path, "monkeypatch": monkeypatch}
    parameters = inspect.signature(method).parameters
    if "session" in parameters:
        known["session"] = sandbox.start(world)
    return lambda: method(**{name: known[name] for name in parameters})
