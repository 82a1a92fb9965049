"""Attacks on whoever reads the session's files from outside: changes, read, write, snapshots."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import pytest

from intercode_sandbox.embedded import EmbeddedSandbox, scratch
from intercode_sandbox.embedded.session import EmbeddedSession
from intercode_sandbox.errors import ImageError
from intercode_sandbox.images import Image
from intercode_sandbox.images.files_layer import FilesLayer
from intercode_sandbox.images.script_layer import ScriptLayer
from intercode_sandbox.sandbox import Change, Entry, Session
from intercode_sandbox.testing.patience import patience

from .conftest import Compile, Start
from .host import descriptors, held_since, outcomes, put, shell

Layered = Callable[[str], Session]

WATCHED_DEPTH = 6000
"""DEPTH_LIMIT in disk.c."""

SECONDS = 20.0
"""Far more than reading takes, far less than what is laid out as a trap."""


def changed(session: EmbeddedSession) -> dict[str, Change]:
    """What changed, by path; it comes soon, and leaves no descriptor open."""
    before, began = descriptors(), time.monotonic()
    found = {change.path: change for change in session.changes()}
    assert time.monotonic() - began < patience(SECONDS)
    assert held_since(before, in_use=1) == []
    return found


def afterwards(session: EmbeddedSession) -> dict[str, Entry]:
    """What is there of what changed."""
    return {path: change.after for path, change in changed(session).items() if change.after}


@pytest.fixture
def layered(image: Image, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Layered]:
    """Start a session on `/data/old/inner/file` and what a script makes of that; the layers go with the test."""
    monkeypatch.setenv("INTERCODE_CACHE", str(tmp_path / "cache"))
    below = FilesLayer({"/data/old/inner/file": "x"})
    with ExitStack() as stack:
        own = stack.enter_context(EmbeddedSandbox())

        def start(script: str) -> Session:
            return stack.enter_context(own.start(image.with_layers(below, ScriptLayer(script), name="made")))

        yield start


@contextmanager
def unchanged(*paths: str) -> Iterator[None]:
    """Nothing is done to these files of the host."""
    before = [(os.lstat(path).st_mode, os.lstat(path).st_mtime_ns, Path(path).read_bytes()) for path in paths]
    yield
    assert [(os.lstat(path).st_mode, os.lstat(path).st_mtime_ns, Path(path).read_bytes()) for path in paths] == before


# Traps in the tree


def test_links_are_told_and_not_followed(session: EmbeddedSession, tmp_path: Path) -> None:
    """To files of the host, to what is endless, to themselves."""
    (tmp_path / "secret").write_text("secret")
    targets = {
        "a": f"{tmp_path}/secret",
        "b": "/dev/zero",
        "c": "c",
        "d": "../" * 50 + "etc/passwd",
        "e": "/proc/self/root",
    }
    shell(session, "; ".join(f"ln -s '{target}' /tmp/{name}" for name, target in targets.items()))
    found = {path: (entry.type, entry.digest) for path, entry in afterwards(session).items()}
    assert found == {f"/tmp/{name}": ("symlink", target) for name, target in targets.items()}


def test_a_directory_that_became_a_link_is_a_link(session: EmbeddedSession) -> None:
    """What was below it is gone; nothing is looked for where it points."""
    shell(
        session,
        "rm -r /home/user; ln -s /usr /home/user; rm -r /etc/ld.so.conf.d; ln -s /proc/1/root /etc/ld.so.conf.d",
    )
    found = afterwards(session)
    assert found["/home/user"].type == found["/etc/ld.so.conf.d"].type == "symlink"
    assert not any(path.startswith(("/home/user/", "/etc/ld.so.conf.d/", "/usr")) for path in found)


def test_pipes_sockets_and_devices_are_told_and_not_opened(session: EmbeddedSession) -> None:
    """A pipe that nobody writes to would be waited for, for ever."""
    shell(
        session, "mkfifo /tmp/pipe; rm /etc/hosts; mkfifo /etc/hosts; (exec 3<>/tmp/pipe; sleep 100) >/dev/null 2>&1 &"
    )
    shell(session, "python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind(\"/tmp/socket\")'")
    found = {path: entry.type for path, entry in afterwards(session).items()}
    assert found.pop("/tmp/socket", "socket") == "socket"  # a machine without python3 has made none
    assert found == {"/tmp/pipe": "fifo", "/etc/hosts": "fifo"}
    for path in ("/tmp/pipe", "/tmp/socket", "/etc/hosts", "/dev/zero", "/dev/tty", "/dev/pts/ptmx", "/etc"):
        with pytest.raises(OSError):  # noqa: PT011
            session.read(path)
    for path in ("/tmp/pipe", "/etc/hosts", "/dev/zero", "/dev/tty", "/dev/pts/ptmx", "/etc"):
        with pytest.raises(OSError):  # noqa: PT011
            session.write(path, b"x")


def test_names_may_be_any_bytes(session: EmbeddedSession) -> None:
    names = [b"new\nline", b"\xff\xfe", b"a" * 255, b" ", b"-rf", b"\x1b[31m", "é漢".encode(), b"tab\t", b"quote'\""]
    for name in names:
        session.write("/tmp/" + os.fsdecode(name), b"x")
    assert {os.fsencode(path) for path in changed(session)} == {b"/tmp/" + name for name in names}
    for name in names:
        assert session.read("/tmp/" + os.fsdecode(name)) == b"x"


long_files = pytest.mark.skipif(
    not scratch.tmpfs_suffices(), reason="what sessions write is on disk here, where no file is longer than its limit"
)


@pytest.mark.parametrize(("size", "count"), [pytest.param("8T", 3, marks=long_files), ("64M", 200)])
def test_files_that_are_all_holes_cost_nothing(session: EmbeddedSession, size: str, count: int) -> None:
    """A few of 8 TB, and hundreds of a size that looks harmless; in the first of them data is thinly spread."""
    shell(session, f"cd /tmp; truncate -s {size} {{1..{count}}}")
    drop = "for i in {1..300}; do echo x | dd of=/tmp/1 bs=1 seek=$((i * 200000)) conv=notrunc status=none; done"
    shell(session, drop, timeout=patience(60))
    began = time.monotonic()
    found = afterwards(session)
    assert time.monotonic() - began < patience(10)
    assert len(found) == count
    assert found["/tmp/1"].digest != found["/tmp/2"].digest == found["/tmp/3"].digest
    assert session.read("/tmp/2", limit=1000) == bytes(1000)


def test_holes_do_not_change_what_a_file_is(session: EmbeddedSession) -> None:
    """The same bytes with and without holes are the same; a byte more or elsewhere is not."""
    script = """cd /tmp; truncate -s 3M a; echo x | dd of=a bs=1 seek=1000000 conv=notrunc status=none
        cp --sparse=never a b; cp --sparse=always a c; cp a d; truncate -s +1 d
        truncate -s 3M e; echo x | dd of=e bs=1 seek=1000001 conv=notrunc status=none"""
    shell(session, script)
    digests = {path[-1]: entry.digest for path, entry in afterwards(session).items()}
    assert digests["a"] == digests["b"] == digests["c"]
    assert len(set(digests.values())) == 3


def test_a_file_of_many_names_is_read_once(session: EmbeddedSession) -> None:
    """A hundred names for as many megabytes as fit would be gigabytes to read."""
    script = "cd /tmp; head -c 100M /dev/zero | tr '\\0' x > f; for i in {1..200}; do ln f $i; done"
    shell(session, script, timeout=patience(60))
    found = afterwards(session)
    assert len(found) == 201
    assert len({entry.digest for entry in found.values()}) == 1


@pytest.mark.parametrize("depth", [5000, 30000])
def test_a_tree_thousands_deep_is_cut(start: Start, attack: Compile, depth: int) -> None:
    """And said to be cut; a snapshot has all of it, and so has a session that goes on from there."""
    session = start()
    trees = put(session, attack("trees"))
    made = session.run([trees, "deep", str(depth)], timeout=patience(60))
    if depth > WATCHED_DEPTH and not scratch.tmpfs_suffices():
        assert made.exit_code == 137, "the watch over the disk does not follow so deep, so it ends who goes there"
        assert session.run(["/bin/echo", "alive"], timeout=patience(10)).output == b"alive\n"
        return
    assert made.exit_code == 0
    found = afterwards(session)
    deepest = max(found, key=len)
    assert deepest.count("/") < 200
    assert found[deepest].digest == "cut"
    with session.snapshot() as snapshot:
        branch = start(snapshot)
    assert branch.run([trees, "bottom", str(depth)], timeout=patience(60)).exit_code == 0
    assert afterwards(branch) == found


@pytest.mark.skipif(not scratch.tmpfs_suffices(), reason="on disk the watch kills who goes on, see test_disk.py")
@pytest.mark.parametrize(
    "script",
    [
        "head -c 1G /dev/zero > big; for i in {1..100}; do echo > $i; done",
        "for i in {1..20}; do mkdir $i; touch $i/{1..100}; cp -al $i l$i; done",
    ],
    ids=["bytes", "files"],
)
def test_a_full_disk_can_be_branched_from(start: Start, script: str) -> None:
    """All that there is fits again, and no more."""
    session = start(disk=16 << 20, inodes=1024)
    shell(session, f"mkdir /tmp/full; cd /tmp/full; {{ {script}; }} 2>/dev/null", timeout=patience(60))
    assert shell(session, "mkdir /more && echo x > /more/x").exit_code != 0
    with session.snapshot() as snapshot:
        branch = start(snapshot, disk=16 << 20, inodes=1024)
    assert afterwards(branch) == afterwards(session)
    assert shell(branch, "mkdir /more && head -c 64K /dev/zero > /more/x").exit_code != 0


def test_paths_too_long_to_be_opened_are_cut(session: EmbeddedSession, attack: Compile) -> None:
    """Names of 255 bytes in each other, closed to all: the host can go there neither by path nor by right."""
    assert session.run([put(session, attack("trees")), "long"]).exit_code == 0
    found = afterwards(session)
    assert len(found) < 50
    assert found[max(found, key=len)].digest == "cut"


def test_sixty_thousand_files_are_read(session: EmbeddedSession, attack: Compile) -> None:
    assert session.run([put(session, attack("trees")), "wide", "60000"], timeout=patience(60)).exit_code == 0
    assert len(changed(session)) == 60002


def test_what_is_closed_to_all_is_read_all_the_same(session: EmbeddedSession) -> None:
    """Directories and files without any rights, at several depths: the reward must not miss what is in them."""
    script = """mkdir -p /tmp/a/b/c; echo hidden > /tmp/a/b/c/f; ln -s x /tmp/a/b/l; echo hidden > /tmp/open
        chmod 0 /tmp/a/b/c/f /tmp/a/b/c /tmp/a/b /tmp/a; echo more >> /etc/hosts; chmod 0 /etc/hosts /etc"""
    shell(session, script)
    found = afterwards(session)
    inside = {"/tmp/a", "/tmp/a/b", "/tmp/a/b/c", "/tmp/a/b/c/f", "/tmp/a/b/l"}
    assert set(found) == {*inside, "/tmp/open", "/etc", "/etc/hosts"}
    assert "unreadable" not in {entry.digest for entry in found.values()}
    assert found["/tmp/a/b/c/f"].digest == found["/tmp/open"].digest
    assert found["/tmp/a/b/l"].digest == "x"


def test_a_root_that_is_closed_to_all_is_read_all_the_same(session: EmbeddedSession) -> None:
    """The file system's own root: no way leads round it."""
    shell(session, "echo x > /new; rm /etc/hosts; chmod 0 /")
    found = changed(session)
    assert set(found) == {"/new", "/etc/hosts"}
    assert session.read("/new") == b"x\n"
    with session.snapshot():
        pass


@pytest.mark.parametrize("closed", ["/etc", "/etc/ld.so.conf.d"])
def test_deletions_are_seen_in_a_folder_that_is_closed_to_all(session: EmbeddedSession, closed: str) -> None:
    """Folders made anew hide what was there by a mark, and closed folders hide the mark from all but their root."""
    inside = set(shell(session, "find /etc -mindepth 1").text.split())
    assert any(path.startswith("/etc/ld.so.conf.d/") for path in inside)
    shell(session, f"rm -r /etc; mkdir -p /etc/ld.so.conf.d; echo x > /etc/kept; chmod 0 {closed}")
    gone = {path for path, change in changed(session).items() if change.after is None}
    assert gone == inside - {"/etc/ld.so.conf.d"}


def test_files_of_other_users_are_read_too(session: EmbeddedSession) -> None:
    if shell(session, "chown 1234:2345 /tmp").exit_code:
        pytest.skip("this sandbox has a single user, as the machine gives no range of them")
    shell(
        session, "mkdir /tmp/a; echo x > /tmp/a/f; chown 1234:2345 /tmp/a/f /tmp/a; chmod 0 /tmp/a/f; chmod 700 /tmp/a"
    )
    found = afterwards(session)
    assert {(entry.uid, entry.gid) for entry in found.values()} == {(1234, 2345)}
    assert found["/tmp/a/f"].digest not in ("", "unreadable")


def test_a_tree_that_changes_while_it_is_read_is_read_all_the_same(session: EmbeddedSession, attack: Compile) -> None:
    """Links, folders, files and pipes take each other's places: no error, no wait, no way out of the tree."""
    with closing(session.open([put(session, attack("churn"))])) as process:
        assert process.receive(30) == b"ready\n"
        for _ in range(200):
            assert all(path.startswith("/tmp/") for path in changed(session))


# Marks of the file system


def test_marks_of_overlayfs_cannot_be_forged(session: EmbeddedSession, attack: Compile) -> None:
    """It keeps them in attributes: set by an agent they would hide deletions, or what is below."""
    found = outcomes(session, attack("marks"))
    assert not any(result == "done" and ":trusted." in name for name, result in found.items())
    for place in set(os.listdir(session.upper)) & {"home", "etc"}:
        assert _marks(session, place) <= {"origin", "impure"}
    assert set(changed(session)) == {"/tmp/attack", "/tmp/new"}
    assert shell(session, "ls -d /home/user /etc/passwd").text.split() == ["/etc/passwd", "/home/user"]
    shell(session, "rm -r /home/user")
    assert changed(session)["/home/user"].after is None


def _marks(session: EmbeddedSession, place: str) -> set[str]:
    """The marks that overlayfs sees on a folder of the upper layer; what is set from inside gets another prefix."""
    folder = os.open(place, os.O_RDONLY, dir_fd=session.upper)
    try:
        prefix = session.opaque.removesuffix("opaque")
        names = {name.removeprefix(prefix) for name in os.listxattr(folder) if name.startswith(prefix)}
        return {name for name in names if not name.startswith("overlay.")}
    finally:
        os.close(folder)


def test_a_snapshot_keeps_what_was_deleted_deleted(start: Start, attack: Compile) -> None:
    """A mark goes along into a snapshot, however many attributes an agent hides it among."""
    session = start()
    shell(session, "rm -r /etc/ld.so.conf.d /home/user; mkdir /etc/ld.so.conf.d /home/user")
    session.run([put(session, attack("marks")), "/etc/ld.so.conf.d"])
    with session.snapshot() as snapshot:
        branch = start(snapshot)
        assert shell(branch, "ls -A /etc/ld.so.conf.d").text == ""
        assert afterwards(branch) == afterwards(session)
        assert changed(branch).keys() == changed(session).keys()


def test_a_snapshot_of_everything_odd_is_the_same(start: Start) -> None:
    """Pipes, links, holes, hard links, closed folders, deletions: a branch goes on from exactly that."""
    session = start()
    script = """cd /tmp; mkfifo p; ln -s /nowhere l; truncate -s 1T holes; echo x > a; ln a b; mkdir -m 0 closed
        touch -d 2001-01-01 old; rm /etc/hosts; rm -r /home/user; mkdir /home/user; chmod 0 /var
        printf x > $'new\\nline'; printf x > $'\\xff'"""
    shell(session, script)
    with session.snapshot() as snapshot:
        branch = start(snapshot)
        assert afterwards(branch) == afterwards(session)
        assert changed(branch).keys() == changed(session).keys()
        assert shell(branch, "stat -c %h /tmp/a /tmp/b; stat -c %b /tmp/holes").text.split() == ["2", "2", "0"]


# Layers that scripts make


def test_a_scripts_layer_holds_what_is_closed_to_all(layered: Layered) -> None:
    """Whoever builds: files without rights, folders that were made anew and closed, and a root that is."""
    script = """echo secret > /data/secret; chmod 0 /data/secret; chown 1234 /data/secret || true
        rm -r /data/old; mkdir -p /data/old/inner; touch /data/old/new; chmod 0 /data/old /data/old/inner /"""
    session = layered(script)
    assert shell(session, "cat /data/secret; cd /data; find . -mindepth 1 | LC_ALL=C sort").text.split() == [
        "secret", "./old", "./old/inner", "./old/new", "./secret"
    ]  # fmt: skip
    assert session.changes() == []


@long_files
def test_a_scripts_layer_is_no_longer_than_its_disk(layered: Layered) -> None:
    """Holes take no room in the sandbox; in an archive they do, and it would fill the machine's disk."""
    with pytest.raises(ImageError, match=r"longer than 4096 MiB: /data/holes does not fit"):
        layered("truncate -s 8T /data/holes")


# Reading and writing by name


def test_links_lead_only_within_the_session(session: EmbeddedSession, tmp_path: Path) -> None:
    """An absolute link, one with too many steps up, one through the session's own root: all end inside."""
    secret = tmp_path / "secret"
    secret.write_text("secret")
    script = f"ln -s '{secret}' /tmp/a; ln -s ../../../../../etc/passwd /tmp/b; ln -s /proc/self/root/etc/passwd /tmp/c"
    shell(session, script)
    with unchanged(str(secret), "/etc/passwd"):
        with pytest.raises(FileNotFoundError):
            session.read("/tmp/a")
        assert session.read("/tmp/b") == session.read("/etc/passwd") != Path("/etc/passwd").read_bytes()
        with pytest.raises(OSError, match="symbolic links"):
            session.read("/tmp/c")
        session.write("/tmp/b", b"pwned")
        assert session.read("/etc/passwd") == b"pwned"


def test_open_files_of_the_first_process_are_not_to_be_had(session: EmbeddedSession) -> None:
    """Links to its channel, to the upper layer, to the image's own folders: nothing is read, written or made there."""
    shell(session, "true")  # the first command makes what a session keeps for the next ones
    before = descriptors()
    for place in (f"/proc/{who}/fd/{number}" for who in ("1", "self") for number in range(12)):
        shell(session, f"ln -sfn {place} /tmp/link")
        for path in ("/tmp/link", "/tmp/link/made", "/tmp/link/etc/made/deeper"):
            with pytest.raises(OSError):  # noqa: PT011
                session.write(path, b"pwned")
            with pytest.raises(OSError):  # noqa: PT011
                session.read(path)
    assert set(changed(session)) == {"/tmp/link"}
    assert shell(session, "find / -xdev -name made -o -xdev -name deeper").text == ""
    assert held_since(before, in_use=1) == []


def test_what_the_kernel_shows_of_the_first_process_is_no_secret(session: EmbeddedSession) -> None:
    """The host opens as process 1 does, which may look at itself."""
    targets = {"a": "/proc/self/environ", "b": "/proc/1/mem", "c": "/proc/1/oom_score_adj", "d": "/proc/self/uid_map"}
    shell(session, "; ".join(f"ln -s {target} /tmp/{name}" for name, target in targets.items()))
    assert session.read("/tmp/a") in (b"", b"PWD=/\0")
    for path in ("/tmp/b", "/tmp/c", "/tmp/d"):
        with pytest.raises(OSError):  # noqa: PT011
            session.write(path, b"1000")
    assert session.run(["/bin/echo", "alive"], timeout=patience(10)).output == b"alive\n"


@long_files
def test_only_as_much_is_read_as_was_asked_for(session: EmbeddedSession) -> None:
    shell(session, "truncate -s 8T /tmp/big; ln -s /proc/kallsyms /tmp/long")
    assert session.read("/tmp/big", limit=1000) == bytes(1000)
    assert len(session.read("/tmp/long", limit=1000)) <= 1000


def test_locks_on_a_file_hold_up_nothing(session: EmbeddedSession, attack: Compile) -> None:
    with closing(session.open([put(session, attack("locks"))])) as process:
        assert process.receive(30) == b"ready\n"
        began = time.monotonic()
        assert session.read("/tmp/file") == b"x"
        assert "/tmp/file" in changed(session)
        session.write("/tmp/file", b"y")
        assert time.monotonic() - began < patience(SECONDS), "a lease is kept for 45"


def test_a_written_file_is_where_and_as_it_was_asked_for(session: EmbeddedSession) -> None:
    """A dangling link is followed, inside; a file in a folder's place is an error; owner and mode are as asked."""
    session.write("/tmp/deep/er/file", b"x", mode=0o640)
    assert shell(session, "stat -c '%a %u %g' /tmp/deep/er/file").text == "640 0 0\n"
    shell(session, "ln -s /tmp/target /tmp/dangling; echo > /tmp/plain")
    session.write("/tmp/dangling", b"x")
    assert session.read("/tmp/target") == b"x"
    with pytest.raises(OSError, match="Not a directory"):
        session.write("/tmp/plain/file", b"x")
    for path in ("/tmp/with\0nul", "/" + "n" * 5000):
        with pytest.raises(OSError):  # noqa: PT011
            session.write(path, b"x")
