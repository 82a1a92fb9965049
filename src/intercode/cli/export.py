"""`intercode export`: export a run for training, for other viewers or as a table."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from intercode.cli.shared import options, parsing, run_reader
from intercode.errors import MachineError, UserError
from intercode_sandbox.util.text import pluralize


def command(
    run: options.RunPath,
    form: Annotated[
        str,
        typer.Option(
            "--format", metavar="NAME", help="The format: atif, harbor, openai, sharegpt, inspect or parquet."
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option(metavar="PATH", help="The file or folder to write.", show_default="RUN-FORMAT with its ending"),
    ] = None,
    min_reward: Annotated[
        float | None,
        typer.Option(metavar="R", help="Only episodes with at least this reward, such as 1."),
    ] = None,
    agent: Annotated[
        str | None,
        typer.Option(
            "--as",
            metavar="AGENT",
            help="Write the episodes, such as golds, as the conversations that AGENT would have had, such as react.",
            show_default="as they were",
        ),
    ] = None,
    scoring: options.ScoringName = None,
    json: options.Json = False,
) -> None:
    """Export a run: for training, for other viewers, or as a table."""
    from intercode.cli.display import console
    from intercode.report import exports
    from intercode.report.export import RunData, choose_episodes
    from intercode.report.rephrase import Rephraser

    export = exports.find(form)
    (found,) = run_reader.read([run])
    leading = parsing.scoring(scoring) or found.manifest.leading_reward
    episodes = choose_episodes(found.episodes, export, leading, min_reward)
    if agent is not None:
        rephraser = Rephraser(agent, leading, found.manifest.settings.shell)
        episodes = tuple(said for each in episodes if (said := rephraser.rephrase(each)) is not None)
    name = found.path.resolve().name
    path = out or Path(f"{name}-{form}{export.ending}")
    if path.exists():
        raise UserError(f"{path} already exists: remove it, or name another with --out")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        written = export.write(RunData(name, found.manifest, episodes, leading), path)
    except OSError as error:
        raise MachineError(
            f"cannot write {error.filename or path}: {error.strerror}; name another with --out"
        ) from error
    left_out = len(found.episodes) - len(episodes)
    if json:
        console.print_json({"path": str(path), "written": written, "episodes": len(episodes), "left_out": left_out})
        return
    print(
        f"written: {path}, {written} of {pluralize(len(episodes), 'episode')}"
        + f"; {left_out} left out" * bool(left_out)
    )
