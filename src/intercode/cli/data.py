"""`intercode data`: fetch the published data sets, or list them."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from intercode.cli.shared import options

commands = typer.Typer(help="Fetch the published data sets, or list them.", no_args_is_help=True)


@commands.command("get")
def get(
    names: Annotated[list[str], typer.Argument(metavar="NAME...", help="Data sets; `intercode data list` lists them.")],
    json: options.Json = False,
) -> None:
    """Fetch data sets from their sources; what is there already is only checked."""
    from intercode.datasets import sources

    folders = {name: str(sources.get(name, progress=_say)) for name in names}
    if json:
        from intercode.cli.display import console

        console.print_json(folders)
        return
    for name, folder in folders.items():
        print(f"{name} is in {folder}. Look at it: intercode tasks {name}")


@commands.command("list")
def show(json: options.Json = False) -> None:
    """List the published data sets, and which of them are here."""
    from intercode.cli.display import console
    from intercode.datasets import sources

    found = sources.available()
    if json:
        names = ("name", "description", "licence", "size", "present")
        console.print_json(
            [{name: getattr(each, name) for name in names} | {"folder": str(each.folder)} for each in found]
        )
        return
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="dim")
    for column in ("name", "here", "size", "licence", "what"):
        table.add_column(column, justify="right" if column == "size" else "left", no_wrap=column != "what")
    for each in found:
        table.add_row(
            each.name, "yes" if each.present else "no", f"{each.size / 1e6:.1f} MB", each.licence, each.description
        )
    console.out().print(table)
    missing = [each.name for each in found if not each.present]
    if missing:
        print(f"\nfetch one: intercode data get {missing[0]}")


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
