"""Programs that build and hold container images: docker, podman, buildah, whichever is there."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from intercode_sandbox.errors import ImageError
from intercode_sandbox.util.system_packages import install_command

PROGRAMS = ("docker", "podman", "buildah")
MISSING = "needs docker, podman or buildah to build and hold images of containers, and none is installed ({install})"
LOG_LINES = 12


@dataclass(frozen=True, slots=True)
class ImageSettings:
    """What an image says of the commands in it: their environment, and the folder that they start in."""

    env: dict[str, str]
    workdir: str = "/"

    @classmethod
    def of(cls, config: Mapping[str, Any]) -> ImageSettings:
        """From `Config` as `docker image inspect` has it."""
        lines = config.get("Env") or ()
        pairs = (str(line).partition("=") for line in lines)
        return cls({name: value for name, _, value in pairs}, config.get("WorkingDir") or "/")


class Builder:
    """One such program. Everything raises ImageError, with the last lines of what the program said."""

    def __init__(self, program: str) -> None:
        self.program = program

    def build(self, folder: Path, name: str) -> None:
        """Build the Dockerfile in *folder* as the image *name*."""
        verb = ["bud"] if self.program == "buildah" else ["build"]
        self._run([*verb, "--tag", name, str(folder)], f"building {folder}")

    def has(self, name: str) -> bool:
        """Return whether it holds an image of that name."""
        return self._call(self._inspecting(name)).returncode == 0

    def pull(self, name: str) -> None:
        """Fetch an image from its registry."""
        self._run(["pull", name], f"pulling {name}")

    def id(self, name: str) -> str:
        """Return the id of an image that it holds, `sha256:…`."""
        facts = json.loads(self._run(self._inspecting(name), f"looking at {name}"))
        found = str(facts["FromImageID"] if self.program == "buildah" else facts[0]["Id"])
        return found if found.startswith("sha256:") else f"sha256:{found}"

    def settings(self, name: str) -> ImageSettings:
        """Return what the image says of commands in it."""
        facts = json.loads(self._run(self._inspecting(name), f"looking at {name}"))
        if self.program == "buildah":
            return ImageSettings.of(facts["OCIv1"].get("config") or {})
        return ImageSettings.of(facts[0].get("Config") or {})

    def export(self, name: str, archive: IO[bytes]) -> None:
        """Write the image's whole root file system to *archive*, as tar."""
        if self.program == "buildah":
            self._export_mounted(name, archive)
            return
        with self._container(["create", name, "/none"], ["rm"], name) as container:
            self._run(["export", container], f"exporting {name}", archive)

    def _export_mounted(self, name: str, archive: IO[bytes]) -> None:
        """Without root, mounts are only seen in the namespace that `buildah unshare` makes."""
        with self._container(["from", name], ["rm"], name) as container:
            script = 'tar --create --numeric-owner --directory="$(buildah mount "$0")" .'
            inside = [] if os.geteuid() == 0 else ["buildah", "unshare"]
            done = subprocess.run([*inside, "sh", "-c", script, container], stdout=archive, stderr=subprocess.PIPE)
            self._run(["umount", container], f"exporting {name}")
            if done.returncode:
                raise ImageError(f"exporting {name}: {_end(done.stderr)}")

    @contextmanager
    def _container(self, make: Sequence[str], remove: Sequence[str], name: str) -> Iterator[str]:
        container = self._run(make, f"making a container of {name}").decode().strip()
        try:
            yield container
        finally:
            self._call([*remove, container])

    def _inspecting(self, name: str) -> list[str]:
        return ["inspect", "--type", "image", name] if self.program == "buildah" else ["image", "inspect", name]

    def _run(self, arguments: Sequence[str], what: str, output: IO[bytes] | int = subprocess.PIPE) -> bytes:
        done = self._call(arguments, output)
        if done.returncode:
            raise ImageError(f"{what} with {self.program}: {_end((done.stdout or b'') + done.stderr)}")
        return done.stdout or b""

    def _call(
        self, arguments: Sequence[str], output: IO[bytes] | int = subprocess.PIPE
    ) -> subprocess.CompletedProcess[bytes]:
        command = [self.program, *arguments]
        return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.PIPE, check=False)


def builder() -> Builder:
    """Return the first program that is there and works.

    Raises:
        ImageError: If there is none.
    """
    there = [Builder(program) for program in PROGRAMS if shutil.which(program)]
    if not there:
        raise ImageError(MISSING.format(install=install_command("podman")))
    silent: list[str] = []
    for each in there:
        done = each._call(["version" if each.program == "buildah" else "info"])
        if done.returncode == 0:
            return each
        silent.append(f"{each.program}: {_end(done.stderr, 2)}")
    raise ImageError(f"no container engine works here: {'; '.join(silent)}")


def _end(said: bytes, lines: int = LOG_LINES) -> str:
    return "\n".join(said.decode("utf-8", "replace").strip().splitlines()[-lines:]) or "it said nothing"
