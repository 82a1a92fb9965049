"""The file system of the starter tasks: a small bicycle shop's shared folder, as `starter/tree.toml` has it."""

from __future__ import annotations

import tarfile
import tomllib
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from typing import Any

from intercode.worlds.bash.starter.archives import gzip
from intercode_sandbox.images.files_layer import FilesLayer

FOLDER = Path(__file__).parent
"""The starter set's data: `tree.toml`, the contents in `files/`, and `tasks.toml`."""


def shop_layer() -> FilesLayer:
    """Return the shop's folder as a layer; equal in every process and on every machine."""
    tree = tomllib.loads((FOLDER / "tree.toml").read_text(encoding="utf-8"))
    root, listed = tree["root"], tree["files"]
    return FilesLayer(
        {f"{root}/{path}": _content(path, about) for path, about in listed.items()},
        links={f"{root}/{path}": target for path, target in tree["links"].items()},
        directories=tuple(f"{root}/{path}" for path in tree["empty_folders"]),
        modes={f"{root}/{path}": about["mode"] for path, about in listed.items() if "mode" in about},
        mtimes={f"{root}/{path}": about["time"].timestamp() for path, about in listed.items()},
        title="the starter set's shop",
    )


def _content(path: str, about: Mapping[str, Any]) -> bytes:
    if "text" in about:
        return str(about["text"]).encode()
    files = FOLDER / "files"
    if "pack" in about:
        data = _tar(files / about["pack"], int(about["time"].timestamp()))
    else:
        data = (files / about.get("from", path)).read_bytes()
    return gzip(data) if about.get("gzip") else data


def _tar(folder: Path, time: int) -> bytes:
    """Return a tar archive of *folder*, sorted, root's, all of it from the same second."""
    buffer = BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for path in (folder, *sorted(folder.rglob("*"))):
            content = path.read_bytes() if path.is_file() else b""
            member = tarfile.TarInfo(str(path.relative_to(folder.parent)))
            member.type = tarfile.REGTYPE if path.is_file() else tarfile.DIRTYPE
            member.mode = 0o644 if path.is_file() else 0o755
            member.size, member.mtime = len(content), time
            archive.addfile(member, BytesIO(content))
    return buffer.getvalue()
