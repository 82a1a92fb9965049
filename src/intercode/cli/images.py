"""`intercode images`: list, build and remove the embedded sandbox's images."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

from intercode.cli.shared import options
from intercode.errors import UnknownNameError
from intercode_sandbox.util.text import pluralize

if TYPE_CHECKING:
    from collections.abc import Sequence

    from intercode.report.table import Table
    from intercode_sandbox.embedded import EmbeddedSandbox
    from intercode_sandbox.images.store import Built, ImageStore

commands = typer.Typer(help="List, build and remove the embedded sandbox's images.", no_args_is_help=True)

SHOWN = 12
"""Letters of a key that are shown; `remove` takes as many as tell it from others."""


@commands.command("list")
def show(form: options.Form = "table", json: options.Json = False) -> None:
    """List the layers on disk, oldest first, with their sizes."""
    from intercode.cli.display import console, tables

    with _store() as store:
        built = store.built()
        if json or form != "table":
            tables.show_rows(_sheet(built), "json" if json else form, _data(built))
            return
        if not built:
            print(f"nothing is kept in {store.root}. Build one: intercode images build host")
            return
        console.out().print(tables.table(_sheet(built), unbroken=("key", "built")))
        print(f"\n{pluralize(len(built), 'layer')}, {_megabytes(sum(each.size for each in built))} in {store.root}")
        print("remove those that nobody uses: intercode images prune")


@commands.command("build")
def build(
    name: Annotated[str, typer.Argument(metavar="NAME|PATH", help="An image, as --image takes it, such as debian.")],
    json: options.Json = False,
) -> None:
    """Build an image now, so that no run has to wait for it."""
    from intercode.cli.display import console
    from intercode_sandbox import images

    image = images.find(name)
    began = time.monotonic()
    with _sandbox() as sandbox:
        mounts = sandbox.store.mounts(image)
    seconds = time.monotonic() - began
    if json:
        layers = [str(mount.path) for mount in mounts]
        console.print_json({"name": image.name, "digest": image.digest, "layers": layers, "seconds": round(seconds, 3)})
        return
    print(f"{image.name}@{image.digest} is ready ({pluralize(len(mounts), 'layer')}, {seconds:.1f} s)")
    print(f"use it: intercode run --image {name}")


@commands.command("remove")
def remove(
    keys: Annotated[
        list[str], typer.Argument(metavar="KEY", help="Keys as `intercode images list` shows them, or how they begin.")
    ],
    json: options.Json = False,
) -> None:
    """Remove layers by their keys, unless they are in use."""
    with _store() as store:
        chosen = [_find(store, key) for key in keys]
        for each in chosen:
            store.remove(each.key)
    _report(chosen, json)


@commands.command("prune")
def prune(json: options.Json = False) -> None:
    """Remove all layers that are not in use."""
    with _store() as store:
        removed = store.prune()
    _report(removed, json)


def _find(store: ImageStore, key: str) -> Built:
    found = [each for each in store.built() if each.key.startswith(key)]
    if len(found) != 1:
        many = f"{len(found)} layers have keys that begin with" if found else "no layer has a key that begins with"
        raise UnknownNameError(f"{many} {key!r} in {store.root}; `intercode images list` lists what there is")
    return found[0]


def _report(removed: Sequence[Built], json: bool) -> None:
    if json:
        from intercode.cli.display import console

        console.print_json(_data(removed))
        return
    for each in removed:
        print(f"removed {each.key[:SHOWN]} {each.recipe} ({_megabytes(each.size)})")
    print(f"{_megabytes(sum(each.size for each in removed))} are free again" if removed else "nothing to remove")


def _sheet(built: Sequence[Built]) -> Table:
    from intercode.report.table import Column, Table

    columns = (Column("key"), Column("MB", "number"), Column("built"), Column("seconds", "number"), Column("what"))
    rows = [
        (
            each.key[:SHOWN],
            each.size / 1e6,
            time.strftime("%Y-%m-%d %H:%M", time.localtime(each.built_at)),
            each.seconds,
            each.recipe,
        )
        for each in built
    ]
    return Table("layers", columns, tuple(rows))


def _data(built: Sequence[Built]) -> list[dict[str, Any]]:
    from dataclasses import asdict

    return [asdict(each) for each in built]


def _megabytes(size: int) -> str:
    return f"{size / 1e6:.1f} MB"


@contextmanager
def _store() -> Iterator[ImageStore]:
    with _sandbox() as sandbox:
        yield sandbox.store


def _sandbox() -> EmbeddedSandbox:
    """Return what builds images; it starts nothing before that."""
    from intercode_sandbox.embedded import EmbeddedSandbox

    return EmbeddedSandbox(progress=_say)


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
