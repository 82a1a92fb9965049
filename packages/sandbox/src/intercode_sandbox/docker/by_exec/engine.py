"""The engine, by its command `docker` or `podman`: each question is a program that runs for a moment.

What comes out of containers is whatever the code in them wrote: it is read as a stream, and never further than asked.
"""

from __future__ import annotations

import errno
import subprocess
import tarfile
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

from intercode_sandbox.engine.command import last_line
from intercode_sandbox.engine.errors import NO_PATH, diff_error, path_error
from intercode_sandbox.engine.images import ImageCommands
from intercode_sandbox.engine.owner import this_process
from intercode_sandbox.errors import SandboxError, SessionLostError
from intercode_sandbox.images.engine_store import LABEL

NO_LIMITS = (
    "the container engine holds no limits on memory and processes, so no session may run there: its control groups "
    "must be on (rootless Podman: version 2 of them)"
)
BLOCK = 1 << 16
ENDING_SECONDS, ENDING_LOOKS = 5.0, 10
"""For how long, and how often, the engine is asked whether a container has ended."""

GROUP = "intercode.sandbox"
"""The label that the containers of one sandbox share."""


class CommandEngine(ImageCommands):
    """An engine: its images and containers. All of it raises SandboxError.

    *url* names one that is not the usual. *group* is a label, beside the owner's, of all containers that are made.
    """

    def __init__(self, url: str = "", group: str = "") -> None:
        super().__init__(url)
        self._labels = ["--label", f"{LABEL}={this_process()}", "--label", f"{GROUP}={group}"]

    def create_idle(self, name: str, image: str) -> str:
        """Make a container of *image* that is never to run; its id."""
        words = ("create", *self._labels, "--name", name, image, "/none")
        return last_line(self.call(f"making a container of {image}", *words))

    # Containers

    def run(self, image: str, options: Sequence[str], *argv: str) -> str:
        """Start a container of *image* that goes on in the background; its id."""
        return last_line(
            self.call(f"starting a container of {image}", "run", "--detach", *self._labels, *options, image, *argv)
        )

    def check_limits(self, container: str) -> None:
        """Remove a container whose limits on memory and processes the engine left out, and raise SandboxError."""
        words = "{{.HostConfig.Memory}} {{.HostConfig.PidsLimit}}"
        said = last_line(self.call("looking at a container", "container", "inspect", "--format", words, container))
        if not all(each.isdecimal() and int(each) for each in said.split()):
            self.remove(container)
            raise SandboxError(NO_LIMITS)

    def is_running(self, container: str) -> bool:
        """Return whether it runs; False for one that is gone."""
        status, output, _ = self.try_call("container", "inspect", "--format", "{{.State.Running}}", container)
        return status == 0 and output.strip() == b"true"

    def is_left_alone(self, container: str) -> bool:
        """Return whether a container has ended by itself since it was started last.

        Not by the engine or whoever asked it.

        Only events are listed whose words are the engine's: others hold the text of commands.
        """
        kinds = [word for kind in ("start", "kill", "die", "died") for word in ("--filter", f"event={kind}")]
        for _ in range(ENDING_LOOKS):  # an end is told a moment after it was
            span = ["--since", str(int(time.time()) - 86400), "--until", str(int(time.time()) + 1)]
            words = ["events", *span, "--filter", f"container={container}", *kinds, "--format", "{{.Status}}"]
            said = _lines(self.call("asking what has become of a container", *words))
            since = said[len(said) - said[::-1].index("start") :] if "start" in said else said
            if {"die", "died"} & set(since):
                return "kill" not in since
            if not self.is_running(container):
                time.sleep(ENDING_SECONDS / ENDING_LOOKS)
        return False

    def touched(self, container: str, limit: int) -> bytes:
        """Return the engine's list of paths that differ from the image, a line each, such as `C /etc`.

        Raises:
            SessionLostError: If it has more than *limit* bytes, or the engine cannot make it.
        """
        with self.start("diff", container) as popen:
            assert popen.stdout is not None
            assert popen.stderr is not None
            output = popen.stdout.read(limit + 1)
            if len(output) > limit:
                popen.kill()
                raise SessionLostError("this session has changed more files than can be listed")
            errors = popen.stderr.read().decode("utf-8", "replace").strip()
        if popen.returncode:
            raise diff_error(errors)
        return output

    @contextmanager
    def archive(
        self, container: str, path: str, *, follow: bool = False, to_end: bool = True
    ) -> Iterator[tarfile.TarFile]:
        """Provide what is at *path* in a container, with all below it, as the engine reads it.

        A tar archive, as a stream.

        *follow*: whether a link there is followed, inside the container's root. *to_end*: whether all of it is read, so
        that a stream that is cut off is an error.

        Raises:
            OSError: If nothing is there, or it cannot be read.
            SandboxGoneError: If the container is gone.
        """
        arguments = ["export", container] if path == "/" else ["cp", *(["-L"] if follow else []), f"{container}:{path}"]
        with self.start(*arguments, *([] if path == "/" else ["-"])) as popen:
            try:
                yield self._open(popen, container, path)
                if to_end:
                    self._check_end(popen, container, path)
            except tarfile.TarError as error:
                raise OSError(errno.EIO, f"the engine's archive of it cannot be read ({error})", path) from error
            finally:
                popen.kill()

    def _open(self, popen: subprocess.Popen[bytes], container: str, path: str) -> tarfile.TarFile:
        assert popen.stdout is not None
        assert popen.stderr is not None
        try:
            return tarfile.open(fileobj=popen.stdout, mode="r|", bufsize=BLOCK)
        except tarfile.ReadError:  # it has printed nothing
            errors = popen.stderr.read().decode("utf-8", "replace").strip()
        raise self._path_error(errors, container, path)

    def _check_end(self, popen: subprocess.Popen[bytes], container: str, path: str) -> None:
        """Raise OSError where an archive ended early: Python takes a broken header for the end."""
        assert popen.stdout is not None
        assert popen.stderr is not None
        while popen.stdout.read(BLOCK):
            pass
        errors = popen.stderr.read().decode("utf-8", "replace").strip()
        if popen.wait():
            raise self._path_error(errors, container, path)

    def put(self, container: str, blocks: Iterable[bytes], path: str) -> None:
        """Unpack a tar archive at the root of a container.

        Raises:
            OSError: If that cannot be done; it is about *path*.
        """
        status, _, errors = self.try_call("cp", "-", f"{container}:/", blocks=blocks)
        if status:
            raise self._path_error(errors, container, path)

    def _path_error(self, errors: str, container: str, path: str) -> Exception:
        """See `path_error`. Docker 20.10 has the same words for a missing path and container: the engine is asked."""
        if NO_PATH in errors and self.try_call("container", "inspect", container)[0] == 0:
            return FileNotFoundError(errno.ENOENT, "No such file or directory", path)
        return path_error(errors, path)


def _lines(output: bytes) -> list[str]:
    return output.decode("utf-8", "replace").split()
