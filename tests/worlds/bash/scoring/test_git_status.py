"""The text is held against the real git's, on trees that random commands have changed."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from intercode.worlds.bash.scoring.git_status import git_status, quote_path, touches_git
from intercode.worlds.bash.scoring.git_tracked import IGNORED, TrackedFiles
from intercode_sandbox.sandbox import Change, Entry, FileType
from worlds.bash.scoring.reward_values import edited, file, folder, gone, link, new, touched

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="needs git to compare with")

NAMES = ["a", "b", "c.txt", "a b", "é", 'q"', "t\tab", "back\\slash", "\udcff", "lib", "var", ".dockerenv", "ab", "a-"]
names = st.sampled_from(NAMES)
paths = st.lists(names, min_size=1, max_size=3).map("/".join)
trees = st.dictionaries(paths, st.sampled_from(["", "1", "22", "exe", "link"]), max_size=8)
deeds = st.sampled_from(["write", "edit", "remove", "folder", "mode", "link", "fifo", "move", "touch"])
mutations = st.lists(st.tuples(deeds, st.integers(0, 9) | paths, paths), max_size=6)


@needs_git
@given(trees, mutations)
@settings(max_examples=40, deadline=None)
def test_it_prints_what_git_prints(tree: dict[str, str], changed: list[tuple[str, str | int, str]]) -> None:
    with TemporaryDirectory() as name:
        root = Path(name)
        (root / ".gitignore").write_text("\n".join(sorted(IGNORED)))
        for path, content in tree.items():
            make(root, path, content)
        git(root, "init", "-q", "--template=")
        git(root, "add", "-A")
        git(root, "-c", "user.name=n", "-c", "user.email=e@x", "commit", "-qm", "first")
        before = scan(root)
        for what, which, other in changed:
            mutate(root, what, which if isinstance(which, str) else pick(before, which), other)
        tracked = TrackedFiles.of(path for path, entry in before.items() if entry.type in ("file", "symlink"))
        found = difference(before, scan(root))
        assert touches_git(found) or git_status(found, tracked) == git(root, "status", "--short")


def pick(before: dict[str, Entry], index: int) -> str:
    """One of the paths that were committed, so that what is tracked is changed often."""
    committed = [path[1:] for path in before if path != "/.gitignore"]
    return committed[index % len(committed)] if committed else "none"


def make(root: Path, path: str, content: str) -> None:
    """Put a file, an executable or a link there, unless something is in the way."""
    target = root / path
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        if content == "link":
            target.symlink_to("a")
        elif target.is_file() or not os.path.lexists(target):
            target.write_text(content)
            target.chmod(0o755 if content == "exe" else 0o644)
    except OSError:
        return


def mutate(root: Path, what: str, path: str, other: str) -> None:
    """Do one thing to the tree, unless something is in the way."""
    target = root / path
    try:
        if what == "write":
            make(root, path, "new")
        elif what == "edit" and target.is_file():
            target.write_text("edited")
        elif what == "remove":
            clear(target)
        elif what == "folder":
            clear(target)
            make(root, f"{path}/{other}", "new")
        elif what == "mode" and target.is_file():
            target.chmod(target.stat().st_mode ^ 0o100)
        elif what == "link":
            clear(target)
            target.symlink_to(other)
        elif what == "fifo":
            clear(target)
            os.mkfifo(target)
        elif what == "move":
            target.rename(root / other)
        elif what == "touch":
            os.utime(target, (1, 1))
    except OSError:
        return


def clear(target: Path) -> None:
    if target.is_dir() and not target.is_symlink():
        shutil.rmtree(target)
    else:
        target.unlink(missing_ok=True)


def git(root: Path, *arguments: str) -> str:
    settings = {"PATH": os.environ["PATH"], "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C"}
    done = subprocess.run(["git", *arguments], cwd=root, env=settings, capture_output=True, check=True, timeout=60)
    return done.stdout.decode()


def scan(root: Path) -> dict[str, Entry]:
    return {"/" + os.path.relpath(path, root): entry(path) for path in walk(str(root))}


def walk(folder: str) -> Iterator[str]:
    for found in sorted(os.scandir(folder), key=lambda found: found.name):
        if found.name != ".git":
            yield found.path
            if found.is_dir(follow_symlinks=False):
                yield from walk(found.path)


def entry(path: str) -> Entry:
    status = os.lstat(path)
    types: dict[int, FileType] = {stat.S_IFREG: "file", stat.S_IFDIR: "directory", stat.S_IFLNK: "symlink"}
    kind = types.get(stat.S_IFMT(status.st_mode), "fifo")
    return Entry(kind, stat.S_IMODE(status.st_mode), 0, 0, status.st_size, status.st_mtime_ns, digest(path, kind))


def digest(path: str, kind: FileType) -> str:
    if kind == "file":
        return sha256(Path(path).read_bytes()).hexdigest()
    return sha256(os.fsencode(os.readlink(path))).hexdigest() if kind == "symlink" else ""


def difference(before: dict[str, Entry], after: dict[str, Entry]) -> list[Change]:
    found = [Change(path, before.get(path), after.get(path)) for path in sorted(before.keys() | after.keys())]
    return [change for change in found if change.before != change.after]


TRACKED = TrackedFiles.of(["/testbed/a.txt", "/testbed/dir1/b.txt", "/index.html"])


def test_nothing_changed_is_an_empty_text() -> None:
    assert git_status([], TRACKED) == ""


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (edited("/index.html"), " M index.html\n"),
        (edited("/index.html", file(mode=0o644), file(mode=0o755)), " M index.html\n"),
        (edited("/index.html", file(mode=0o755), file(mode=0o4111)), ""),
        (edited("/index.html", file(uid=0), file(uid=1000)), ""),
        (touched("/index.html"), ""),
        (edited("/index.html", file(), link("x")), " T index.html\n"),
        (gone("/testbed/a.txt"), " D testbed/a.txt\n"),
        (new("/new"), "?? new\n"),
        (new("/testbed/dir1/new"), "?? testbed/dir1/new\n"),
        (new("/testbed/dir2/sub/new"), "?? testbed/dir2/\n"),
        (new("/testbed/link", link("/nowhere")), "?? testbed/link\n"),
        (new("/testbed/empty", folder()), ""),
        (new("/etc/new"), ""),
        (new("/testbed/lib/new"), ""),
        (new("/testbed/two words"), '?? "testbed/two words"\n'),
        (new("/testbed/Icon\r"), '?? "testbed/Icon\\r"\n'),
    ],
)
def test_one_change(change: Change, expected: str) -> None:
    assert git_status([change], TRACKED) == expected


def test_a_directory_turned_into_a_link_loses_its_files_and_is_untracked() -> None:
    """So says git too, but where the link leads into a circle: so it is asked."""
    found = [edited("/testbed/dir1", folder(), link("/x")), gone("/testbed/dir1/b.txt")]
    assert git_status(found, TRACKED) == " D testbed/dir1/b.txt\n?? testbed/dir1\n"
    assert touches_git(found)


def test_bytes_that_are_not_utf_8_are_quoted_as_octals() -> None:
    assert quote_path(b"\xff\xc3\xa9\x7f") == '"\\377\\303\\251\\177"'


@pytest.mark.parametrize(
    "change",
    [
        new("/.git/info/exclude"),
        gone("/.git", folder()),
        edited("/.git/index"),
        edited("/.gitignore"),
        new("/testbed/.gitignore"),
        new("/testbed/dir1/.gitattributes"),
        new("/testbed/repo/.git", folder()),
        new("/root/.gitconfig"),
        new("/root/.config/git/ignore"),
        new("/etc/gitconfig"),
        new("/usr/local/bin/git", link("/bin/true")),
        edited("/usr/bin/git"),
        gone("/usr/lib/x86_64-linux-gnu/libc.so.6"),
        gone("/lib", link("usr/lib")),
    ],
)
def test_what_may_steer_git_is_noticed(change: Change) -> None:
    assert touches_git([new("/harmless"), change])


@pytest.mark.parametrize(
    "change",
    [
        edited("/testbed/a.txt"),
        new("/usr/local/bin/tool"),
        new("/testbed/git"),
        new("/root/repo/.git/config"),
        new("/testbed/lib/.gitignore"),
        touched("/usr/lib", entry=folder()),
        new("/library/git.txt"),
    ],
)
def test_what_cannot_steer_git_is_not(change: Change) -> None:
    assert not touches_git([change])
