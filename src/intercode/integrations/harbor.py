"""Harbor's agents and tasks in our sandbox, without Docker: `harbor run --env intercode.integrations.harbor:NAME`."""

from __future__ import annotations

import atexit
from functools import cache
from pathlib import Path
from typing import Any

from harbor.environments.base import BaseEnvironment, ExecResult
from harbor.environments.capabilities import EnvironmentCapabilities, EnvironmentResourceCapabilities

from intercode.datasets.dockerfiles.image import Build, task_image
from intercode.errors import BadDataError
from intercode.integrations.threads import in_thread, open_in_thread
from intercode.worlds.harbor.task_settings import COMPOSE
from intercode_sandbox import images
from intercode_sandbox.embedded import EmbeddedSandbox
from intercode_sandbox.images import Image
from intercode_sandbox.sandbox import Limits, Session

LOGS = "mkdir -p /logs/agent /logs/verifier /logs/artifacts && chmod -R 777 /logs"
LONGEST = 86400.0
"""Seconds of a command that has no limit of its own: Harbor stops agents and verifiers itself."""


class IntercodeEnvironment(BaseEnvironment):
    """A task's environment as a session of the embedded sandbox, which all trials of a process share.

    Args:
        image: What the Dockerfile's FROM is replaced by (`--ek image=…`), or what is used where there is no Dockerfile.
        build: How the Dockerfile becomes an image: see `HarborFolderDataset`.
    """

    def __init__(self, *arguments: Any, image: str = "host", build: Build = "host", **options: Any) -> None:
        self._image, self._build = image, build
        self._session: Session | None = None
        super().__init__(*arguments, **options)

    @staticmethod
    def type() -> str:
        """Return what Harbor's records call it."""
        return "intercode"

    @property
    def capabilities(self) -> EnvironmentCapabilities:
        """No task ever has a network here."""
        return EnvironmentCapabilities(disable_internet=True)

    @classmethod
    def resource_capabilities(cls) -> EnvironmentResourceCapabilities:
        """Memory is limited; processors are not."""
        return EnvironmentResourceCapabilities(memory_limit=True)

    async def start(self, force_build: bool) -> None:
        """Begin a session. An image is built when it is not there, whatever *force_build* says: it is keyed by content.

        Raises:
            ImageError: If the image cannot be built here.
            BadDataError: If the environment cannot be made here.
        """
        if getattr(self._network_policy.network_mode, "value", "") == "public":
            self.logger.warning("the sandbox has no network, although the task's network mode is public")
        image = await in_thread(self._make_image)
        self._session = await open_in_thread(_sandbox().start, image, limits=self._limits())
        await self.exec(LOGS, user="root")

    async def stop(self, delete: bool) -> None:
        """End the session: nothing of it is kept."""
        if self._session is not None:
            await in_thread(self._session.close)

    async def exec(
        self,
        command: str,
        cwd: str | None = None,
        env: dict[str, str] | None = None,
        timeout_sec: int | None = None,
        user: str | int | None = None,
    ) -> ExecResult:
        """Run *command* with Bash.

        Raises:
            RuntimeError: After *timeout_sec*, as Harbor's Docker environment does.
        """
        session, who = self._running, self._resolve_user(user)
        result = await in_thread(
            session.run,
            ["/bin/bash", "-c", command],
            cwd=cwd or session.image.workdir,
            env={**session.image.env, **(self._merge_env(env) or {})},
            timeout=timeout_sec,
            separate=True,
            user=None if who is None else str(who),
        )
        if result.timed_out:
            raise RuntimeError(f"Command timed out after {timeout_sec or LONGEST:g} seconds")
        errors = result.errors.decode("utf-8", "replace")
        return ExecResult(stdout=result.text, stderr=errors, return_code=result.exit_code)

    async def upload_file(self, source_path: Path | str, target_path: str) -> None:
        """Copy a file in; it stays executable where it was."""
        source = Path(source_path)
        mode = 0o755 if source.stat().st_mode & 0o100 else 0o644
        await in_thread(self._running.write, str(target_path), source.read_bytes(), mode=mode)

    async def upload_dir(self, source_dir: Path | str, target_dir: str) -> None:
        """Copy a folder in."""
        self._say(await in_thread(self._running.upload, source_dir, str(target_dir)))

    async def download_file(self, source_path: str, target_path: Path | str) -> None:
        """Copy a file out, at most 1 GiB of it."""
        content = await in_thread(self._running.read, str(source_path), limit=1 << 30)
        Path(target_path).parent.mkdir(parents=True, exist_ok=True)
        Path(target_path).write_bytes(content)

    async def download_dir(self, source_dir: str, target_dir: Path | str) -> None:
        """Copy a folder out, without links and devices."""
        self._say(await in_thread(self._running.download, str(source_dir), target_dir))

    @property
    def _running(self) -> Session:
        assert self._session is not None, "start() comes first"
        return self._session

    def _validate_definition(self) -> None:
        if compose := next((name for name in COMPOSE if (self.environment_dir / name).exists()), ""):
            raise BadDataError(f"{self.environment_dir / compose}: several services are not played here")
        if self._image == "host" and not (self.environment_dir / "Dockerfile").is_file():
            raise FileNotFoundError(f"{self.environment_dir} has no Dockerfile: name an image (--ek image=NAME)")

    def _make_image(self) -> Image:
        base = images.find(self._image)
        if not (self.environment_dir / "Dockerfile").is_file():
            return base
        return task_image(self.environment_dir, base, self._build, workdir=self.task_env_config.workdir or "")

    def _limits(self) -> Limits:
        memory, disk = self._effective_memory_mb or 4096, self._effective_storage_mb or 2048
        return Limits(
            seconds=LONGEST,
            memory=memory << 20,
            processes=1024,
            disk=disk << 20,
            inodes=1 << 18,
            output=16 << 20,
        )

    def _say(self, left_out: list[str]) -> None:
        if left_out:
            self.logger.warning("not copied, as they are neither files nor folders: %s", ", ".join(left_out))


@cache
def _sandbox() -> EmbeddedSandbox:
    sandbox = EmbeddedSandbox()
    atexit.register(sandbox.close)
    return sandbox
