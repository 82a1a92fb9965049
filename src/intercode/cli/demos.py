"""`intercode demos`: make few-shot demonstrations from runs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from intercode.cli.shared import options, parsing
from intercode.errors import UserError
from intercode_sandbox.util.text import pluralize

if TYPE_CHECKING:
    from intercode.types import Trajectory


def command(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN", help="Run directories, such as runs/first.")],
    out: Annotated[
        Path,
        typer.Option(metavar="FILE", help="The file to write, an episode on each line, for `intercode run --demos`."),
    ] = Path("demos.jsonl"),
    number: Annotated[int, typer.Option(metavar="N", parser=parsing.whole(1), help="Take at most N episodes.")] = 3,
    min_turns: Annotated[
        int, typer.Option(metavar="N", parser=parsing.whole(1), help="Only episodes of N turns or more.")
    ] = 2,
    max_turns: Annotated[
        int, typer.Option(metavar="N", parser=parsing.whole(1), help="Only episodes of N turns or fewer.")
    ] = 8,
    seed: Annotated[int, typer.Option(metavar="N", help="Seed of the choice among equally good episodes.")] = 0,
    json: options.Json = False,
) -> None:
    """Make few-shot demonstrations from runs: successful episodes from as many kinds of tasks as possible."""
    from intercode.cli.display import console
    from intercode.runs import demonstrations

    chosen = demonstrations.choose(runs, number=number, turns=(min_turns, max_turns), seed=seed)
    if out.exists():
        raise UserError(f"{out} already exists: name another file with --out")
    demonstrations.write(chosen, out)
    if json:
        console.print_json([{"task": each.task.id, "turns": len(each.turns)} for each in chosen])
        return
    for each in chosen:
        print(_line(each))
    print(
        f"\n{pluralize(len(chosen), 'demonstration is', 'demonstrations are')} in {out}. "
        f"To show a model: intercode run --model NAME --demos {out}"
    )


def _line(episode: Trajectory) -> str:
    from intercode.cli.display.console import escape_control_characters

    query = escape_control_characters(episode.task.query)[:80]
    return f"{episode.task.id}: {query} ({pluralize(len(episode.turns), 'turn')})"
