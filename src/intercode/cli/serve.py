"""`intercode serve`: serve a data set's episodes to OpenEnv, MCP or AgentGym."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from intercode.cli.shared import options, parsing
from intercode.errors import UserError

MISSING = "serving needs a web server: pip install 'intercode-env[serve]'"


def command(
    dataset: options.DatasetArgument = None,
    dataset_option: options.DatasetOption = None,
    world: options.World = None,
    tasks: options.Tasks = None,
    turns: options.Turns = None,
    scoring: options.ScoringName = None,
    reward: options.Reward = None,
    shell: options.Shell = None,
    sandbox: options.Sandbox = None,
    i_know_this_is_unsafe: options.Unsafe = None,
    image: options.Image = None,
    database: options.Database = None,
    handicap: options.Handicap = None,
    attempts: options.Attempts = None,
    host: Annotated[
        str,
        typer.Option(
            metavar="ADDRESS", help="The address to listen on, such as 0.0.0.0; all but 127.0.0.1 need a token."
        ),
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(metavar="N", min=0, max=65535, help="The port to listen on; 0 takes a free one.")
    ] = 8000,
    max_sessions: Annotated[
        int, typer.Option(metavar="N", min=1, help="Episodes at once; a client that wants more is refused.")
    ] = 64,
    session_timeout: Annotated[
        float, typer.Option(metavar="SECONDS", min=0.1, help="Close an episode that nobody has used for so long.")
    ] = 600.0,
    drain_timeout: Annotated[
        float,
        typer.Option(metavar="SECONDS", min=0, help="When told to stop (SIGTERM), let episodes go on for this long."),
    ] = 2.0,
    token_file: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Serve only clients that send the token in this file.",
            show_default="the variable INTERCODE_SERVE_TOKEN",
        ),
    ] = None,
    mcp: Annotated[
        bool, typer.Option("--mcp", help="Speak MCP with one client, over standard input and output.")
    ] = False,
    mcp_http: Annotated[bool, typer.Option("--mcp-http", help="Speak MCP over HTTP, at /mcp.")] = False,
    agentgym: Annotated[bool, typer.Option("--agentgym", help="Speak AgentGym's protocol over HTTP.")] = False,
    package: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Serve nothing: write an OpenEnv environment (server, client, Dockerfile) to this new folder.",
        ),
    ] = None,
) -> None:
    """Serve a data set's episodes over HTTP, each client its own.

    Clients speak OpenEnv's protocol, unless --mcp, --mcp-http or --agentgym says otherwise. Ctrl-C ends the server.

    Example: intercode serve starter --port 8000
    """
    from intercode.env.dataset_choice import dataset_and_world

    given = {
        **dataset_and_world(dataset, world),
        "dataset_options": parsing.values("--dataset-option", dataset_option),
        "tasks": parsing.names(tasks),
        "turns": turns,
        "scoring": parsing.scoring(scoring),
        "reward": reward,
        "shell": parsing.shell(shell),
        "sandbox": sandbox,
        "unsafe": i_know_this_is_unsafe,
        "image": image,
        "database": database,
        "handicap": handicap,
        "attempts": attempts,
    }
    played = {name: value for name, value in given.items() if value is not None}
    if package is not None:
        _package(played, package)
        return
    if mcp + mcp_http + agentgym > 1:
        raise UserError("one server speaks one protocol: choose one of --mcp, --mcp-http and --agentgym")
    try:
        from intercode.integrations.openenv.server import ServerOptions, serve
        from intercode.integrations.serving.guard import read_token
        from intercode.integrations.serving.logs import write_logs
    except ImportError as error:
        raise UserError(MISSING) from error
    from intercode.runs.settings import Settings

    token = read_token(token_file, host)
    write_logs()
    chosen = ServerOptions(host, port, token, max_sessions, session_timeout, drain_timeout)
    if mcp or mcp_http:
        try:
            from intercode.integrations.mcp import serve_http, serve_stdio
        except ImportError as error:
            raise UserError("MCP needs its library: pip install 'intercode-env[mcp]'") from error
        if mcp_http:
            serve_http(Settings().changed(**played), chosen, say=_say, ready=_ready)
        else:
            serve_stdio(Settings().changed(**played), chosen, say=_say)
        return
    if agentgym:
        from intercode.integrations.agentgym import make_app

        serve(Settings().changed(**played), chosen, say=_say, ready=_ready, make=make_app)
        return
    serve(Settings().changed(**played), chosen, say=_say, ready=_ready)


def _package(played: dict[str, Any], folder: Path) -> None:
    from intercode.integrations.openenv.package import write_package

    write_package(folder, played)
    print(f"{folder} is an environment of OpenEnv's: see {folder / 'README.md'}")


def _ready(url: str) -> None:
    print(f"{url}\n(Ctrl-C ends it)", flush=True)


def _say(message: str) -> None:
    print(message, file=sys.stderr)
