"""What settings that somebody else may have written would do here: run code, send keys, reach this machine's network.

Such settings come out of stored runs. What is unsafe in them must be allowed, or said, anew.
"""

from __future__ import annotations

from collections.abc import Mapping
from os.path import isfile, join, normpath, realpath  # unlike Path's, they stand every string
from pathlib import Path
from typing import Any

from intercode.errors import UnsafeError
from intercode.runs.settings import Settings
from intercode_sandbox.network.hosts import NONE, network_policy, private_hosts

WAY_OUT = "say --i-know-this-is-unsafe if you trust it"


def guarded(settings: Settings, unsafe: bool, *, named: str = "", reward: str = "") -> Settings:
    """Return the same settings, read from a run that anybody may have written: what is unsafe must be allowed anew.

    Args:
        settings: Those of the run.
        unsafe: Whether the user allows to run code unguarded.
        named: The data set that the user named. Files that belong to it are trusted.
        reward: The reward that the user named, which is trusted.

    Raises:
        UnsafeError: If the settings read a data set by running code, name files of code that would judge or play
            here, or a private address that programs may reach, and the user has not allowed it.
    """
    if not unsafe:
        _refuse(settings, named, reward)
    return settings.changed(unsafe=unsafe)


def _refuse(settings: Settings, named: str, reward: str) -> None:
    """Raise UnsafeError for what the user would have to allow."""
    if _is_pickled(settings):
        raise UnsafeError(f"{settings.dataset} is read as a pickle, which runs code: {WAY_OUT}")
    networks = (settings.network, settings.verifier_network, settings.dataset_options.get("build_network"))
    if private := [host for value in networks for host in private_hosts(network_policy(value or NONE))]:
        raise UnsafeError(f"its network has {private[0]}, an address of this machine's own network perhaps: {WAY_OUT}")
    if files := _code(settings, named, reward):
        raise UnsafeError(f"{' and '.join(files)} would run on this machine, in no sandbox: {WAY_OUT}")


def check_keys(settings: Settings, given: Mapping[str, Any]) -> None:
    """Look whether settings send a key to a server that the user has not named.

    A run that somebody else wrote could otherwise have keys sent to any address.

    Args:
        settings: Those of the run.
        given: The options that the user gave anew.

    Raises:
        UnsafeError: If a setting decides who sends which key where, and *given* does not repeat it word for word.
    """
    where = {"--base-url": (settings.base_url, given.get("base_url", ""))}
    where["--model-option key_env"] = (
        settings.model_options.get("key_env", ""),
        given.get("model_options", {}).get("key_env", ""),
    )
    for flag, (stored, said) in where.items():
        if stored != said:
            joint = "=" if "option" in flag else " "
            raise UnsafeError(f"this run sends a key by {flag}{joint}{stored}: say so again to resume it")


def options_to_repeat(settings: Settings) -> list[str]:
    """Return the options that the user must repeat to resume such a run.

    Those that `guarded` and `check_keys` check.
    """
    is_unsafe = runs_code(settings, settings.dataset, settings.reward)
    key = settings.model_options.get("key_env", "")
    wanted = {
        ("--dataset", settings.dataset): runs_code(settings, "", settings.reward) and not is_unsafe,
        ("--reward", settings.reward): runs_code(settings, settings.dataset) and not is_unsafe,
        ("--i-know-this-is-unsafe",): is_unsafe,
        ("--base-url", settings.base_url): settings.base_url,
        ("--model-option", f"key_env={key}"): key,
    }
    return [word for words, is_wanted in wanted.items() if is_wanted for word in words]


def runs_code(settings: Settings, named: str = "", reward: str = "") -> bool:
    """Return whether such a run must be allowed, where the user named the data set *named* and the reward *reward*."""
    return settings.unsafe or _is_pickled(settings) or bool(_code(settings, named, reward))


def _is_pickled(settings: Settings) -> bool:
    options = settings.dataset_options
    return options.get("format") == "pickle" or bool(options.get("allow_pickle"))


def _code(settings: Settings, named: str, reward: str) -> list[str]:
    """Return the Python files that settings would run on this machine.

    Files of the data set *named*, and *reward*, are left out.
    """
    brought = _code_files(settings.dataset)
    known = {realpath(name) for name in brought} if settings.dataset == named else set()
    candidates = (*brought, settings.world, settings.agent, settings.sandbox, settings.database, settings.reward)
    files = dict.fromkeys(normpath(name) for name in candidates if name.endswith(".py") and isfile(name))
    known |= {realpath(reward)} if reward == settings.reward else set()
    return [name for name in files if realpath(name) not in known]


def _code_files(dataset: str) -> tuple[str, ...]:
    """Return the files of Python that playing *dataset* runs.

    Itself, or a folder's reward and world, whether there or not.
    """
    from intercode.datasets.folder import NAME, read_settings
    from intercode.datasets.task_folder import REWARD

    if dataset.endswith(".py"):
        return (dataset,)
    worlds = (join(dataset, read_settings(Path(dataset)).world),) if isfile(join(dataset, NAME)) else ()
    return (*worlds, join(dataset, REWARD))
