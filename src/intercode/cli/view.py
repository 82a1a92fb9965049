"""`intercode view`: view runs in a browser."""

from __future__ import annotations

import contextlib
import os
import sys
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from intercode.cli.shared import options, parsing
from intercode.cli.shared.program_name import program_name
from intercode.errors import UserError

if TYPE_CHECKING:
    from intercode.view.export import ExportOptions
    from intercode.view.library import RunLibrary

USUAL = Path("runs")
"""Where runs are, unless they are named: where `intercode run` puts them."""

MISSING = "the page needs a web server: pip install 'intercode-env[view]'; `intercode show` needs none"


def command(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="RUN|FOLDER",
            help="Runs, folders of runs, ATIF trajectories, Inspect logs (.eval).",
            show_default="runs",
        ),
    ] = None,
    port: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            parser=parsing.whole(1, 65535),
            help="The port to listen on (127.0.0.1).",
            show_default="a free one",
        ),
    ] = None,
    no_browser: Annotated[
        bool, typer.Option("--no-browser", help="Print the address without opening a browser.")
    ] = False,
    export: Annotated[
        Path | None,
        typer.Option(metavar="FILE.html", help="Write the page, with all its data, to one file, such as runs.html."),
    ] = None,
    redact: Annotated[
        list[str] | None,
        typer.Option(
            metavar="WHAT", help="With --export: leave out thoughts, prompts or observations, comma-separated."
        ),
    ] = None,
    failed: Annotated[bool, typer.Option("--failed", help="With --export: only episodes that failed.")] = False,
    changes: Annotated[
        bool,
        typer.Option("--changes", help="With --export: play again, and add what each turn and the gold changed."),
    ] = False,
    max_size: Annotated[
        int, typer.Option(metavar="MB", parser=parsing.whole(1), help="With --export: refuse to write a larger file.")
    ] = 50,
    i_know_this_is_unsafe: options.Unsafe = None,
) -> None:
    """View runs in a browser: episodes, turns and what they changed, two runs side by side, live runs."""
    try:
        from intercode.view.export import ExportOptions
        from intercode.view.library import RunLibrary
        from intercode.view.server import ViewServer
    except ImportError as error:
        raise UserError(MISSING) from error
    library = RunLibrary.open(_paths_or_default(paths))
    for problem in library.problems.values():
        print(f"left out: {problem}", file=sys.stderr)
    unsafe = bool(i_know_this_is_unsafe)
    if export is not None:
        left_out = parsing.names(redact) or ()
        _export(library, export, ExportOptions(left_out, failed, max_size * 1_000_000, program_name()), changes, unsafe)
        return
    if redact or failed or changes:
        raise UserError("--redact, --failed and --changes are for --export; the page has filters of its own")
    server = ViewServer(library, port=port, unsafe=unsafe, program=program_name())
    print(f"{server.url}\n(Ctrl-C ends it)", flush=True)
    if not no_browser and _has_display():
        webbrowser.open(server.url)
    with contextlib.suppress(KeyboardInterrupt):
        server.run()


def _paths_or_default(paths: list[Path] | None) -> list[Path]:
    if not paths and not USUAL.is_dir():
        raise UserError(f"there is no folder {USUAL}/ here: name a run, or a folder of runs")
    return paths or [USUAL]


def _export(library: RunLibrary, path: Path, options: ExportOptions, with_changes: bool, unsafe: bool) -> None:
    """The page and its data as one file; *with_changes* every episode is played again for it."""
    from intercode.view.changes import ChangeService
    from intercode.view.export import PageExport

    if with_changes and "observations" in options.redact:
        raise UserError("--changes shows what was observed: leave out --redact observations, or --changes")
    with contextlib.ExitStack() as stack:
        stack.callback(library.close)
        service = ChangeService(unsafe) if with_changes else None
        if service is not None:
            stack.callback(service.close)
        print(PageExport(library, options, service, lambda line: print(line, file=sys.stderr)).write(path))


def _has_display() -> bool:
    """Return whether a browser would have a window: one that draws in the terminal would take it from us."""
    return any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"))
