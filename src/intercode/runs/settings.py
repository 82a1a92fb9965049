"""What a run is asked to do: the values of the command line, frozen. Nothing heavy is imported: `--help` reads it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal, Self

from intercode.errors import BadDataError, UserError
from intercode.runs.setting_option import option
from intercode.types import Scoring, StepReward
from intercode_sandbox.util.linux import default_sandbox

Shell = Literal["fresh", "persistent"]


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of a run.

    Runs with equal settings on equal data are the same run, and one can go on where the other stopped. Where a run goes
    on, `max_cost`, `max_tokens` and `cache` may be others.

    A setting's option says what it is, how it is typed and checked, and whether any `intercode.toml` may give it: the
    command line follows from here. A setting that is "" or None is the data set's or the model's, or there is none.

    Attributes:
        dataset: A name or a path, as `intercode.datasets.load` takes it.
        dataset_options: Options of the data set.
        world: A world's name or file; "": the data set's.
        agent: An agent's name or file.
        agent_options: Options of the agent, as texts.
        model: Asked by agents that ask one; "" for none.
        base_url: Where the model's server is; "": its usual one.
        model_options: Options of the model, as texts.
        logprobs: Whether the tokens of the model's replies are stored.
        max_cost: US dollars, at which the run ends. None: no limit.
        max_tokens: Tokens, at which the run ends. None: no limit.
        cache: Whether replies to questions that were asked before are taken from a file.
        tasks: Ids, ends of ids, indices or patterns with `*`; empty: all.
        without_wrong_golds: Whether tasks are left out whose gold is known to be wrong
            (`intercode.datasets.annotations`).
        limit: The most tasks that are played. None: all that `tasks` selects.
        repeat: How often each task is played.
        turns: The most actions of an episode.
        episode_seconds: The longest time of an episode, its agent's thinking included. None: no limit.
        seed: What the seeds of the episodes are made from.
        scoring: What agents are told; "": the data set's.
        reward: A reward's name or file; "": the data set's.
        step_reward: What the actions before the last one earn.
        reward_every_turn: Whether every turn is judged. It follows from the agent.
        shell: What stays between commands, in worlds with a shell.
        sandbox: A sandbox's name.
        unsafe: Whether code may run unguarded.
        image: An image's name; "": the data set's.
        network: What the agent's programs reach: `none`, `allow`, or hosts with commas between them; "": as the data
            set says.
        verifier_network: The same for programs that judge.
        database: The database, in worlds with one; "": what there is.
        handicap: Whether the query comes with the tables, in worlds with a database.
        attempts: How many answers may be handed in, in worlds where a wrong one need not be the last.
    """

    dataset: str = field(
        default="starter",
        metadata=option(
            "--dataset -d",
            "A data set (nl2bash), a subset (nl2bash/fs2), a file of tasks (my.jsonl), or a task folder (./kitchen).",
            metavar="NAME|PATH",
            plugins="datasets",
            is_name=True,
        ),
    )
    dataset_options: Mapping[str, Any] = field(
        default_factory=dict,
        metadata=option("--dataset-option", "An option of the data set, such as seed=7. Repeatable."),
    )
    world: str = field(
        default="",
        metadata=option(
            "--world",
            "The world to play in (bash, sql, python, swe, ctf), a world's file, or a task folder.",
            metavar="NAME|FOLDER",
            shown="the data set's",
            plugins="envs",
            is_name=True,
        ),
    )
    agent: str = field(
        default="oracle",
        metadata=option(
            "--agent -a",
            "Who plays, such as tool-use; or a Python file with an agent of your own.",
            metavar="NAME|FILE.py",
            shown="oracle, which plays the golds; react with --model",
            plugins="agents",
        ),
    )
    agent_options: Mapping[str, str] = field(
        default_factory=dict,
        metadata=option("--agent-option", "An option of the agent, such as dialogue_limit=20. Repeatable."),
    )
    model: str = field(
        default="",
        metadata=option(
            "--model -m", "The agent's model, such as openai/gpt-4o-mini or ollama/llama3:8b.", metavar="NAME"
        ),
    )
    base_url: str = field(
        default="",
        metadata=option(
            "--base-url",
            "An OpenAI-compatible server, such as http://localhost:8000/v1.",
            metavar="URL",
            shown="OpenAI's",
        ),
    )
    model_options: Mapping[str, str] = field(
        default_factory=dict,
        metadata=option("--model-option", "An option of the model, such as temperature=0. Repeatable."),
    )
    logprobs: bool = field(
        default=False,
        metadata=option("--logprobs", "Store the tokens of replies, with their log probabilities.", is_harmless=True),
    )
    max_cost: float | None = field(
        default=None,
        metadata=option(
            "--max-cost",
            "Stop the run when it has cost this much, such as 2.50.",
            metavar="DOLLARS",
            least=0,
            is_harmless=True,
        ),
    )
    max_tokens: int | None = field(
        default=None,
        metadata=option(
            "--max-tokens", "Stop the run when it has used N tokens, such as 1000000.", least=1, is_harmless=True
        ),
    )
    cache: bool = field(
        default=False,
        metadata=option(
            "--cache/--no-cache",
            "Store the model's replies on disk; a request that was made before is answered from there, at no cost.",
            shown="no",
        ),
    )
    tasks: tuple[str, ...] = field(
        default=(),
        metadata=option(
            "--tasks",
            "Only these tasks, comma-separated: ids, ends of ids (count-january), patterns ('nl2bash/fs1/*').",
            metavar="IDS",
            is_harmless=True,
        ),
    )
    without_wrong_golds: bool = field(
        default=False,
        metadata=option("--without-wrong-golds", "Skip tasks whose gold is known to be wrong.", is_harmless=True),
    )
    limit: int | None = field(
        default=None, metadata=option("--limit -n", "Only the first N tasks.", shown="all", least=1, is_harmless=True)
    )
    repeat: int = field(
        default=1, metadata=option("--repeat --epochs", "Play each task N times.", least=1, is_harmless=True)
    )
    turns: int = field(
        default=10, metadata=option("--turns --max-turns", "Maximum actions per episode.", least=1, is_harmless=True)
    )
    episode_seconds: float | None = field(
        default=None,
        metadata=option(
            "--episode-seconds",
            "End an episode after S seconds, model calls included.",
            metavar="S",
            shown="never",
            least=0.001,
            is_harmless=True,
        ),
    )
    seed: int = field(
        default=0, metadata=option("--seed", "Seed of the run; each episode's seed follows from it.", is_harmless=True)
    )
    scoring: Scoring | Literal[""] = field(
        default="",
        metadata=option(
            "--scoring",
            "The scoring that counts: paper (as published) or exact (faults corrected).",
            metavar="paper|exact",
            shown="the data set's",
            is_harmless=True,
        ),
    )
    reward: str = field(
        default="",
        metadata=option(
            "--reward",
            "A reward that judges, under its own name: a Python file (./reward.py), or an installed reward.",
            metavar="NAME|FILE.py",
            shown="the data set's",
            is_name=True,
        ),
    )
    step_reward: StepReward = field(
        default="none",
        metadata=option(
            "--step-reward",
            "A reward for each action: none, or progress (towards the gold's result).",
            metavar="NAME",
            is_harmless=True,
        ),
    )
    reward_every_turn: bool = False
    shell: Shell = field(
        default="fresh",
        metadata=option(
            "--shell",
            "What the next command finds: files and working directory (fresh), or variables too (persistent).",
            metavar="fresh|persistent",
            is_harmless=True,
        ),
    )
    sandbox: str = field(
        default_factory=default_sandbox,
        metadata=option(
            "--sandbox",
            "What isolates the code: embedded, docker, or local (nothing).",
            metavar="NAME",
            shown="embedded; docker on macOS and Windows",
            plugins="sandboxes",
            is_name=True,
        ),
    )
    unsafe: bool = field(
        default=False,
        metadata=option("--i-know-this-is-unsafe", "Allow code to run without isolation, as --sandbox local does."),
    )
    image: str = field(
        default="",
        metadata=option(
            "--image",
            "The files of the sandbox: host (this machine's programs), debian, debian:SUITE, ubuntu, python:TAG, ctf, "
            "docker:NAME@sha256:…, a folder (or a Dockerfile's), or a tar file.",
            metavar="IMAGE",
            shown="the data set's",
            is_name=True,
        ),
    )
    network: str = field(
        default="",
        metadata=option(
            "--network",
            "What the agent's programs reach, by HTTP and HTTPS: nothing, all public hosts, or these.",
            metavar="none|allow|HOST,HOST",
            shown="the data set's",
            is_network=True,
        ),
    )
    verifier_network: str = field(
        default="",
        metadata=option(
            "--verifier-network",
            "The same for programs that judge.",
            metavar="none|allow|HOST,HOST",
            shown="the data set's",
            is_network=True,
        ),
    )
    database: str = field(
        default="",
        metadata=option(
            "--database",
            "What SQL runs on: sqlite, mysql (started here), or a server: mysql://user:password@host:port.",
            metavar="NAME|URL",
            shown="mysql where installed, else sqlite",
            is_name=True,
        ),
    )
    handicap: bool = field(
        default=False,
        metadata=option("--handicap", "SQL: show the agent the database's tables with the query.", is_harmless=True),
    )
    attempts: int = field(
        default=1,
        metadata=option("--attempts", "Capture the flag: flags that may be submitted.", least=1, is_harmless=True),
    )

    def to_json(self) -> dict[str, Any]:
        """As plain dictionaries and lists, without passwords."""
        from intercode.worlds.sql.databases import without_password

        plain = {name: getattr(self, name) for name in names()}
        mappings = {name: dict(plain[name]) for name in ("dataset_options", "agent_options", "model_options")}
        return plain | mappings | {"tasks": list(self.tasks), "database": without_password(self.database)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """Return the reverse of `to_json`.

        Raises:
            BadDataError: If a setting is unknown or has the wrong type.
        """
        import msgspec

        from intercode.util.decoding import ready

        if unknown := sorted(set(data) - set(names())):
            raise BadDataError(f"settings that this version does not know: {', '.join(unknown)}")
        try:
            return msgspec.convert(dict(data), ready(cls))
        except (msgspec.ValidationError, UnicodeEncodeError) as error:
            raise BadDataError(f"its settings cannot be read: {error}") from error

    def check_types(self) -> None:
        """Look whether every setting has the type that it is declared with: programs may give any.

        Raises:
            UserError: If one has not, which is named.
        """
        import msgspec

        from intercode.util.decoding import ready

        plain = {name: getattr(self, name) for name in names()}
        mappings = {name: dict(value) for name, value in plain.items() if isinstance(value, Mapping)}
        try:
            msgspec.convert(plain | mappings, ready(type(self)))
        except (msgspec.ValidationError, UnicodeEncodeError) as error:
            raise UserError(f"these settings cannot be played: {error}") from error

    def changed(self, **values: Any) -> Self:
        """Return the same settings but for *values*."""
        return replace(self, **values)

    def differences(self, other: Settings) -> list[str]:
        """Return what is different in *other*, for people: `turns is 10, not 5`."""
        pairs = [(name, getattr(self, name), getattr(other, name)) for name in names()]
        return [f"{name} is {mine!r}, not {theirs!r}" for name, mine, theirs in pairs if mine != theirs]


def names() -> list[str]:
    """Return the names of all settings, in order."""
    return [each.name for each in fields(Settings)]
