"""What a run is asked to do: the values of the command line, frozen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from os.path import isfile, join, normpath, realpath  # unlike Path's, they stand every string
from pathlib import Path
from typing import Any, Literal, Self

import msgspec

from intercode.databases import without_password
from intercode.datasets.folder import NAME, read_settings
from intercode.datasets.task_folder import REWARD
from intercode.decoding import ready
from intercode.errors import BadDataError, UnsafeError, UserError
from intercode.sandboxes.core.linux import default_sandbox
from intercode.types import Scoring, StepReward

Shell = Literal["fresh", "persistent"]


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of a run.

    Runs with equal settings on equal data are the same run, and one can go on where the other stopped. Where a run goes
    on, `max_cost`, `max_tokens` and `cache` may be others.

    Attributes:
        dataset: A name or a path, as `intercode.datasets.load` takes it.
        dataset_options: Options of the data set.
        world: A world's name or file; "": the data set's.
        agent: An agent's name or file.
        agent_options: Options of the agent, as texts.
        sandbox: A sandbox's name.
        unsafe: Whether code may run unguarded.
        image: An image's name; "": the data set's.
        scoring: What agents are told; "": the data set's.
        reward: A reward's name or file; "": the data set's.
        turns: The most actions of an episode.
        repeat: How often each task is played.
        seed: What the seeds of the episodes are made from.
        limit: The most tasks that are played. None: all that `tasks` selects.
        tasks: Ids, ends of ids, indices or patterns with `*`; empty: all.
        without_wrong_golds: Whether tasks are left out whose gold is known to be wrong
            (`intercode.datasets.gold_issues`).
        shell: What stays between commands, in worlds with a shell.
        database: The database, in worlds with one; "": what there is.
        handicap: Whether the query comes with the tables, in worlds with a database.
        attempts: How many answers may be handed in, in worlds where a wrong one need not be the last.
        model: Asked by agents that ask one; "" for none.
        base_url: Where the model's server is; "": its usual one.
        model_options: Options of the model, as texts.
        logprobs: Whether the tokens of the model's replies are stored.
        reward_every_turn: Whether every turn is judged. It follows from the agent.
        step_reward: What the actions before the last one earn.
        max_cost: US dollars, at which the run ends. None: no limit.
        max_tokens: Tokens, at which the run ends. None: no limit.
        episode_seconds: The longest time of an episode, its agent's thinking included. None: no limit.
        cache: Whether replies to questions that were asked before are taken from a file.
    """

    dataset: str = "starter"
    dataset_options: Mapping[str, Any] = field(default_factory=dict)
    world: str = ""
    agent: str = "oracle"
    agent_options: Mapping[str, str] = field(default_factory=dict)
    sandbox: str = field(default_factory=default_sandbox)
    unsafe: bool = False
    image: str = ""
    scoring: Scoring | Literal[""] = ""
    reward: str = ""
    turns: int = 10
    repeat: int = 1
    seed: int = 0
    limit: int | None = None
    tasks: tuple[str, ...] = ()
    without_wrong_golds: bool = False
    shell: Shell = "fresh"
    database: str = ""
    handicap: bool = False
    attempts: int = 1
    model: str = ""
    base_url: str = ""
    model_options: Mapping[str, str] = field(default_factory=dict)
    logprobs: bool = False
    reward_every_turn: bool = False
    step_reward: StepReward = "none"
    max_cost: float | None = None
    max_tokens: int | None = None
    episode_seconds: float | None = None
    cache: bool = False

    def to_json(self) -> dict[str, Any]:
        """As plain dictionaries and lists, without passwords."""
        plain = {name: getattr(self, name) for name in names()}
        mappings = {name: dict(plain[name]) for name in ("dataset_options", "agent_options", "model_options")}
        return plain | mappings | {"tasks": list(self.tasks), "database": without_password(self.database)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """The reverse of `to_json`.

        Raises:
            BadDataError: If a setting is unknown or has the wrong type.
        """
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
        plain = {name: getattr(self, name) for name in names()}
        mappings = {name: dict(value) for name, value in plain.items() if isinstance(value, Mapping)}
        try:
            msgspec.convert(plain | mappings, ready(type(self)))
        except (msgspec.ValidationError, UnicodeEncodeError) as error:
            raise UserError(f"these settings cannot be played: {error}") from error

    def changed(self, **values: Any) -> Self:
        """The same settings but for *values*."""
        return replace(self, **values)

    def guarded(self, unsafe: bool, *, named: str = "", reward: str = "") -> Self:
        """The same settings, read from a run that anybody may have written: what is unsafe must be allowed anew.

        Args:
            unsafe: Whether the user allows to run code unguarded.
            named: The data set that the user named. Files that belong to it are trusted.
            reward: The reward that the user named, which is trusted.

        Raises:
            UnsafeError: If the settings read a data set by running code, or name files of code that would judge or play
                here, and the user has not allowed it.
        """
        if self._is_pickled and not unsafe:
            raise UnsafeError(
                f"{self.dataset} is read as a pickle, which runs code: say --i-know-this-is-unsafe if you trust it"
            )
        if not unsafe and (files := self._code(named, reward)):
            way_out = "say --i-know-this-is-unsafe if you trust it"
            raise UnsafeError(f"{' and '.join(files)} would run on this machine, in no sandbox: {way_out}")
        return self.changed(unsafe=unsafe)

    @property
    def _is_pickled(self) -> bool:
        options = self.dataset_options
        return options.get("format") == "pickle" or bool(options.get("allow_pickle"))

    def _code(self, named: str, reward: str = "") -> list[str]:
        """The Python files that these settings would run on this machine.

        Files of the data set *named*, and *reward*, are left out.
        """
        brought = _code_files(self.dataset)
        known = {realpath(name) for name in brought} if self.dataset == named else set()
        candidates = (*brought, self.world, self.agent, self.sandbox, self.database, self.reward)
        files = dict.fromkeys(normpath(name) for name in candidates if name.endswith(".py") and isfile(name))
        known |= {realpath(reward)} if reward == self.reward else set()
        return [name for name in files if realpath(name) not in known]

    def trusted(self, given: Mapping[str, Any]) -> Self:
        """The same settings, if they send no key to a server that the user has not named.

        A run that somebody else wrote could otherwise have keys sent to any address.

        Args:
            given: The options that the user gave anew.

        Raises:
            UnsafeError: If a setting decides who sends which key where, and *given* does not repeat it word for word.
        """
        where = {"--base-url": (self.base_url, given.get("base_url", ""))}
        where["--model-option key_env"] = (
            self.model_options.get("key_env", ""),
            given.get("model_options", {}).get("key_env", ""),
        )
        for option, (stored, said) in where.items():
            if stored != said:
                joint = "=" if "option" in option else " "
                raise UnsafeError(f"this run sends a key by {option}{joint}{stored}: say so again to resume it")
        return self

    def options_to_repeat(self) -> list[str]:
        """The options that the user must repeat to resume such a run: those that `guarded` and `trusted` check."""
        is_unsafe = self.runs_code(self.dataset, self.reward)
        key = self.model_options.get("key_env", "")
        wanted = {
            ("--dataset", self.dataset): self.runs_code("", self.reward) and not is_unsafe,
            ("--reward", self.reward): self.runs_code(self.dataset) and not is_unsafe,
            ("--i-know-this-is-unsafe",): is_unsafe,
            ("--base-url", self.base_url): self.base_url,
            ("--model-option", f"key_env={key}"): key,
        }
        return [word for words, is_wanted in wanted.items() if is_wanted for word in words]

    def runs_code(self, named: str = "", reward: str = "") -> bool:
        """Whether such a run needs `--unsafe`, where the user named the data set *named* and the reward *reward*."""
        return self.unsafe or self._is_pickled or bool(self._code(named, reward))

    def differences(self, other: Settings) -> list[str]:
        """What is different in *other*, for people: `turns is 10, not 5`."""
        pairs = [(name, getattr(self, name), getattr(other, name)) for name in names()]
        return [f"{name} is {mine!r}, not {theirs!r}" for name, mine, theirs in pairs if mine != theirs]


def _code_files(dataset: str) -> tuple[str, ...]:
    """The files of Python that playing *dataset* runs: itself, or a folder's reward and world, whether there or not."""
    if dataset.endswith(".py"):
        return (dataset,)
    worlds = (join(dataset, read_settings(Path(dataset)).world),) if isfile(join(dataset, NAME)) else ()
    return (*worlds, join(dataset, REWARD))


def names() -> list[str]:
    """The names of all settings, in order."""
    return [each.name for each in fields(Settings)]
