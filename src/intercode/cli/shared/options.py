"""Options that several commands have. Nothing heavy is imported here: `--help` reads all of it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from intercode.cli.shared.parsing import FORMATS, format_name, name, whole
from intercode.cli.shared.setting_options import OPTIONS, typer_option

Dataset = Annotated[str | None, typer_option("dataset")]
DatasetArgument = Annotated[
    str | None,
    typer.Argument(metavar="DATASET", parser=name, help=OPTIONS["dataset"].help, show_default="starter"),
]
DatasetOption = Annotated[list[str] | None, typer_option("dataset_options")]
World = Annotated[str | None, typer_option("world")]
Sandbox = Annotated[str | None, typer_option("sandbox")]
Unsafe = Annotated[bool | None, typer_option("unsafe")]
Image = Annotated[str | None, typer_option("image")]
Network = Annotated[str | None, typer_option("network")]
VerifierNetwork = Annotated[str | None, typer_option("verifier_network")]
ScoringName = Annotated[str | None, typer_option("scoring")]
Reward = Annotated[str | None, typer_option("reward")]
Shell = Annotated[str | None, typer_option("shell")]
Database = Annotated[str | None, typer_option("database")]
Handicap = Annotated[bool | None, typer_option("handicap")]
Attempts = Annotated[int | None, typer_option("attempts")]
Tasks = Annotated[list[str] | None, typer_option("tasks")]
WithoutWrongGolds = Annotated[bool | None, typer_option("without_wrong_golds")]
WithoutVoid = Annotated[
    bool, typer.Option("--without-void", help="Skip tasks whose gold returns nothing, or only 0 and NULL.")
]
CountErrors = Annotated[
    bool,
    typer.Option(
        "--count-errors-as-failures",
        help="Count episodes that ended in an error or were refused as failures, not at all otherwise.",
    ),
]
Limit = Annotated[int | None, typer_option("limit")]
Parallel = Annotated[
    int,
    typer.Option("--parallel", "-p", "--concurrency", metavar="N", parser=whole(1), help="Episodes to play at once."),
]
Processes = Annotated[
    int | None,
    typer.Option(
        metavar="N", parser=whole(1), help="Processes that play the episodes.", show_default="by cores and --parallel"
    ),
]
KeepGoing = Annotated[
    bool, typer.Option("--keep-going", help="Go on even if the first episodes all end in the same error.")
]
Turns = Annotated[int | None, typer_option("turns")]
Json = Annotated[bool, typer.Option("--json", help="Print only JSON to standard output.")]
Form = Annotated[
    str,
    typer.Option(
        "--format",
        metavar="|".join(FORMATS),
        parser=format_name,
        help="Output format; in csv a report has one line per figure.",
    ),
]
RunPath = Annotated[Path, typer.Argument(metavar="RUN", help="A run directory, such as runs/first.")]

Prompt = Annotated[
    str | None,
    typer.Option(
        metavar="FILE.md", help="A prompt of your own, in place of the built-in one.", show_default="by agent and world"
    ),
]
ParserName = Annotated[
    str | None,
    typer.Option(
        "--parser",
        metavar="default|bare|paper",
        help="How replies are parsed; bare: one without a code fence is code as a whole; paper: as published.",
        show_default="default",
    ),
]
Refine = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        parser=whole(0),
        help="Agent plan-solve: turns that it gets after it has seen its reward.",
        show_default="0",
    ),
]
Demos = Annotated[
    str | None,
    typer.Option(
        metavar="starter|FILE.jsonl",
        help="Few-shot demonstrations: ours for each world (starter), or a file that `intercode demos` wrote.",
    ),
]
