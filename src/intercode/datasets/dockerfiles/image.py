"""A task's image, made of a simple Dockerfile without an engine: each instruction is a layer.

What it stands on (`build`): `host` takes this machine's own programs in place of the distribution, as the image `host`
has them, and packages that it installs by apt must be on this machine already; `archive` makes Debian, Ubuntu or Python
from their archives, and runs each command as it is written. Then RUN has a network unless it is denied one, as with an
engine; with `host` it has none unless one is asked for.
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

from intercode.datasets.dockerfiles.apt_packages import without_apt
from intercode.datasets.dockerfiles.dockerfile import WAY_OUT, read_dockerfile
from intercode.datasets.dockerfiles.ignored import Ignored
from intercode.datasets.dockerfiles.steps import Copy, CopyFrom, Dockerfile, MakeFolder, Run, Step, Write
from intercode.datasets.folder.files_layer import MOST
from intercode.errors import BadDataError, ImageError
from intercode_sandbox.images import Image, Layer
from intercode_sandbox.images.container_base import container_base
from intercode_sandbox.images.container_layers import dockerfile
from intercode_sandbox.images.defaults import ENV
from intercode_sandbox.images.distribution import tag_suite
from intercode_sandbox.images.files_layer import FilesLayer
from intercode_sandbox.images.python_images import python
from intercode_sandbox.images.script_layer import ScriptLayer
from intercode_sandbox.images.stage_layer import StageLayer
from intercode_sandbox.images.uv_layer import UvLayer
from intercode_sandbox.network.hosts import ALLOW, NONE, NetworkPolicy, network_title

Build = Literal["host", "archive", "engine"]

SHOWN = 120
"""Characters of a command that its error names."""

WITHOUT = "without a network"

FETCHING = re.compile(
    r"\b(?:(?:pip3?|pipx|uv|conda|mamba|poetry|gem|cargo|go) (?:\S+ )?(?:install|get|add|sync|create|download)"
    r"|npm (?:install|ci|i)|yarn|pnpm|curl|wget|git clone|apk add|dnf|yum)\b"
)
"""Programs that are of little use without a network."""

LOGS = FilesLayer(directories=("/logs/agent", "/logs/artifacts", "/logs/verifier"), title="the folders of logs")
"""What Harbor's own environments have."""


def task_image(
    folder: Path, base: Image, build: Build, *, env: Mapping[str, str] | None = None, workdir: str = "",
    network: NetworkPolicy | None = None,
) -> Image:  # fmt: skip
    """Return the image of the Dockerfile in *folder*, an `environment/`, with the task's own *env* and *workdir*.

    It is on *base*, in place of what its FROM names; with `archive` on that distribution, with `engine` just as it is.
    Its RUN instructions have the *network*; by default that of everybody with `archive`, and none with `host`. With
    `engine` they have the engine's.

    Raises:
        BadDataError: For a Dockerfile that is not simple.
        ImageError: For packages that this machine lacks.
    """
    if build == "engine":
        image, place = dockerfile(folder).with_layers(LOGS), ""
    else:
        recipe = read_dockerfile(folder)
        image = simple_image(recipe, base, build, folder.resolve().parent.name, LOGS, network=network)
        place = recipe.workdir
    image = image.with_layers(env=env)
    return replace(image, workdir=workdir or place) if workdir or place else image


def simple_image(
    recipe: Dockerfile, base: Image, build: Build, name: str, *first: Layer, network: NetworkPolicy | None = None
) -> Image:
    """What *recipe* makes of *base* (of the distribution that it names, with `archive`), on top of the layers *first*.

    Its commands have the *network*, as in `task_image`.

    Raises:
        BadDataError: For a release that no archive has.
        ImageError: For packages that this machine lacks.
    """
    if network is None:
        network = ALLOW if build == "archive" else NONE
    if build == "archive":
        base = _from_archive(recipe)
    steps, layers = recipe.steps, [*_python_check(recipe, build), *first]
    if network == NONE or base.name == "host":
        steps, packages = without_apt(steps)
        layers = [*_package_check(recipe, packages, base, build), *layers]
    folders = {"/", "/root", "/home", "/opt", "/srv", "/tmp", "/usr/local/bin", "/bin", "/usr/bin"}
    for step in steps:
        if isinstance(step, CopyFrom):
            layers.append(_stage(step, base, build, folders, network))
        else:
            layers += _layers(step, folders, base, network)
    return base.with_layers(*layers, name=f"{base.name}+{name}", env=recipe.env)


def _stage(step: CopyFrom, base: Image, build: Build, folders: set[str], network: NetworkPolicy) -> StageLayer:
    if isinstance(step.stage, str):
        tag = step.stage.partition(":")[2].partition("@")[0]
        below = base.layers[:1] if base.name == "host" else container_base("debian", "bookworm").layers
        layers: tuple[Layer, ...] = (*below, UvLayer("" if tag == "latest" else tag))
    else:
        layers = simple_image(step.stage, base, build, "stage", network=network).layers
    target = f"{step.target}/" if step.target in folders and step.target != "/" else step.target
    return StageLayer(layers, step.sources, target)


def _from_archive(recipe: Dockerfile) -> Image:
    if recipe.kind == "python":
        try:
            return python(recipe.tag)
        except ImageError as error:
            raise BadDataError(f"{recipe.path}: {error}; {WAY_OUT}") from error
    suite = tag_suite(recipe.kind, recipe.tag)
    if not re.fullmatch("[a-z]+", suite):
        raise BadDataError(f"{recipe.path}: no archive has {recipe.kind}:{recipe.tag}; {WAY_OUT}")
    return container_base(recipe.kind, suite)


def _package_check(recipe: Dockerfile, packages: tuple[str, ...], base: Image, build: Build) -> Iterator[Layer]:
    """Yield what cannot be built where *base* lacks *packages*, which nothing can install there."""
    if packages and build == "archive":
        raise ImageError(
            f"{recipe.path} installs {', '.join(packages)}, and its commands have no network: "
            "--dataset-option build_network=allow (or the hosts of the archive)"
        )
    if packages and base.name == "host":
        missing = [name for name in packages if not _is_installed(name)]
        if missing:
            raise ImageError(
                f"{recipe.path} installs {', '.join(missing)}, which this machine lacks; its programs stand in for "
                f"{recipe.kind}:{recipe.tag}. Install it: apt-get install {' '.join(missing)}. Or build the image: "
                "--dataset-option build=archive (needs mmdebstrap and a network) or --dataset-option build=engine"
            )
    elif packages:
        yield ScriptLayer(f"dpkg-query --show {shlex.join(packages)}", env=ENV, title=f"what {recipe.path} needs")


def _python_check(recipe: Dockerfile, build: Build) -> Iterator[Layer]:
    """Yield what cannot be built where the base lacks the Python that the recipe counts on."""
    version = re.match(r"(\d+)(?:\.(\d+))?", recipe.tag if recipe.kind == "python" and build != "archive" else "")
    if version:
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


def _layers(step: Step, folders: set[str], base: Image, network: NetworkPolicy) -> Iterator[Layer]:
    """Yield what *step* comes to; *folders* are those known to be there, for `COPY file folder`."""
    if isinstance(step, MakeFolder):
        folders.add(step.path)
        if step.path != "/":
            yield FilesLayer(directories=(step.path,), title=f"the folder {step.path}")
    elif isinstance(step, Copy):
        yield _copy_layer(step, folders)
    elif isinstance(step, Write):
        yield FilesLayer({step.path: step.content}, modes={step.path: step.mode or 0o644}, title=f"COPY to {step.path}")
    elif isinstance(step, Run) and step.command.strip(" :;"):
        yield _script(step, base, network)


def _script(step: Run, base: Image, network: NetworkPolicy) -> Layer:
    command = f"cd {shlex.quote(step.workdir)} && exec {_as_user(step.user)}{shlex.join([*step.shell, step.command])}"
    title = f"{step.place}: RUN {step.command[:SHOWN]} ({_circumstances(step.command, network)})"
    return ScriptLayer(command, env={**ENV, **base.env, **step.env}, network=network, title=title)


def _as_user(user: str) -> str:
    """Return the beginning of a command that *user* runs (`name`, `id` or either with `:group`); "" for root."""
    name, _, group = user.partition(":")
    if not name:
        return ""
    word = shlex.quote(name)
    groups = f"--regid={shlex.quote(group)} --clear-groups"
    own = f'--regid="$(id -g {word} 2>/dev/null || echo 0)" --init-groups'
    return f"setpriv --reuid={word} {groups if group else own} "


def _circumstances(command: str, network: NetworkPolicy) -> str:
    """Say what a person should know if *command* fails: a program's own last line seldom names the cause."""
    if network != NONE:
        return f"with the network {network_title(network)}"
    if re.search(r"\bapt(-get)?\b", command):
        return f"{WITHOUT}, so apt can do nothing: build=archive has one; or {WAY_OUT}"
    if fetching := FETCHING.search(command):
        return f"{WITHOUT}, from which {fetching[0]} would fetch; {WAY_OUT}"
    return WITHOUT


def _copy_layer(step: Copy, folders: set[str]) -> FilesLayer:
    files, links, directories, modes = dict[str, bytes](), dict[str, str](), set[str](), dict[str, int]()
    left = MOST
    for source in step.sources:
        is_into = step.target.endswith("/") or step.target in folders
        top = step.target.rstrip("/") + (f"/{source.name}" if is_into and not source.is_dir() else "")
        for path, place in _tree(source, top, step.ignored):
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


def _tree(source: Path, top: str, ignored: Ignored | None) -> Iterator[tuple[Path, str]]:
    """Yield *source*, which comes to lie at *top*, and everything below it that is not *ignored*.

    Raises:
        BadDataError: For what is no file.
    """
    paths = [source, *sorted(source.rglob("*"))] if source.is_dir() else [source]
    for path in paths:
        if path != source and ignored is not None and ignored(path):
            continue
        if not path.is_symlink() and not path.is_dir() and not path.is_file():
            raise BadDataError(f"{path} is neither a file nor a folder nor a link: it cannot be copied into an image")
        below = path.relative_to(source).as_posix()
        yield path, top if below == "." else f"{top}/{below}"
