"""What a task's `sandbox=("intercode", …)` may say: an image, a compose file or a Dockerfile, or a config object.

Of compose files one service with an image is understood. What would change the sandbox and cannot be had is refused in
words; what makes no difference here (an idle `command`, `init`, `restart` …) is passed over.
"""

from __future__ import annotations

import os
import re
import shlex
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, Literal

from inspect_ai.util import ComposeConfig, ComposeService, parse_compose_yaml
from pydantic import BaseModel, Field

from intercode.datasets.dockerfiles.image import Build
from intercode.errors import UserError
from intercode.integrations.inspect.image_names import NAMES, find_image, with_accounts
from intercode_sandbox.images import Image
from intercode_sandbox.sandbox import Limits
from intercode_sandbox.util.linux import default_sandbox

COMPOSE_FILES = ["compose.yaml", "compose.yml", "docker-compose.yaml", "docker-compose.yml", "Dockerfile"]
READ = {"image", "build", "working_dir", "environment", "hostname", "mem_limit", "pids_limit", "deploy"}
PASSED_OVER = {
    "init", "tty", "stdin_open", "restart", "stop_grace_period", "pull_policy", "healthcheck", "shm_size", "cpus",
    "mem_reservation", "memswap_limit", "platform", "x_default", "expose", "cap_drop",
}  # fmt: skip
IDLE = {"tail -f /dev/null", "sleep infinity", "sleep inf", "bash", "sh", "/bin/bash", "/bin/sh", "cat"}
_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([bkmg]?)i?b?\Z", re.IGNORECASE)


class IntercodeSandboxConfig(BaseModel, frozen=True):
    """A sandbox of ours in full. Sizes in bytes, `seconds` for a command without a time-out of its own.

    `image` is what `intercode_sandbox.images.find` knows (`host`, `debian`, a folder with a Dockerfile …) or the name
    of an image that Docker, Podman or buildah has or can fetch. `build` says how images of such names, and Dockerfiles,
    are made; "" for what can be had: see `find_image`. `sandbox` is `embedded` or `docker`, `network` what programs
    reach: "none", "allow" or hosts.
    """

    image: str = "host"
    build: Build | Literal[""] = ""
    sandbox: str = Field(default_factory=default_sandbox)
    network: bool | str | tuple[str, ...] = "none"
    workdir: str = ""
    env: dict[str, str] = {}
    hostname: str = ""
    memory: int = 2 << 30
    disk: int = 2 << 30
    processes: int = 1024
    files: int = 1 << 18
    seconds: float = 3600.0

    def limits(self, output: int) -> Limits:
        """For a session that keeps *output* bytes of what a command prints."""
        return Limits(
            seconds=self.seconds, memory=self.memory, disk=self.disk, processes=self.processes, inodes=self.files,
            output=output, network=self.network,
        )  # fmt: skip

    def find_image(self) -> Image:
        """Return the image; one of an engine's is looked up, and fetched if need be.

        Raises:
            ImageError: If it cannot be had.
        """
        image = with_accounts(find_image(self.image, self.build))
        return replace(image, hostname=self.hostname) if self.hostname else image


def read_config(config: BaseModel | str | None) -> IntercodeSandboxConfig:
    """Return what a task said.

    Raises:
        UserError: If it cannot be had. Says the way out.
    """
    if config is None:
        return IntercodeSandboxConfig()
    if isinstance(config, IntercodeSandboxConfig):
        return config
    if isinstance(config, ComposeConfig):
        return from_compose(config, Path())
    if not isinstance(config, str):
        raise UserError(f"a sandbox of intercode is set up by IntercodeSandboxConfig, not {type(config).__name__}")
    config = _as_written(config)
    path = Path(config)
    if path.suffix in (".yaml", ".yml"):
        return from_compose(parse_compose_yaml(config, multiple_services=True), path.parent)
    return IntercodeSandboxConfig(image=str(path.parent) if path.name == "Dockerfile" else config)


@cache
def _as_written(config: str) -> str:
    """Return what a task wrote: Inspect makes a path in the task's folder, where it first calls us, of every string."""
    beside = os.path.relpath(config) if os.path.isabs(config) else config
    if beside.partition(":")[0] in NAMES:
        return beside
    if os.path.exists(config):
        return config
    name = os.path.basename(config)
    if name.partition(":")[0] in NAMES:
        return name
    return config if beside.startswith("../") else beside


def from_compose(config: ComposeConfig, folder: Path) -> IntercodeSandboxConfig:
    """Return the one service of a compose file in *folder*."""
    if len(config.services) != 1:
        raise UserError(f"{_names(config.services)}: sessions of intercode have no network, so one service is all")
    [(name, service)] = config.services.items()
    said = service.model_dump(exclude_none=True, exclude_defaults=True)
    _check(name, service, set(said) - set(service.extensions))
    memory = service.mem_limit or _deploy_limit(service, "memory")
    known: dict[str, Any] = {
        "image": _image(name, service, folder),
        "workdir": service.working_dir or "",
        "env": _environment(service.environment),
        "hostname": service.hostname or "",
    }
    if memory:
        known["memory"] = _bytes(memory)
    if service.pids_limit and int(service.pids_limit) > 0:
        known["processes"] = int(service.pids_limit)
    return IntercodeSandboxConfig(**known)


def _check(name: str, service: ComposeService, keys: set[str]) -> None:
    for key in ("command", "entrypoint"):
        words = getattr(service, key)
        text = shlex.join(words) if isinstance(words, list) else words or ""
        if text and text not in IDLE:
            raise UserError(
                f"service {name!r}: {key} {text!r} is no idle command, and intercode starts none: run it in setup"
            )
    if service.network_mode not in (None, "none"):
        raise UserError(
            f"service {name!r}: network_mode {service.network_mode!r}: a sandbox here has no network of an engine's; "
            "write network_mode: none, or give IntercodeSandboxConfig(image=…, network='allow'), which is a proxy"
        )
    if service.user not in (None, "root", "0", "0:0"):
        raise UserError(f"service {name!r}: user {service.user!r}: commands run as root unless exec() says `user=`")
    unknown = sorted(keys - READ - PASSED_OVER - {"command", "entrypoint", "network_mode", "user"})
    if unknown:
        raise UserError(
            f"service {name!r}: intercode's sandbox does not know {_names(unknown)}; use Docker for this task"
        )


def _image(name: str, service: ComposeService, folder: Path) -> str:
    if service.build is not None:
        build = service.build
        context = build if isinstance(build, str) else build.context or "."
        if not isinstance(build, str) and build.dockerfile not in (None, "Dockerfile"):
            raise UserError(
                f"service {name!r}: the file of a build must be called Dockerfile, not {build.dockerfile!r}"
            )
        return str((folder / context).resolve())
    if not service.image or "$" in service.image:
        raise UserError(f"service {name!r}: give `image` as a name or `build` as a folder; variables are not read")
    return service.image


def _environment(given: list[str] | dict[str, str | None] | None) -> dict[str, str]:
    pairs = given if isinstance(given, dict) else dict(line.partition("=")[::2] for line in given or [])
    return {name: value or "" for name, value in pairs.items()}


def _deploy_limit(service: ComposeService, what: str) -> str:
    resources = service.deploy.resources if service.deploy else None
    return str(getattr(resources.limits, what) or "") if resources and resources.limits else ""


def _bytes(text: str) -> int:
    found = _SIZE.match(text.strip())
    if not found:
        raise UserError(f"no size: {text!r}; write 512m or 2g")
    return int(float(found[1]) * 1024 ** " kmg".index(found[2].lower().replace("b", "") or " "))


def _names(names: Any) -> str:
    return ", ".join(sorted(names))
