"""The one road from a data set to the environment of its world."""

from __future__ import annotations

from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

from intercode import datasets, registry
from intercode.datasets.base import Dataset
from intercode.env.dataset_choice import dataset_and_world
from intercode.env.option_types import check_types
from intercode.errors import UserError
from intercode_sandbox.sandbox import Sandbox

if TYPE_CHECKING:
    from intercode.env.env import Env

NO_SANDBOX = "sandbox: the world {world} runs on a database, in no sandbox; leave it out, or say where with database="
STARTER = "starter"


def make(
    dataset: str | PathLike[str] | Dataset | None = None,
    *,
    world: str | PathLike[str] | None = None,
    sandbox: str | Sandbox | None = None,
    **options: Any,
) -> Env:
    """Return the environment of the world that a data set is for.

    Args:
        dataset: A name (`starter-sql`, `nl2bash/fs2`, `mbpp/test`), the path of a file or folder, or a `Dataset`. None:
            the starter set of *world*, or of Bash.
        world: Another world than the data set's, by its name or the Python file with its class. A task folder as well,
            which brings its own data set.
        sandbox: By its name, or one that several environments share: that is not closed with any of them. None: the
            world's default.
        **options: What else the world takes: `scoring`, `turns`, `seconds`, `shell`, `database` and so on.

    Returns:
        An environment with nothing begun. Close it, or use it in a `with` block.

    Raises:
        UserError: For a data set, a world or an option that there is not, or that do not go together.
        MachineError: When a sandbox given by its name cannot be had.
    """
    check_types({"world": world, "sandbox": sandbox, **options})
    if dataset is not None:
        check_types({"dataset": dataset})
    given = dataset.name if isinstance(dataset, Dataset) else None if dataset is None else fspath(dataset)
    chosen = dataset_and_world(given, fspath(world) if world else None)
    if dataset is None:
        dataset = chosen["dataset"] or STARTER
    found = dataset if isinstance(dataset, Dataset) else datasets.load(fspath(dataset))
    name = chosen["world"] or found.world
    kind = registry.find("envs", name)
    registry.refuse_unknown(f"the world {name}", options, _options(kind))
    if sandbox is not None:
        if not kind.needs_sandbox:
            raise UserError(NO_SANDBOX.format(world=name))
        options["sandbox"] = sandbox
    env: Env = registry.create("envs", name, found, **options)
    return env


def _options(kind: type[Env]) -> list[str]:
    """Return what the environments of a world take beside data set and sandbox."""
    without = {"dataset", "sandbox"} | (set() if kind.needs_sandbox else {"image", "limits"})
    return [name for name in registry.options(kind) if name not in without]
