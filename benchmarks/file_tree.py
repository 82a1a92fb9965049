"""The small tree that every design under measurement works on: of the size and shape of the NL2Bash file systems."""

from __future__ import annotations

import io
import tarfile

ROOT = "/testbed"
"""Where the tree lies in a sandbox."""

COMMANDS = (
    "echo hi",
    f"ls -l {ROOT}/dir1",
    f"find {ROOT} -name '*.java' | sort",
    f"mkdir {ROOT}/new && grep -rl hello {ROOT} > {ROOT}/new/found.txt",
    f"mv {ROOT}/dir2/text4.txt {ROOT}/dir3/moved.txt; rm {ROOT}/dir1/Hello1.java",
)
"""What an episode runs: reads and changes, nothing that the published way's quoting would alter."""

SUFFIXES = ("Hello.java", "info.php", "shell.sh", "script.py", "text.txt")


def files() -> dict[str, bytes]:
    """Paths relative to the root directory → contents: 44 files in 13 directories, none of them empty."""
    found = {}
    for number in range(1, 4):
        for below in ("", "/sub1", "/sub1/deep", "/sub2"):
            for place, name in enumerate(SUFFIXES if not below else SUFFIXES[:3]):
                stem, suffix = name.split(".")
                path = f"{ROOT[1:]}/dir{number}{below}/{stem}{place if stem == 'text' else number}.{suffix}"
                found[path] = f"{stem} {number}{below}\nhello world\n".encode() * (place + 1)
    return found | {f"{ROOT[1:]}/Hello.java": b"class Hello {}\n", f"{ROOT[1:]}/notes.txt": b"a line\n" * 100}


def archive() -> bytes:
    """Return the tree as a tar archive, owned by root, all times equal."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        for path, content in files().items():
            entry = tarfile.TarInfo(path)
            entry.size, entry.mode, entry.mtime = len(content), 0o644, 1_700_000_000
            tar.addfile(entry, io.BytesIO(content))
    return buffer.getvalue()
