"""Options that several commands have. Nothing heavy is imported here: `--help` reads all of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from intercode.errors import UserError
from intercode.types import DEFAULT_WORLD, SCORINGS, Scoring

SHELLS = ("fresh", "persistent")

FORMATS = ("table", "markdown", "csv", "json")
"""In which tables are printed."""


def whole(least: int, most: int | None = None) -> Callable[[Any], int]:
    """Reads a whole number of the command line, from *least* to *most*."""
    bounds = f"from {least}" if most is None else f"from {least} to {most}"

    def read(text: Any) -> int:
        try:
            number = int(text)
        except ValueError:
            number = least - 1
        if number < least or (most is not None and number > most):
            raise typer.BadParameter(f"it is a whole number {bounds}, not {str(text)!r}")
        return number

    return read


def number(least: float, most: float | None = None) -> Callable[[Any], float]:
    """Reads a number of the command line, from *least* to *most*."""
    bounds = f"from {least:g}" if most is None else f"from {least:g} to {most:g}"

    def read(text: Any) -> float:
        try:
            value = float(text)
        except ValueError:
            value = least - 1
        if not least <= value <= (float("inf") if most is None else most):
            raise typer.BadParameter(f"it is a number {bounds}, not {str(text)!r}")
        return value

    return read


def format_name(text: str) -> str:
    """Reads a format of tables. Raises UserError."""
    return one_of("--format", text, FORMATS) or text


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
        metavar="NAME", autocompletion=plugin_names("sandboxes"), help="The sandbox.", show_default="embedded"
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


def agent_options(texts: Sequence[str] | None, **named: str | None) -> dict[str, Any] | None:
    """Those of `--agent-option`, and those that have an option of their own; None for none at all."""
    found = (pairs("--agent-option", texts) or {}) | {name: value for name, value in named.items() if value is not None}
    return found or None


def pairs(option: str, texts: Sequence[str] | None) -> dict[str, Any] | None:
    """`NAME=VALUE` texts as a dictionary, None for none at all. Raises UserError naming *option*."""
    if not texts:
        return None
    for text in texts:
        if not text.partition("=")[0] or "=" not in text:
            raise UserError(f"{option} wants NAME=VALUE, not {text!r}")
    return {name: value for name, _, value in (text.partition("=") for text in texts)}


def values(option: str, texts: Sequence[str] | None) -> dict[str, Any] | None:
    """The same, where what looks like a number or a truth value is one."""
    found = pairs(option, texts)
    return None if found is None else {name: _value(text) for name, text in found.items()}


def names(texts: Sequence[str] | None) -> tuple[str, ...] | None:
    """Names given one by one or with commas between, None for none at all."""
    return tuple(name.strip() for text in texts for name in text.split(",") if name.strip()) if texts else None


def one_of(option: str, text: str | None, allowed: Sequence[str]) -> str | None:
    """*text*, which must be one of *allowed*. Raises UserError."""
    if text is not None and text not in allowed:
        raise UserError(f"{option} is {' or '.join(allowed)}, not {text!r}")
    return text


def dataset(name: str | None, world: str | None) -> str | None:
    """*name*, or the first data set to try in a *world* that the usual one is not for."""
    from intercode import worlds

    usual = "" if world in (None, DEFAULT_WORLD) else worlds.find(world).starter
    return name or usual or None


def dataset_and_world(name: str | None, world: str | None) -> dict[str, str | None]:
    """The settings `dataset` and `world`; a *world* that is a task's folder, or one installed, brings its own tasks.

    Raises UserError where it is to play others.
    """
    from intercode import datasets, registry
    from intercode.datasets.folder import NAME, is_own

    world = _without_gymnasium_prefix(world)
    if world is None or world in registry.names("envs") or not is_own(world):
        if world is not None and "/" in world and not world.endswith(".py"):
            raise UserError(f"{world} is not a task's folder: it has no {NAME} (intercode new {world} makes one)")
        return {"dataset": dataset(name, world), "world": world}
    if name is not None:
        raise UserError(f"{world} brings its own tasks: leave out the data set {name}")
    is_taken = datasets.plugin(world) != "task-folder"  # a folder here that is called like a data set of ours
    return {"dataset": f"./{world}" if is_taken else world, "world": None}


def _without_gymnasium_prefix(world: str | None) -> str | None:
    """*world*, where it is a name at Gymnasium (`intercode/Bash-v1`) as we call it."""
    from intercode import registry

    found = re.fullmatch(r"(?:intercode:)?intercode/([\w-]+)-v1", world or "")
    name = found[1] if found else ""
    return next((each for each in registry.names("envs") if each.lower() == name.lower()), world)


def scoring(text: str | None) -> Scoring | None:
    """A scoring's name, or None. Raises UserError."""
    one_of("--scoring", text, SCORINGS)
    return next((each for each in SCORINGS if each == text), None)


def shell(text: str | None) -> str | None:
    """A shell's kind, or None. Raises UserError."""
    return one_of("--shell", text, SHELLS)


def _value(text: str) -> str | int | bool:
    if text in ("true", "false"):
        return text == "true"
    return int(text) if text.isdecimal() else text
