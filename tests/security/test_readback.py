"""Attacks on whoever reads the session's files from outside: changes, read, write, snapshots."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from intercode.sandboxes.base import Change, Session

from .conftest import Compile, Start
from .host import descriptors, new_marker, outcomes, shell

SECONDS = 20.0
"""Far more than reading takes, far less than what is laid out as a trap."""


def changed(session: Session) -> dict[str, Change]:
    """What changed, by path; it must come soon, and leave no descriptor open."""
    before, began = descriptors(), time.monotonic()
    found = {change.path: change for change in session.changes()}
    assert time.monotonic() - began < SECONDS
    assert descriptors() == before
    return found


@contextmanager
def unchanged(*paths: str) -> Iterator[None]:
    """Nothing is done to these files of the host."""
    before = [(os.lstat(path).st_mode, os.lstat(path).st_mtime_ns, Path(path).read_bytes()) for path in paths]
    yield
    assert [(os.lstat(path).st_mode, os.lstat(path).st_mtime_ns, Path(path).read_bytes()) for path in paths] == before


# Traps in the tree


def test_links_are_told_and_not_followed(session: Session, tmp_path: Path) -> None:
    """To files of the host, to what is endless, to themselves."""
    (tmp_path / "secret").write_text("secret")
    targets = {
        "a": str(tmp_path / "secret"),
        "b": "/dev/zero",
        "c": "c",
        "d": "../" * 50 + "etc/passwd",
        "e": "/proc/self/root",
    }
    shell(session, "; ".join(f"ln -s '{target}' /tmp/{name}" for name, target in targets.items()))
    found = changed(session)
    assert {path: (change.after.type, change.after.digest) for path, change in found.items() if change.after} == {
        f"/tmp/{name}": ("symlink", target) for name, target in targets.items()
    }


def test_a_directory_that_became_a_link_is_a_link(session: Session) -> None:
    """What was below it is gone; nothing is looked for where it points."""
    shell(
        session,
        "rm -r /home/user; ln -s /usr /home/user; rm -r /etc/ld.so.conf.d; ln -s /proc/1/root /etc/ld.so.conf.d",
    )
    found = changed(session)
    assert found["/home/user"].after is not None
    assert found["/home/user"].after.type == "symlink"
    assert not any(path.startswith(("/home/user/", "/usr")) for path in found)


def test_pipes_sockets_and_devices_are_told_and_not_opened(session: Session) -> None:
    """A pipe that nobody writes to would be waited for, for ever."""
    shell(session, "mkfifo /tmp/pipe /etc/passwd.pipe; rm /etc/hosts; mkfifo /etc/hosts; mknod /tmp/null c 1 3")
    shell(session, "(exec 3<>/tmp/pipe; sleep 100) >/dev/null 2>&1 &")
    shell(session, "python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind(\"/tmp/socket\")'")
    found = {path: change.after.type for path, change in changed(session).items() if change.after}
    assert found.pop("/tmp/socket", "socket") == "socket"
    assert found == {"/tmp/pipe": "fifo", "/etc/passwd.pipe": "fifo", "/etc/hosts": "fifo"}
    for path in ("/tmp/pipe", "/etc/hosts", "/dev/zero", "/dev/tty", "/dev/pts/ptmx", "/etc", "/proc/1/fd/3"):
        with pytest.raises(OSError):  # noqa: PT011
            session.read(path)
        with pytest.raises(OSError):  # noqa: PT011
            session.write(path, b"x")


def test_names_may_be_any_bytes(session: Session) -> None:
    names = [b"new\nline", b"\xff\xfe", b"a" * 255, b" ", b"-rf", b"\x1b[31m", "é漢".encode(), b"tab\t", b"quote'\""]
    for name in names:
        session.write("/tmp/" + os.fsdecode(name), b"x")
    assert {os.fsencode(path) for path in changed(session)} == {b"/tmp/" + name for name in names}
    for name in names:
        assert session.read("/tmp/" + os.fsdecode(name)) == b"x"


@pytest.mark.parametrize("size", ["8T", "64M"])
def test_files_that_are_all_holes_cost_nothing(session: Session, size: str) -> None:
    """One of 8 TB, and two hundred of a size that looks harmless."""
    count = 3 if size == "8T" else 200
    shell(session, f"cd /tmp; for i in {{1..{count}}}; do truncate -s {size} $i; done; for i in {{1..1000}}; do "
                   f"echo x | dd of=1 bs=1 seek=$((i * 3000000)) conv=notrunc status=none; done", timeout=60)  # fmt: skip
    before = session.read("/tmp/1", limit=100)
    began = time.monotonic()
    found = changed(session)
    assert len(found) == count
    assert time.monotonic() - began < 10
    assert found["/tmp/2"].after
    assert found["/tmp/3"].after
    assert found["/tmp/2"].after.digest == found["/tmp/3"].after.digest
    assert found["/tmp/1"].after
    assert found["/tmp/1"].after.digest != found["/tmp/2"].after.digest
    assert before == bytes(100)


def test_holes_do_not_change_what_a_file_is(session: Session) -> None:
    """The same bytes with and without holes are the same; a byte more or elsewhere is not."""
    shell(session, """cd /tmp
        truncate -s 3M a; echo x | dd of=a bs=1 seek=1000000 conv=notrunc status=none
        cp --sparse=never a b; cp --sparse=always a c; cp a d; truncate -s +1 d
        truncate -s 3M e; echo x | dd of=e bs=1 seek=1000001 conv=notrunc status=none""")  # fmt: skip
    digests = {path[-1]: change.after.digest for path, change in changed(session).items() if change.after}
    assert digests["a"] == digests["b"] == digests["c"]
    assert len(set(digests.values())) == 3


def test_a_file_of_many_names_is_read_once(session: Session) -> None:
    """A hundred names for as many megabytes as fit would be gigabytes to read."""
    shell(session, "cd /tmp; head -c 100M /dev/zero | tr '\\0' x > f; for i in {1..200}; do ln f $i; done", timeout=60)
    found = changed(session)
    assert len(found) == 201
    assert len({change.after.digest for change in found.values() if change.after}) == 1


def test_a_tree_five_thousand_deep_is_cut(session: Session, attack: Compile) -> None:
    """And said to be cut; a snapshot has all of it."""
    source = '#include "attack.h"\nint main(void) { chdir("/tmp"); for (int i = 0; i < 5000; i++) if (mkdir("d", 0755) || chdir("d")) return 1;' \
             'return creat("deep", 0644) < 0; }\n'  # fmt: skip
    session.write("/tmp/attack", attack(source), mode=0o755)
    assert session.run(["/tmp/attack"]).exit_code == 0
    found = changed(session)
    deepest = max(found, key=len)
    assert deepest.count("/") < 200
    last = found[deepest].after
    assert last is not None
    assert last.digest == "cut"
    with session.snapshot():
        pass


def test_paths_too_long_to_be_opened_are_cut(session: Session, attack: Compile) -> None:
    """A name of 255 bytes in another, and closed to all: the host can go there neither by path nor by right."""
    source = '#include "attack.h"\nint main(void) { char name[256]; memset(name, \'n\', 255); name[255] = 0; chdir("/tmp");' \
             'for (int i = 0; i < 100; i++) { mkdir(name, 0700); if (chdir(name) < 0) return 1; }' \
             'for (int i = 0; i < 3000; i++) { snprintf(name, 256, "%0200d", i); close(creat(name, 0)); }' \
             'for (int i = 0; i < 100; i++) { chmod(".", 0); chdir(".."); } return 0; }\n'  # fmt: skip
    session.write("/tmp/attack", attack(source), mode=0o755)
    assert session.run(["/tmp/attack"]).exit_code == 0
    found = changed(session)
    assert len(found) < 50
    deepest = found[max(found, key=len)].after
    assert deepest is not None
    assert deepest.digest == "cut"


def test_what_is_closed_to_all_is_read_all_the_same(session: Session) -> None:
    """Directories and files without any rights, at several depths: the reward must not miss what is in them."""
    shell(
        session,
        "mkdir -p /tmp/a/b/c; echo hidden > /tmp/a/b/c/f; ln -s x /tmp/a/b/l; chmod 0 /tmp/a/b/c/f /tmp/a/b/c /tmp/a/b /tmp/a",
    )
    shell(session, "echo more >> /etc/hosts; chmod 0 /etc/hosts /etc")
    found = changed(session)
    assert set(found) == {"/tmp/a", "/tmp/a/b", "/tmp/a/b/c", "/tmp/a/b/c/f", "/tmp/a/b/l", "/etc", "/etc/hosts"}
    digests = {path: change.after.digest for path, change in found.items() if change.after}
    assert "unreadable" not in digests.values()
    shell(session, "chmod 755 /tmp/a /tmp/a/b /tmp/a/b/c; echo hidden > /tmp/open")
    assert changed(session)["/tmp/open"].after.digest == digests["/tmp/a/b/c/f"]  # type: ignore[union-attr]


def test_files_of_other_users_are_read_too(session: Session) -> None:
    if (
        int(shell(session, "cat /proc/self/uid_map").text.split()[2]) == 1
        and "\n" not in shell(session, "cat /proc/self/uid_map").text.strip()
    ):
        pytest.skip("this sandbox has one user only, as the machine gives an ordinary user no range of them")
    shell(
        session, "mkdir /tmp/a; echo x > /tmp/a/f; chown 1234:2345 /tmp/a/f /tmp/a; chmod 0 /tmp/a/f; chmod 700 /tmp/a"
    )
    found = changed(session)
    for path in ("/tmp/a", "/tmp/a/f"):
        after = found[path].after
        assert after is not None
        assert (after.uid, after.gid) == (1234, 2345)
    assert found["/tmp/a/f"].after.digest not in ("", "unreadable")  # type: ignore[union-attr]


def test_sixty_thousand_files_are_read(session: Session, attack: Compile) -> None:
    source = '#include "attack.h"\nint main(void) { char name[64]; mkdir("/tmp/n", 0755); chdir("/tmp/n"); for (int i = 0; i < 60000; i++)' \
             '{ snprintf(name, 64, "%d", i); int f = creat(name, 0644); if (f < 0) return 1; write(f, name, 1); close(f); } return 0; }\n'  # fmt: skip
    session.write("/tmp/attack", attack(source), mode=0o755)
    assert session.run(["/tmp/attack"]).exit_code == 0
    assert len(changed(session)) == 60002


def test_a_tree_that_changes_while_it_is_read_is_read_all_the_same(session: Session, attack: Compile) -> None:
    """Links, folders, files and pipes take each other's places, a file grows without end: no error, no wait, no escape."""
    source = """#include "attack.h"
int main(void) {
    mkdir("/tmp/w", 0755); chdir("/tmp/w");
    if (fork() == 0) for (;;) { int f = open("t", O_WRONLY | O_NONBLOCK); write(f, "x", 1); close(f); }
    if (fork() == 0) for (off_t i = 1; ; i++) { int f = open("big", O_WRONLY | O_CREAT, 0644); ftruncate(f, (i % 8 + 1) << 40); close(f); unlink("big"); }
    write(1, "up", 2);
    for (;;) {
        symlink("/", "t"); unlink("t"); mkdir("t", 0755); symlink("/etc", "t/x"); unlink("t/x"); rmdir("t");
        close(creat("t", 0644)); unlink("t"); mkfifo("t", 0644); unlink("t");
        mkdir("t", 0); mkdir("t2", 0755); rename("t2", "t"); rename("t", "t2"); rmdir("t2"); rmdir("t");
    }
}
"""
    session.write("/tmp/attack", attack(source), mode=0o755)
    with closing(session.open(["/tmp/attack"])) as process:
        assert process.receive(5) == b"up"
        for _ in range(200):
            assert all(path.startswith("/tmp/") for path in changed(session))


def test_marks_of_the_file_system_itself_cannot_be_forged(session: Session, attack: Compile) -> None:
    """Overlayfs keeps its marks in attributes: set by an agent they would hide deletions, or what is below."""
    source = """#include "attack.h"
#include <sys/xattr.h>
int main(void) {
    static const char *const marks[] = {"opaque", "whiteout", "redirect", "metacopy", "origin", "impure", "nlink", "overlay.opaque"};
    static const char *const places[] = {"/home", "/etc", "/etc/hosts", "/tmp/new"};
    mkdir("/tmp/new", 0755);
    for (int p = 0; p < 4; p++) for (int m = 0; m < 8; m++) {
        char name[64], label[128];
        for (int kind = 0; kind < 2; kind++) {
            snprintf(name, sizeof name, "%s.overlay.%s", kind ? "trusted" : "user", marks[m]);
            snprintf(label, sizeof label, "%s:%s", places[p], name);
            ATTEMPT(label, setxattr(places[p], name, "y", 1, 0));
        }
    }
    return 0;
}
"""
    found = outcomes(session, attack(source))
    assert not any(result == "done" and ":trusted." in name for name, result in found.items())
    folder = os.open("home", os.O_RDONLY, dir_fd=session.upper) if _has(session, "home") else -1  # type: ignore[attr-defined]
    if folder >= 0:
        own = {name for name in os.listxattr(folder) if name.startswith("user.overlay.")}
        os.close(folder)
        assert own <= {"user.overlay.origin", "user.overlay.impure"} | {
            name for name in own if name.startswith("user.overlay.overlay.")
        }
    assert set(changed(session)) == {"/tmp/attack", "/tmp/new"}
    assert shell(session, "ls /home /etc/passwd").text.split() == ["/etc/passwd", "/home:", "user"]
    shell(session, "rm -r /home/user")
    assert changed(session)["/home/user"].after is None


def test_a_snapshot_keeps_what_was_deleted_deleted(start: Start, attack: Compile) -> None:
    """A mark of the file system's own goes along into a snapshot, however many attributes an agent hides it among."""
    session = start()
    source = '#include "attack.h"\n#include <sys/xattr.h>\nint main(int c, char **v) { char name[256]; for (int i = 0; i < 60; i++) {' \
             'snprintf(name, 256, "user.%0240d", i); if (setxattr(v[1], name, "y", 1, 0)) return 1; } return 0; }\n'  # fmt: skip
    session.write("/tmp/attack", attack(source), mode=0o755)
    shell(session, "rm -r /etc/ld.so.conf.d /home/user; mkdir /etc/ld.so.conf.d /home/user")
    assert session.run(["/tmp/attack", "/etc/ld.so.conf.d"]).exit_code == 0
    with session.snapshot() as snapshot:
        branch = start(snapshot=snapshot)
        assert shell(branch, "ls -A /etc/ld.so.conf.d").text == ""
        assert _gist(changed(branch)) == _gist(changed(session))


def test_a_snapshot_of_everything_odd_is_the_same(start: Start) -> None:
    """Pipes, links, holes, hard links, closed folders, deletions: a branch goes on from exactly that."""
    session = start()
    shell(session, """cd /tmp; mkfifo p; ln -s /nowhere l; truncate -s 1T holes; echo x > a; ln a b; mkdir -m 0 closed; touch -d 2001-01-01 old
        rm /etc/hosts; rm -r /home/user; mkdir /home/user; chmod 0 /var; printf x > $'new\\nline'; printf x > $'\\xff'""")  # fmt: skip
    with session.snapshot() as snapshot:
        branch = start(snapshot=snapshot)
        assert _gist(changed(branch)) == _gist(changed(session))
        assert shell(branch, "stat -c %h /tmp/a /tmp/b; stat -c %b /tmp/holes").text.split() == ["2", "2", "0"]


# Reading and writing by name


def test_links_lead_only_within_the_session(session: Session, tmp_path: Path) -> None:
    """An absolute link, one with too many steps up, one through the session's own root: all end inside."""
    (tmp_path / "secret").write_text("secret")
    shell(
        session,
        f"ln -s '{tmp_path}/secret' /tmp/a; ln -s ../../../../../etc/passwd /tmp/b; ln -s /proc/self/root/etc/passwd /tmp/c",
    )
    with unchanged(str(tmp_path / "secret"), "/etc/passwd"):
        with pytest.raises(FileNotFoundError):
            session.read("/tmp/a")
        assert session.read("/tmp/b") == session.read("/etc/passwd") != Path("/etc/passwd").read_bytes()
        with pytest.raises(OSError, match="symbolic links"):
            session.read("/tmp/c")
        session.write("/tmp/b", b"pwned")
        assert session.read("/etc/passwd") == b"pwned"


def test_descriptors_of_the_first_process_cannot_be_written_through(session: Session) -> None:
    """Links to its open files: its channel to the host, the upper layer, the image's own folders."""
    before = descriptors()
    for number in range(12):
        for place in (f"/proc/1/fd/{number}", f"/proc/self/fd/{number}"):
            shell(session, f"ln -sfn {place} /tmp/link")
            for path in ("/tmp/link", "/tmp/link/made", "/tmp/link/etc/made/deeper"):
                with pytest.raises(OSError):  # noqa: PT011
                    session.write(path, b"pwned")
                with pytest.raises(OSError):  # noqa: PT011
                    session.read(path)
    assert set(changed(session)) == {"/tmp/link"}
    assert shell(session, "find / -xdev -name made -o -xdev -name deeper").text == ""
    assert descriptors() == before


def test_what_the_kernel_shows_of_the_first_process_tells_nothing(session: Session) -> None:
    """The host opens as process 1 does: what that says of itself must be no secret, and no way in."""
    secret = new_marker()
    shell(
        session,
        "ln -s /proc/self/environ /tmp/a; ln -s /proc/1/mem /tmp/b; ln -s /proc/1/oom_score_adj /tmp/c; ln -s /proc/self/uid_map /tmp/d",
    )
    assert secret not in session.read("/tmp/a").decode()
    assert session.read("/tmp/a") in (b"", b"PWD=/\0")
    for path in ("/tmp/b", "/tmp/c", "/tmp/d"):
        with pytest.raises(OSError):  # noqa: PT011
            session.write(path, b"1000")
    assert session.run(["/bin/echo", "alive"]).output == b"alive\n"


def test_only_as_much_is_read_as_was_asked_for(session: Session) -> None:
    shell(session, "truncate -s 8T /tmp/big; ln -s /proc/kallsyms /tmp/long")
    assert session.read("/tmp/big", limit=1000) == bytes(1000)
    assert len(session.read("/tmp/long", limit=1000)) <= 1000


def test_a_lock_or_lease_on_a_file_holds_up_nothing(session: Session, attack: Compile) -> None:
    source = '#include "attack.h"\n#include <sys/file.h>\nint main(void) { int f = open("/tmp/file", O_RDWR | O_CREAT, 0600);' \
             "flock(f, LOCK_EX); struct flock all = {.l_type = F_WRLCK}; fcntl(f, F_SETLK, &all); fcntl(f, F_SETLEASE, F_WRLCK);" \
             'write(f, "x", 1); write(1, "up", 2); pause(); }\n'  # fmt: skip
    session.write("/tmp/attack", attack(source), mode=0o755)
    with closing(session.open(["/tmp/attack"])) as process:
        assert process.receive(5) == b"up"
        began = time.monotonic()
        assert session.read("/tmp/file") == b"x"
        assert "/tmp/file" in changed(session)
        session.write("/tmp/file", b"y")
        assert time.monotonic() - began < 5


def test_a_written_file_is_where_and_as_it_was_asked_for(session: Session) -> None:
    """A dangling link is followed, inside; a folder above that is a file is an error; nothing gets special rights."""
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


def _has(session: Session, name: str) -> bool:
    return name in os.listdir(session.upper)  # type: ignore[attr-defined]


def _gist(found: dict[str, Change]) -> dict[str, object]:
    return {path: change.after for path, change in found.items()}


def test_modes_of_the_upper_layer_are_no_danger_outside(session: Session) -> None:
    """A set-user-id program that an agent makes is on a file system that no path of the host leads to."""
    shell(session, "cp /bin/bash /tmp/become; chmod 6755 /tmp/become")
    made = os.stat("tmp/become", dir_fd=session.upper)  # type: ignore[attr-defined]
    assert made.st_mode & stat.S_ISUID
    assert made.st_uid != 0
    devices = {
        os.stat(line.split()[4]).st_dev
        for line in Path("/proc/self/mountinfo").read_text().splitlines()
        if _is_there(line.split()[4])
    }
    assert made.st_dev not in devices


def _is_there(path: str) -> bool:
    try:
        os.stat(path)
    except OSError:
        return False
    return True
