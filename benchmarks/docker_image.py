"""Images for Docker: a root file system, a tree, and perhaps a git repository at / that tracks it, as published."""

from __future__ import annotations

import io
import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks import file_tree
from intercode_sandbox.testing.docker_engine import DockerEngine

LABEL = "intercode-benchmark"
"""On every container that is made here."""

IGNORED = "bin boot dev etc home lib lib32 lib64 libx32 media opt proc root run sbin srv sys usr var .dockerenv"

TRACK = (
    f"cd / && printf '%s\\n' {IGNORED} > .gitignore && git init -q && git add -A && "
    "git -c user.name=benchmark -c user.email=benchmark@localhost commit -qm start"
)


@contextmanager
def docker_image(engine: DockerEngine, base: Path, tree: bytes | None = None, command: str = TRACK) -> Iterator[str]:
    """The id of an image of *base* with *tree* (a tar archive, plain or gzip; default: ours), on which *command* ran.

    *base* is a root file system with bash, and git for what is published: a tar archive or a folder. Images and
    containers made for it are removed in the end. Raises RuntimeError when *base* will not do.
    """
    from docker.errors import APIError

    client = engine.client()
    made: list[str] = []
    try:
        try:
            made.append(_import(client, base))
            made.append(_with_tree(client, made[0], file_tree.archive() if tree is None else tree, command))
        except APIError as error:
            raise RuntimeError(f"{base}: Docker makes no image of it: {error.explanation}") from error
        yield made[-1]
    finally:
        _remove(client, reversed(made))
        client.close()


def start(client: Any, image: str) -> Any:
    """Return a container of *image* that waits for `exec_run`, without a network."""
    container = client.containers.create(image, "/bin/bash", tty=True, network_mode="none", labels=[LABEL])
    try:
        container.start()
    except BaseException:
        container.remove(force=True)
        raise
    return container


def checked(answer: Any, what: str) -> Any:
    """Return *answer*, of an `exec_run` that must succeed.

    Raises RuntimeError that says *what* and shows the output.
    """
    if answer.exit_code != 0:
        raise RuntimeError(f"{what}: {answer.output.decode(errors='replace')}")
    return answer


def _import(client: Any, base: Path) -> str:
    argv = ["tar", "-C", str(base), "--exclude=./dev/*", "-c", "."] if base.is_dir() else ["cat", str(base)]
    with subprocess.Popen(argv, stdout=subprocess.PIPE) as source:
        assert source.stdout is not None
        # In pieces: docker-py announces a chunked body, but would send what it can measure (a file) in one.
        answer = client.api.import_image_from_stream(iter(partial(source.stdout.read, 1 << 20), b""))
    if source.returncode != 0:
        raise RuntimeError(f"{base}: cannot be read as a root file system ({argv[0]} exited {source.returncode})")
    return str(json.loads(answer)["status"])


def _with_tree(client: Any, image: str, tree: bytes, command: str) -> str:
    """Return the id of a new image: *image* with *tree* unpacked, and what *command* did."""
    container = start(client, image)
    try:
        container.put_archive("/", io.BytesIO(tree))
        checked(container.exec_run(["/bin/bash", "-c", command]), f"preparing the image failed ({command})")
        return str(container.commit().id)
    finally:
        container.remove(force=True)


def _remove(client: Any, images: Iterator[str]) -> None:
    from docker.errors import ImageNotFound

    for image in images:
        with suppress(ImageNotFound):  # a parent without a name goes with its last child
            client.images.remove(image, force=True)
