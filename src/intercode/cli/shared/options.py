"""Options that several commands have. Nothing heavy is imported here: `--help` reads all of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from intercode.cli.shared.parsing import FORMATS, format_name, name, number, whole


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
        parser=name,
        autocompletion=plugin_names("datasets"),
        help="A data set (nl2bash), a subset (nl2bash/fs2), a file of tasks (my.jsonl), or a task folder (./kitchen).",
        show_default="starter",
    ),
]
DatasetArgument = Annotated[
    str | None,
    typer.Argument(
        metavar="DATASET",
        parser=name,
        help="A data set (nl2bash), a subset (nl2bash/fs2), a file of tasks (my.jsonl), or a task folder (./kitchen).",
        show_default="starter",
    ),
]
DatasetOption = Annotated[
    list[str] | None, typer.Option(metavar="NAME=VALUE", help="An option of the data set, such as seed=7. Repeatable.")
]
World = Annotated[
    str | None,
    typer.Option(
        metavar="NAME|FOLDER",
        parser=name,
        autocompletion=plugin_names("envs"),
        help="The world to play in (bash, sql, python, swe, ctf), a world's file, or a task folder.",
        show_default="the data set's",
    ),
]
Sandbox = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        parser=name,
        autocompletion=plugin_names("sandboxes"),
        help="What isolates the code: embedded, docker, docker-cli, or local (nothing).",
        show_default="embedded; docker-cli on macOS and Windows",
    ),
]
Unsafe = Annotated[
    bool | None,
    typer.Option("--i-know-this-is-unsafe", help="Allow code to run without isolation, as --sandbox local does."),
]
Image = Annotated[
    str | None,
    typer.Option(
        metavar="IMAGE",
        parser=name,
        help="The files of the sandbox: host (this machine's programs), debian, debian:SUITE, ubuntu, ctf, "
        "docker:NAME@sha256:…, a folder (or a Dockerfile's), or a tar file.",
        show_default="the data set's",
    ),
]
ScoringName = Annotated[
    str | None,
    typer.Option(
        "--scoring",
        metavar="paper|exact",
        help="The scoring that counts: paper (as published) or exact (faults corrected).",
        show_default="the data set's",
    ),
]
Reward = Annotated[
    str | None,
    typer.Option(
        "--reward",
        metavar="NAME|FILE.py",
        parser=name,
        help="A reward that judges instead of exact: a Python file (./reward.py), or an installed reward.",
        show_default="the data set's",
    ),
]
Shell = Annotated[
    str | None,
    typer.Option(
        metavar="fresh|persistent",
        help="What the next command finds: files and working directory (fresh), or variables too (persistent).",
        show_default="fresh",
    ),
]
Database = Annotated[
    str | None,
    typer.Option(
        metavar="NAME|URL",
        parser=name,
        help="What SQL runs on: sqlite, mysql (started here), or a server: mysql://user:password@host:port.",
        show_default="mysql where installed, else sqlite",
    ),
]
Handicap = Annotated[
    bool | None, typer.Option("--handicap", help="SQL: show the agent the database's tables with the query.")
]
Attempts = Annotated[
    int | None,
    typer.Option(metavar="N", parser=whole(1), help="Capture the flag: flags that may be submitted.", show_default="1"),
]
Tasks = Annotated[
    list[str] | None,
    typer.Option(
        metavar="IDS",
        help="Only these tasks, comma-separated: ids, ends of ids (count-january), patterns ('nl2bash/fs1/*').",
    ),
]
WithoutWrongGolds = Annotated[
    bool | None, typer.Option("--without-wrong-golds", help="Skip tasks whose gold is known to be wrong.")
]
WithoutVoid = Annotated[
    bool, typer.Option("--without-void", help="Skip tasks whose gold returns nothing, or only 0 and NULL.")
]
Limit = Annotated[
    int | None,
    typer.Option("--limit", "-n", metavar="N", parser=whole(1), help="Only the first N tasks.", show_default="all"),
]
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
        help="End an episode after S seconds, model calls included.",
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
        help="Output format; in csv a report has one line per figure.",
    ),
]
RunPath = Annotated[Path, typer.Argument(metavar="RUN", help="A run directory, such as runs/first.")]

ModelName = Annotated[
    str | None,
    typer.Option(
        "--model", "-m", metavar="NAME", help="The agent's model, such as openai/gpt-4o-mini or ollama/llama3:8b."
    ),
]
BaseUrl = Annotated[
    str | None,
    typer.Option(
        metavar="URL", help="An OpenAI-compatible server, such as http://localhost:8000/v1.", show_default="OpenAI's"
    ),
]
ModelOption = Annotated[
    list[str] | None,
    typer.Option(metavar="NAME=VALUE", help="An option of the model, such as temperature=0. Repeatable."),
]
Prompt = Annotated[
    str | None,
    typer.Option(
        metavar="FILE.md", help="A prompt of your own, in place of the built-in one.", show_default="by agent and world"
    ),
]
ParserName = Annotated[
    str | None,
    typer.Option(
        "--parser", metavar="default|paper", help="How replies are parsed; paper: as published.", show_default="default"
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
    str | None, typer.Option(metavar="FILE.jsonl", help="Few-shot demonstrations, as written by `intercode demos`.")
]
Logprobs = Annotated[
    bool | None, typer.Option("--logprobs", help="Store the tokens of replies, with their log probabilities.")
]
MaxCost = Annotated[
    float | None,
    typer.Option(metavar="DOLLARS", parser=number(0), help="Stop the run when it has cost this much, such as 2.50."),
]
Cache = Annotated[
    bool | None,
    typer.Option(
        "--cache/--no-cache",
        help="Store the model's replies on disk; a request that was made before is answered from there, at no cost.",
        show_default="no",
    ),
]
MaxTokens = Annotated[
    int | None,
    typer.Option(metavar="N", parser=whole(1), help="Stop the run when it has used N tokens, such as 1000000."),
]
