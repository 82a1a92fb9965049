"""`intercode doctor`: check this machine, and print the fix for what is missing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from intercode.cli.shared import options
from intercode.cli.shared.program_name import program_name
from intercode_sandbox.util.text import pluralize

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from intercode.report.table import Table as Sheet
    from intercode_sandbox.util.machine_check import Check

MARKS = {True: ("ok", "green"), False: ("missing", "bold red"), None: ("note", "yellow")}


def command(
    clean: Annotated[
        bool,
        typer.Option(
            "--clean", help="Remove control groups and containers left by InterCode processes that have died."
        ),
    ] = False,
    form: options.Form = "table",
    json: options.Json = False,
) -> None:
    """Check whether this machine can run sandboxes and databases, and print the fix for what is missing."""
    from intercode.cli.display import tables
    from intercode_sandbox.util.machine_check import merge_notes

    if clean:
        _clean(json)
        return
    found = merge_notes([*_sandboxes(), _database()])
    if json or form != "table":
        names = ("name", "ok", "detail", "fix")
        data = [{name: getattr(check, name) for name in names} for check in found]
        tables.show_rows(_sheet(found), "json" if json else form, data)
    else:
        _print(found)
    if any(check.ok is False for check in found):
        raise typer.Exit(1)


def _sandboxes() -> Iterator[Check]:
    """Yield what sandboxes need: on Linux all of them, elsewhere the one that works there."""
    from intercode_sandbox.docker import doctor as containers
    from intercode_sandbox.util.machine_check import Check
    from intercode_sandbox.util.operating_system import is_linux, system_name

    if is_linux():
        from intercode_sandbox.embedded import doctor

        yield from doctor.checks()
    else:
        yield Check("embedded", None, f"needs Linux, and this is {system_name()}: docker is the default here")
    yield from containers.checks()


def _database() -> Check:
    """Return what SQL tasks run on: nothing needs to be installed for them, but a server is the real thing."""
    from intercode.worlds.sql import databases
    from intercode.worlds.sql.databases.mysql import docker, server_program
    from intercode_sandbox.util.machine_check import Check
    from intercode_sandbox.util.system_packages import install_command

    if not (why := server_program.why_none()) and databases.has_client():
        found = server_program.find()
        return Check("databases", True, f"{found.title} at {found.path}; SQLite, embedded")
    if why and docker.available() and databases.has_client():
        return Check("databases", True, f"SQLite, embedded; and Docker, in which {docker.IMAGE} can run")
    if why:
        return Check("databases", None, f"SQLite, embedded; {why}", install_command(server_program.PACKAGE))
    lacking = f"SQLite, embedded; {server_program.find().title} is installed, but not PyMySQL, which talks to it"
    return Check("databases", None, lacking, databases.INSTALL_CLIENT)


def _clean(json: bool) -> None:
    """Remove what is left, and say what it was. Raises SandboxError where no engine answers, after all else is done."""
    from intercode.cli.display import console
    from intercode_sandbox.util.operating_system import is_linux

    removed = _clean_control_groups() if is_linux() else []
    if not json:
        for kind, name in removed:
            print(f"removed {kind} {name}")
    found = _clean_containers()
    removed += found
    if json:
        console.print_json({"removed": [{"kind": kind, "id": name} for kind, name in removed]})
        return
    for kind, name in found:
        print(f"removed {kind} {name.removeprefix('sha256:')[:12]}")
    removal = f"{pluralize(len(removed), 'leftover')} removed"
    print(removal if removed else "nothing is left of dead programs: nothing to remove")


def _clean_control_groups() -> list[tuple[str, str]]:
    from intercode_sandbox.embedded import control_groups

    return [("control group", str(folder)) for folder in control_groups.clean()]


def _clean_containers() -> list[tuple[str, str]]:
    from intercode_sandbox.engine.cleanup import clean, engines

    return [(each.kind, each.id) for engine in engines() for each in clean(engine)]


def _sheet(checks: Sequence[Check]) -> Sheet:
    from intercode.report.table import Column
    from intercode.report.table import Table as Sheet

    columns = tuple(map(Column, ("state", "check", "detail", "fix")))
    return Sheet("checks", columns, tuple((MARKS[each.ok][0], each.name, each.detail, each.fix) for each in checks))


def _print(checks: Sequence[Check]) -> None:
    from rich.table import Table
    from rich.text import Text

    from intercode.cli.display import console
    from intercode_sandbox.util.linux import default_sandbox

    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for check in checks:
        table.add_row(Text(*MARKS[check.ok]), Text(check.name), Text(check.detail))
        if check.fix:
            table.add_row("", "", Text(check.fix, style="cyan"))
    console.out().print(table)
    sandbox = default_sandbox()
    if any(check.ok is False for check in checks):
        print(
            f"\nthe {sandbox} sandbox cannot run here. Fix what is missing, then check again: {program_name()} doctor"
        )
    else:
        print(f"\nthe {sandbox} sandbox can run here. Begin with: {program_name()} run")
