"""Options that several commands have. Nothing heavy is imported here: `--help` reads all of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from intercode.cli.shared.parsing import FORMATS, format_name, number, whole


def plugin_names(kind: str) -> Callable[[str], list[str]]:
    """What a shell offers for the name of a plug-in of that *kind*."""

    def complete(incomplete: str) -> list[str]:
        from intercode import datasets, registry

        names = datasets.names() if kind == "datasets" else registry.names(kind)
        return [name for name in names if name.startswith(incomplete)]

    return complete


Dataset = Annotated[
    str | None,
    typer.Option(
        "--dataset",
        "-d",
        metavar="NAME|PATH",
        autocompletion=plugin_names("datasets"),
        help="A data set, a subset (nl2bash/fs2), a file of tasks, or a task folder.",
        show_default="starter",
    ),
]
DatasetArgument = Annotated[
    str | None,
    typer.Argument(
        metavar="DATASET",
        help="A data set, a subset (nl2bash/fs2), a file of tasks, or a task folder.",
        show_default="starter",
    ),
]
DatasetOption = Annotated[
    list[str] | None, typer.Option(metavar="NAME=VALUE", help="An option of the data set, such as format=pickle.")
]
World = Annotated[
    str | None,
    typer.Option(
        metavar="NAME|FOLDER",
        autocompletion=plugin_names("envs"),
        help="The world to play in, or a task folder.",
        show_default="the data set's",
    ),
]
Sandbox = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        autocompletion=plugin_names("sandboxes"),
        help="The sandbox.",
        show_default="embedded (macOS, Windows: docker-cli)",
    ),
]
Unsafe = Annotated[
    bool | None, typer.Option("--i-know-this-is-unsafe", help="Required for sandboxes without isolation.")
]
Image = Annotated[
    str | None,
    typer.Option(
        metavar="IMAGE",
        help="host, ctf, debian, debian:SUITE, ubuntu, docker:NAME@sha256:…, a folder (or a Dockerfile's), a tar file.",
        show_default="the data set's",
    ),
]
ScoringName = Annotated[
    str | None,
    typer.Option("--scoring", metavar="paper|exact", help="The scoring to use.", show_default="the data set's"),
]
Reward = Annotated[
    str | None,
    typer.Option(
        "--reward",
        metavar="NAME|FILE.py",
        help="What judges in the place of exact; exact and paper are the world's own.",
        show_default="the data set's",
    ),
]
Shell = Annotated[
    str | None,
    typer.Option(
        metavar="fresh|persistent",
        help="What persists between commands: files only, or the shell too.",
        show_default="fresh",
    ),
]
Database = Annotated[
    str | None,
    typer.Option(
        metavar="NAME|URL",
        help="sqlite, mysql, or mysql://user:password@host:port.",
        show_default="mysql where installed",
    ),
]
Handicap = Annotated[
    bool | None, typer.Option("--handicap", help="Show the agent the database's tables with the query.")
]
Attempts = Annotated[
    int | None,
    typer.Option(metavar="N", parser=whole(1), help="Flags that may be submitted (world ctf).", show_default="1"),
]
Tasks = Annotated[
    list[str] | None,
    typer.Option(metavar="IDS", help="Task ids, their endings, or patterns ('nl2bash/fs1/*'), comma-separated."),
]
WithoutWrongGolds = Annotated[
    bool | None, typer.Option("--without-wrong-golds", help="Skip tasks whose gold is known to be wrong.")
]
WithoutVoid = Annotated[
    bool, typer.Option("--without-void", help="Skip tasks whose gold returns nothing, or only 0 and NULL.")
]
Limit = Annotated[
    int | None,
    typer.Option("--limit", "-n", metavar="N", parser=whole(1), help="Use at most N tasks.", show_default="all"),
]
Parallel = Annotated[
    int,
    typer.Option("--parallel", "-p", "--concurrency", metavar="N", parser=whole(1), help="Episodes to run at once."),
]
Processes = Annotated[
    int | None,
    typer.Option(metavar="N", parser=whole(1), help="Processes that play.", show_default="by cores and --parallel"),
]
KeepGoing = Annotated[
    bool, typer.Option("--keep-going", help="Continue even if the first episodes all fail for the same reason.")
]
Seed = Annotated[
    int | None,
    typer.Option(metavar="N", help="Seed of the run; each episode's seed follows from it.", show_default="0"),
]
Turns = Annotated[
    int | None,
    typer.Option(
        "--turns", "--max-turns", metavar="N", parser=whole(1), help="Maximum actions per episode.", show_default="10"
    ),
]
EpisodeSeconds = Annotated[
    float | None,
    typer.Option(
        metavar="S",
        parser=number(0.001),
        help="Truncate an episode after this time, model calls included.",
        show_default="never",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print only JSON to standard output.")]
Form = Annotated[
    str,
    typer.Option(
        "--format",
        metavar="|".join(FORMATS),
        parser=format_name,
        help="Output format. In csv a list has a line per row, a report one per figure.",
    ),
]
RunPath = Annotated[Path, typer.Argument(metavar="RUN", help="A run directory.")]

ModelName = Annotated[
    str | None,
    typer.Option(
        "--model", "-m", metavar="NAME", help="The model that the agent uses: openai/gpt-4o-mini, ollama/llama3:8b."
    ),
]
BaseUrl = Annotated[
    str | None, typer.Option(metavar="URL", help="An OpenAI-compatible server.", show_default="OpenAI's")
]
ModelOption = Annotated[
    list[str] | None, typer.Option(metavar="NAME=VALUE", help="An option of the model, such as temperature=0.")
]
Prompt = Annotated[
    str | None,
    typer.Option(
        metavar="FILE", help="A prompt file to use instead of the built-in one.", show_default="by agent and world"
    ),
]
ParserName = Annotated[
    str | None,
    typer.Option("--parser", metavar="default|paper", help="How model replies are parsed.", show_default="default"),
]
Refine = Annotated[
    int | None,
    typer.Option(
        metavar="N", parser=whole(0), help="Extra turns for plan-solve after it sees the reward.", show_default="0"
    ),
]
Demos = Annotated[
    str | None, typer.Option(metavar="FILE", help="Few-shot demonstrations, as written by `intercode demos`.")
]
Logprobs = Annotated[
    bool | None, typer.Option("--logprobs", help="Store the reply tokens with their log-probabilities.")
]
MaxCost = Annotated[float | None, typer.Option(metavar="DOLLARS", parser=number(0), help="Stop the run at this cost.")]
Cache = Annotated[
    bool | None,
    typer.Option(
        "--cache/--no-cache", help="Take replies to questions that were put before from a file.", show_default="no"
    ),
]
MaxTokens = Annotated[
    int | None, typer.Option(metavar="N", parser=whole(1), help="Stop the run at this number of tokens.")
]
