"""`uv`, out of the package index: what its installer brings, and what its container image holds at the top."""

from __future__ import annotations

import hashlib
import io
import json
import os
import platform
import re
import ssl
import urllib.request
import zipfile
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.parse import urljoin

from intercode_sandbox.errors import ImageError
from intercode_sandbox.images.digests import recipe_key
from intercode_sandbox.images.files_layer import FilesLayer
from intercode_sandbox.images.image import Layer, LayerBuilder
from intercode_sandbox.network.packages import PIP, package_settings

IMAGE = "ghcr.io/astral-sh/uv"
"""Its container image, from which Dockerfiles copy it."""

INDEX = "https://pypi.org/simple"
JSON = "application/vnd.pypi.simple.v1+json"
SECONDS = 60.0


@dataclass(frozen=True)
class UvLayer(Layer):
    """`uv` and `uvx` of that *version* (the newest where it is empty) in *folder*, out of the package index.

    The index is pip's own on this machine.
    """

    version: str = ""
    folder: str = "/"

    def __str__(self) -> str:
        return f"uv {self.version}".strip()

    @cached_property
    def key(self) -> str:
        """Of the version, the place and the kind of machine."""
        return recipe_key("uv", self.version, self.folder, platform.machine())

    def build(self, target: Path, layer_builder: LayerBuilder, below: tuple[Layer, ...]) -> None:
        """Fetch the wheel and put its programs into their place.

        Raises:
            ImageError: If the index cannot be reached or has no such version, or the wheel is not what it says.
        """
        with zipfile.ZipFile(io.BytesIO(self._wheel())) as wheel:
            programs = {Path(name).name: wheel.read(name) for name in wheel.namelist() if "/scripts/uv" in name}
        files = {f"{self.folder}/{name}": content for name, content in programs.items()}
        FilesLayer(files, modes=dict.fromkeys(files, 0o755)).build(target, layer_builder, below)

    def _wheel(self) -> bytes:
        index = package_settings().get(PIP, INDEX).rstrip("/")
        listed = json.loads(_fetch(f"{index}/uv/", JSON))
        named = [each for each in listed["files"] if _fits(each["filename"], self.version)]
        if not named:
            raise ImageError(f"{index} has no uv {self.version} for {platform.machine()}")
        chosen: dict[str, Any] = max(named, key=lambda each: _numbers(each["filename"]))
        content = _fetch(urljoin(f"{index}/uv/", chosen["url"]))
        wanted = chosen["hashes"].get("sha256", "")
        if hashlib.sha256(content).hexdigest() != wanted:
            raise ImageError(f"{chosen['url']} is not what {index} says: its SHA-256 is not {wanted or 'named'}")
        return content


def _fits(name: str, version: str) -> bool:
    pattern = rf"uv-{re.escape(version) if version else r'[0-9.]+'}-py3-none-manylinux.*_{platform.machine()}\."
    return re.match(pattern, name) is not None


def _numbers(name: str) -> tuple[int, ...]:
    return tuple(int(part) for part in name.split("-")[1].split("."))


def _fetch(address: str, wants: str = "*/*") -> bytes:
    """Return what is at *address*.

    Raises:
        ImageError: If it cannot be had.
    """
    request = urllib.request.Request(address, headers={"Accept": wants, "User-Agent": "intercode"})
    context = ssl.create_default_context(cafile=os.environ.get("PIP_CERT") or os.environ.get("REQUESTS_CA_BUNDLE"))
    try:
        with urllib.request.urlopen(request, timeout=SECONDS, context=context) as answer:
            content: bytes = answer.read()
    except (URLError, OSError) as error:
        raise ImageError(f"{address} cannot be had: {error}") from error
    return content
