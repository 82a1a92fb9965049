"""The published images, built and looked into: what the benchmark's container showed is what a session shows."""

from __future__ import annotations

import shutil
import subprocess
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from intercode.datasets.nl2bash.image import EMPTY, UNSET_AFTER, published_image
from intercode.datasets.sources import SOURCES
from intercode_sandbox.embedded import EmbeddedSandbox
from intercode_sandbox.images import Image
from intercode_sandbox.images.catalog import find
from intercode_sandbox.images.root_layers import TarLayer
from intercode_sandbox.sandbox import Session

STARTED = 1_700_000_000
TREES = {1: ["testbed", "index.html"], 2: ["system", ".placeholder"], 3: ["workspace", "backup"], 4: []}

SCRIPT = """#!/bin/bash
mkdir -p /testbed/empty/deep /testbed/full
echo old > /testbed/full/old.txt
touch -m -t202305312359.59 /testbed/full/old.txt
echo 'a "quoted" $word' > /testbed/new.txt
touch beside.txt
chmod 700 /testbed/new.txt
touch -t 20231331 /testbed/nonsense.txt
tar czf /testbed/full.tar.gz /testbed/full 2>/dev/null
false"""


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedSandbox]:
    """One with a cache of its own; owners of what is in it may be the sandbox's, so the layer builder removes it."""
    cache = tmp_path_factory.mktemp("cache")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("INTERCODE_CACHE", str(cache))
        with EmbeddedSandbox() as sandbox:
            yield sandbox
            sandbox.store.layer_builder.remove(cache)


@pytest.fixture(params=[1, 2, 3, 4])
def session(request: pytest.FixtureRequest, sandbox: EmbeddedSandbox, published: Path) -> Iterator[Session]:
    """A session of each file system, on this machine's programs."""
    image = published_image(find("host"), request.param, published / "nl2bash")
    with sandbox.start(image, started_at=STARTED) as session:
        yield session


def file_system(session: Session) -> int:
    return int(session.image.env["file_system_version"])


def run(session: Session, command: str) -> str:
    result = session.run(["bash", "-c", command])
    assert result.exit_code == 0, result.text
    return result.text


def facts(session: Session, *trees: str) -> dict[str, tuple[str, int, int]]:
    """Mode, size (of files) and time of everything below *trees*."""
    listing = run(session, f"cd /; find {' '.join(trees)} -printf '%p\\t%y\\t%m\\t%s\\t%T@\\n'") if trees else ""
    found = {}
    for line in listing.splitlines():
        path, kind, mode, size, time = line.split("\t")
        found[path] = (mode, int(size) if kind == "f" else 0, int(float(time)))
    return found


def test_it_holds_the_tree_of_the_set_up_script(session: Session, published: Path) -> None:
    """Same paths, modes, sizes; explicit times kept, all others the session's start; empty folders gone."""
    number = file_system(session)
    with tarfile.open(published / "nl2bash" / f"fs_{number}.tar.gz") as archive:
        expected = {
            member.name: (f"{member.mode:o}", member.size, int(member.mtime) if member.mtime < UNSET_AFTER else STARTED)
            for member in archive
            if not member.name.startswith(EMPTY)
        }
    assert facts(session, *TREES[number]) == expected


def test_its_content_is_the_archives(session: Session, published: Path) -> None:
    with tarfile.open(published / "nl2bash" / f"fs_{file_system(session)}.tar.gz") as archive:
        for member in archive:
            file = archive.extractfile(member)
            assert file is None or session.read(f"/{member.name}") == file.read()


def test_no_folder_is_empty_but_where_the_repository_does_not_look(session: Session) -> None:
    """`git clean` took them, /tmp and /mnt among them."""
    assert run(session, "find / -xdev -maxdepth 1 -name tmp -o -maxdepth 1 -name mnt") == ""
    trees = " ".join(f"/{tree}" for tree in TREES[file_system(session)])
    assert run(session, f"find {trees or '/setup*'} -type d -empty") == ""


def test_commands_see_the_published_environment(session: Session) -> None:
    number, host = file_system(session), session.image.hostname
    assert set(run(session, "env").splitlines()) - {"PWD=/", "SHLVL=0", "SHLVL=1", "_=/usr/bin/env"} == {
        "HOME=/root",
        "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        f"HOSTNAME={host}",
        f"file_system_version={number}",
        f"script=setup_nl2b_fs_{number}.sh",
    }
    assert len(bytes.fromhex(host)) == 6
    assert run(session, "cat /proc/sys/kernel/hostname /etc/hostname") == f"{host}\n{host}\n"
    assert run(session, "grep $HOSTNAME /etc/hosts") == f"172.17.0.2\t{host}\n"


def test_the_script_lies_at_the_root_for_every_glob_to_find(session: Session) -> None:
    """Of the published name, mode and size, though its content may be ours."""
    number = file_system(session)
    size = next(file.size for file in SOURCES["nl2bash"].files if file.name == f"setup_nl2b_fs_{number}.sh")
    assert run(session, "cd /; echo *.sh") == f"setup_nl2b_fs_{number}.sh\n"
    assert run(session, "stat -c '%a %s' /*.sh") == f"755 {size}\n"


def test_the_root_is_a_clean_repository_with_one_commit(session: Session) -> None:
    assert run(session, "cd /; git status --short; git log --format='%s %an %ae'") == (
        "initial commit intercode intercode@pnlp.org\n"
    )
    tracked = set(run(session, "cd /; git ls-files -z | tr '\\0' '\\n'").splitlines())
    number = file_system(session)
    files = {path for path, (mode, _, _) in facts(session, *TREES[number]).items() if not is_folder(session, path)}
    assert files | {".gitignore", f"setup_nl2b_fs_{number}.sh"} <= tracked
    assert not {path for path in tracked if path.startswith(("etc/", "usr/", "var/", "root/", ".dockerenv"))}


def is_folder(session: Session, path: str) -> bool:
    return session.run(["test", "-d", f"/{path}"]).exit_code == 0


def test_what_is_ignored_is_ignored_at_any_depth(session: Session) -> None:
    run(session, "mkdir -p /new/lib /tmp; echo 1 | tee /new/lib/a /new/b /etc/c /tmp/d")
    assert run(session, "cd /; git status --short -uall") == "?? new/b\n?? tmp/d\n"


def test_a_fresh_session_differs_in_nothing_from_its_image(session: Session) -> None:
    assert session.changes() == []


@pytest.fixture
def made(sandbox: EmbeddedSandbox, tmp_path: Path) -> Iterator[Session]:
    """A session of a file system of which only the set-up script is there."""
    (tmp_path / "setup_nl2b_fs_1.sh").write_text(SCRIPT)
    with sandbox.start(published_image(find("host"), 1, tmp_path), started_at=STARTED) as session:
        yield session


def test_a_set_up_script_makes_the_tree_where_there_is_no_archive(made: Session) -> None:
    """It runs from `/`, its failures do no harm, and neither empty folders nor the hour of building stay behind."""
    found = facts(made, "testbed", "beside.txt")
    size = found["testbed/full.tar.gz"][1]
    assert found == {
        "testbed": ("755", 0, STARTED),
        "testbed/full": ("755", 0, STARTED),
        "testbed/full/old.txt": ("644", 4, 1685577599),
        "testbed/full.tar.gz": ("644", size, STARTED),
        "testbed/new.txt": ("700", 17, STARTED),
        "beside.txt": ("644", 0, STARTED),
    }
    assert "2023-06-01 00:00" in run(made, "TZ=UTC0 tar tvf /testbed/full.tar.gz")
    assert made.read("/setup_nl2b_fs_1.sh").decode() == SCRIPT
    assert run(made, "cd /; git status --short") == ""


def test_a_base_without_git_does_without_the_repository(
    sandbox: EmbeddedSandbox, published: Path, tmp_path: Path
) -> None:
    base = Image("small", (TarLayer(small_root(tmp_path)),))
    with sandbox.start(published_image(base, 1, published / "nl2bash")) as session:
        assert set(run(session, "cd /; echo .[a-z]* *").split()) >= {".gitignore", "testbed", "index.html", "usr"}
        assert not set(run(session, "cd /; echo .[a-z]* *").split()) & {".git", "tmp", "mnt"}


def small_root(folder: Path) -> Path:
    """A root file system of two shells, rmdir, and the libraries that they need, as a tar archive."""
    root, archive = folder / "root", folder / "root.tar"
    for name in ("etc", "tmp", "mnt", "root", "proc", "dev", "sys", "run", "var/lib"):
        (root / name).mkdir(parents=True)
    programs = [Path(f"/usr/bin/{name}") for name in ("bash", "sh", "rmdir")]
    lines = subprocess.run(["ldd", *programs], capture_output=True, text=True, check=True).stdout.split()
    for path in {*programs, *(Path(word) for word in lines if word.startswith("/") and not word.endswith(":"))}:
        target = root / "usr/bin" / path.name if path in programs else root / path.relative_to("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target)
    (root / "bin").symlink_to("usr/bin")
    with tarfile.open(archive, "w") as tar:
        tar.add(root, ".", filter=owned_by_root)
    return archive


def owned_by_root(member: tarfile.TarInfo) -> tarfile.TarInfo:
    member.uid = member.gid = 0
    return member
