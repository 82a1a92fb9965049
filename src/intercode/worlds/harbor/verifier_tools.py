"""What test scripts install before they test, prepared: `uv` and the Python that they ask it for.

A script that runs `curl https://astral.sh/uv/0.9.5/install.sh | sh` and then `uvx -p 3.13 … pytest` finds both where
its own words would have put them, so that it goes on where that host cannot be reached, or only slowly. The packages
that it names are still fetched when it runs, by its own network.
"""

from __future__ import annotations

import platform
import re
from collections.abc import Iterator

from intercode_sandbox.images import Image, Layer
from intercode_sandbox.images.distribution import DistributionLayer
from intercode_sandbox.images.files_layer import FilesLayer
from intercode_sandbox.images.python_layer import RELEASES, PythonLayer
from intercode_sandbox.images.uv_layer import UvLayer

INSTALLER = re.compile(r"https://astral\.sh/uv/(?:(\d+\.\d+\.\d+)/)?install\.sh")
PYTHON = re.compile(r"(?:-p|--python)[ =]+(?:python)?(3\.\d+)")
HOME = "/root"
PROGRAMS = f"{HOME}/.local/bin"
PYTHONS = f"{HOME}/.local/share/uv/python"

ENVIRONMENT = f"""case ":$PATH:" in
    *:"{PROGRAMS}":*) ;;
    *) export PATH="{PROGRAMS}:$PATH" ;;
esac
"""
"""What the installer writes beside the programs, for `source $HOME/.local/bin/env`."""


def tools(script: str, image: Image) -> Iterator[Layer]:
    """Yield the layers of what *script*, a task's `tests/test.sh`, installs by itself on *image*.

    There is nothing where it has no `uv`.
    """
    found = INSTALLER.search(script)
    if found is None:
        return
    yield UvLayer(found[1] or "", PROGRAMS)
    yield FilesLayer({f"{PROGRAMS}/env": ENVIRONMENT}, title="the environment of uv")
    for version in sorted(set(PYTHON.findall(script))):
        if version in RELEASES:
            base = next((layer.suite for layer in image.layers if isinstance(layer, DistributionLayer)), "")
            place = f"{PYTHONS}/cpython-{version}.0-linux-{platform.machine()}-gnu"
            yield PythonLayer(version, prefix=place, base=base)
