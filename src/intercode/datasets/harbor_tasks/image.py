"""A task's image, made of a simple Dockerfile without an engine: each instruction is a layer.

What it stands on (`build`): `host` takes this machine's own programs in place of the distribution, as the image `host`
has them; `archive` installs Debian or Ubuntu, and the packages asked for, from their archives. Packages cannot be
installed later, since nothing that is built has a network: with `host` they must be on this machine already.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Literal

from intercode.datasets.folder.files_layer import MOST
from intercode.datasets.harbor_tasks.dockerfile import WAY_OUT, Copy, Dockerfile, MakeFolder, Run, Step, read_dockerfile
from intercode.errors import BadDataError, ImageError
from intercode.sandboxes.images import Image, Layer
from intercode.sandboxes.images.container_layers import dockerfile
from intercode.sandboxes.images.defaults import ENV
from intercode.sandboxes.images.distribution import PACKAGES, debian, tag_suite, ubuntu
from intercode.sandboxes.images.files_layer import FilesLayer
from intercode.sandboxes.images.script_layer import ScriptLayer

Build = Literal["host", "archive", "engine"]

LOGS = FilesLayer(directories=("/logs/agent", "/logs/artifacts", "/logs/verifier"), title="the folders of logs")
"""What Harbor's own environments have."""


def task_image(
    folder: Path, base: Image, build: Build, *, env: Mapping[str, str] | None = None, workdir: str = ""
) -> Image:
    """The image of the Dockerfile in *folder*, an `environment/`, with the task's own *env* and *workdir*.

    It is on *base*, in place of what its FROM names; with `archive` on that distribution, with `engine` just as it is.

    Raises:
        BadDataError: For a Dockerfile that is not simple.
        ImageError: For packages that this machine lacks.
    """
    if build == "engine":
        image, place = dockerfile(folder).with_layers(LOGS), ""
    else:
        recipe = read_dockerfile(folder)
        image, place = simple_image(recipe, base, build, folder.resolve().parent.name, LOGS), recipe.workdir
    image = image.with_layers(env=env)
    return replace(image, workdir=workdir or place) if workdir or place else image


def simple_image(recipe: Dockerfile, base: Image, build: Build, name: str, *first: Layer) -> Image:
    """What *recipe* makes of *base* (of the distribution that it names, with `archive`), on top of the layers *first*.

    Raises:
        BadDataError: For a release that no archive has.
        ImageError: For packages that this machine lacks.
    """
    if build == "archive":
        base = _from_archive(recipe)
    layers: list[Layer] = [*_checks(recipe, base, build), *first]
    folders = {"/", "/root", "/home", "/opt", "/srv", "/tmp", "/usr/local/bin"}
    for step in recipe.steps:
        layers += _layers(step, folders, base)
    return base.with_layers(*layers, name=f"{base.name}+{name}", env=recipe.env)


def _from_archive(recipe: Dockerfile) -> Image:
    suite = "" if recipe.kind == "python" else tag_suite(recipe.kind, recipe.tag)
    if not re.fullmatch("[a-z]+", suite):
        raise BadDataError(f"{recipe.path}: no archive has {recipe.kind}:{recipe.tag}; {WAY_OUT}")
    packages = tuple(dict.fromkeys([*PACKAGES, *recipe.packages]))
    return debian(suite, packages=packages) if recipe.kind == "debian" else ubuntu(suite, packages=packages)


def _checks(recipe: Dockerfile, base: Image, build: Build) -> Iterator[Layer]:
    """Layers that cannot be built where *base* lacks what the recipe counts on."""
    if recipe.packages and base.name == "host":
        missing = [name for name in recipe.packages if not _is_installed(name)]
        if missing:
            raise ImageError(
                f"{recipe.path} installs {', '.join(missing)}, and this machine, whose programs stand in for "
                f"{recipe.kind}:{recipe.tag}, has none of that: apt-get install {' '.join(missing)}, or choose "
                "build=archive (needs mmdebstrap and a network) or build=engine, as a --dataset-option for instance"
            )
    elif recipe.packages and build != "archive":
        yield ScriptLayer(
            f"dpkg-query --show {shlex.join(recipe.packages)}", env=ENV, title=f"what {recipe.path} needs"
        )
    if version := re.match(r"(\d+)(?:\.(\d+))?", recipe.tag if recipe.kind == "python" else ""):
        numbers = ", ".join(number for number in version.groups() if number)
        fault = f"Python {'.'.join(filter(None, version.groups()))} is required by {recipe.path}, and here it is "
        found = f"sys.version_info[:{numbers.count(',') + 1}]"
        script = f"import sys; {found} == ({numbers},) or sys.exit({fault!r} + sys.version)"
        yield ScriptLayer(f"python3 -c {shlex.quote(script)}", env=ENV, title=f"the Python of {recipe.path}")


@cache
def _is_installed(package: str) -> bool:
    program = shutil.which("dpkg-query")
    if program is None:
        return False
    argv = [program, "--show", "--showformat=${db:Status-Status}", "--", package]
    return subprocess.run(argv, capture_output=True, check=False).stdout.startswith(b"installed")


def _layers(step: Step, folders: set[str], base: Image) -> Iterator[Layer]:
    """What *step* comes to; *folders* are those known to be there, for `COPY file folder`."""
    if isinstance(step, MakeFolder):
        folders.add(step.path)
        if step.path != "/":
            yield FilesLayer(directories=(step.path,), title=f"the folder {step.path}")
    elif isinstance(step, Copy):
        yield _copy_layer(step, folders)
    elif step.command.strip(" :;"):
        yield _script(step, base)


def _script(step: Run, base: Image) -> Layer:
    script = f"cd {shlex.quote(step.workdir)} && exec /bin/sh -c {shlex.quote(step.command)}"
    title = f"RUN {step.command[:60]} (without a network)"
    return ScriptLayer(script, env={**ENV, **base.env, **step.env}, title=title)


def _copy_layer(step: Copy, folders: set[str]) -> FilesLayer:
    files, links, directories, modes = dict[str, bytes](), dict[str, str](), set[str](), dict[str, int]()
    left = MOST
    for source in step.sources:
        is_into = step.target.endswith("/") or step.target in folders
        top = step.target.rstrip("/") + (f"/{source.name}" if is_into and not source.is_dir() else "")
        for path, place in _tree(source, top):
            if path.is_symlink():
                links[place] = os.readlink(path)
            elif path.is_dir():
                directories.add(place or "/")
            else:
                left -= path.stat().st_size
                if left < 0:
                    raise BadDataError(f"{source}: over {MOST >> 20} MB; {WAY_OUT}")
                files[place] = path.read_bytes()
                modes[place] = step.mode or (0o755 if path.stat().st_mode & 0o100 else 0o644)
    folders |= directories
    return FilesLayer(
        files, links=links, directories=tuple(sorted(directories - {"/"})), modes=modes, title=f"COPY to {step.target}"
    )


def _tree(source: Path, top: str) -> Iterator[tuple[Path, str]]:
    """*source*, which comes to lie at *top*, and everything below it. Raises BadDataError for what is no file."""
    paths = [source, *sorted(source.rglob("*"))] if source.is_dir() else [source]
    for path in paths:
        if not path.is_symlink() and not path.is_dir() and not path.is_file():
            raise BadDataError(f"{path} is neither a file nor a folder nor a link: it cannot be copied into an image")
        below = path.relative_to(source).as_posix()
        yield path, top if below == "." else f"{top}/{below}"
