"""A file's name is a plug-in's name; entry points add more.

`agents/react.py` is `--agent react`: there is no table to edit. A plug-in is a module of its kind's folder, or a
package there that has a module named after the kind (`models/chat/model.py`); `base.py` is the kind's promise. A data
set's package may have a `verified.py` too: `datasets/nl2bash/verified.py` is `--dataset nl2bash-verified`.
It gives one class named after both: `agents/try_again.py` has `TryAgainAgent`. Other packages join through the entry
point group `intercode.KIND`, and sandboxes only so: `intercode-sandbox`, which does not know InterCode, registers its
own in `intercode.sandboxes`. A name that ends in `.py` is the path of a file of one's own, with one class whose name
ends as its kind's do.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from hashlib import sha256
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from importlib.util import module_from_spec, spec_from_file_location
from inspect import Parameter, signature
from pathlib import Path
from pkgutil import iter_modules
from types import ModuleType
from typing import Any

from intercode.errors import BadDataError, UnknownNameError
from intercode_sandbox.util.text import did_you_mean, sentences

KINDS = {
    "sandboxes": "Sandbox",
    "databases": "Database",
    "datasets": "Dataset",
    "models": "Model",
    "agents": "Agent",
    "envs": "Env",
    "rewards": "Reward",
    "loggers": "Logger",
}
"""Kinds, and the noun that ends the names of their classes."""

PLACES = {
    "envs": ("worlds",),
    "databases": ("worlds/sql/databases",),
    "datasets": ("datasets", "worlds/*/datasets"),
}
"""Folders of kinds whose plug-ins are a world's own; those of all others are in a folder that is called as the kind."""

WORDS = {"Dataset": "data set", "Env": "world"}
"""What people call a kind whose noun they do not type."""

_files: dict[tuple[str, str], Any] = {}
"""The classes of files that have been loaded, by kind and by the name that was asked for."""

_LOADING = threading.RLock()
"""Held while a file runs: another thread that wants it must not get a module without its last lines."""


@cache
def _outside(kind: str) -> dict[str, EntryPoint]:
    points = sorted(entry_points(group=f"intercode.{kind}"), key=_is_a_sandbox_of_ours)  # the last of a name counts
    return {point.name: point for point in points}


def _is_a_sandbox_of_ours(point: EntryPoint) -> bool:
    return point.dist is not None and point.dist.name == "intercode-sandbox"


@cache
def _inside(kind: str) -> Mapping[str, str]:
    """Return the modules of our own plug-ins, by their names."""
    root, noun = Path(__file__).parent, KINDS[kind].lower()
    found = {}
    for folder in (folder for place in PLACES.get(kind, (kind,)) for folder in sorted(root.glob(place))):
        package = ".".join(("intercode", *folder.relative_to(root).parts))
        for module in iter_modules([str(folder)]):
            if (folder / module.name / f"{noun}.py").is_file():
                found[module.name] = f"{package}.{module.name}.{noun}"
                if (folder / module.name / "verified.py").is_file():
                    found[f"{module.name}_verified"] = f"{package}.{module.name}.verified"
            elif not module.ispkg and module.name != "base":
                found[module.name] = f"{package}.{module.name}"
    return found


def installed(kind: str) -> Mapping[str, EntryPoint]:
    """Return the entry points that other packages register in the group `intercode.KIND`, by name.

    Args:
        kind: A key of `KINDS`, or `commands`.
    """
    return _outside(kind)


def names(kind: str) -> list[str]:
    """Return the names of all plug-ins of a kind, ours and installed ones, sorted.

    Args:
        kind: A key of `KINDS`, such as `agents`.
    """
    return sorted({*(name.replace("_", "-") for name in _inside(kind)), *_outside(kind)})


def ships(kind: str, name: str) -> bool:
    """Return whether a plug-in of that *name* is a part of InterCode: no other package's, and no file.

    Args:
        kind: A key of `KINDS`, such as `agents`.
        name: The plug-in's name (`-` and `_` are the same).
    """
    return name.replace("-", "_") in _inside(kind)


def find(kind: str, name: str) -> Any:
    """Find the class of a plug-in. Code in a file is run.

    Args:
        kind: A key of `KINDS`, such as `agents`.
        name: The plug-in's name (`-` and `_` are the same), or the path of a Python file with a class of one's own.

    Raises:
        UnknownNameError: If there is no such plug-in; the message lists all names.
        BadDataError: If the file is missing, or holds no class of that kind, or several.
    """
    if name.endswith(".py"):
        return _files.setdefault((kind, name), _class_of(kind, Path(name)))
    key = name.replace("-", "_")
    if key in _inside(kind):
        return _class_in(kind, key)
    if point := _outside(kind).get(name) or _outside(kind).get(name.replace("_", "-")):
        return point.load()
    raise UnknownNameError(_unknown(kind, name))


def is_in_file(kind: str, name: str) -> bool:
    """Return whether *name* is the path of a Python file with a class of that kind, among others. Its code is run.

    Args:
        kind: A key of `KINDS`, such as `envs`.
        name: A plug-in's name, or a path.

    Raises:
        BadDataError: If the file is no Python.
    """
    return name.endswith(".py") and Path(name).is_file() and bool(_classes_of(kind, Path(name)))


def _unknown(kind: str, name: str) -> str:
    """Return what to say of a *name* that no plug-in has."""
    word = WORDS.get(KINDS[kind], KINDS[kind].lower())
    there = f"no {word} called {name!r}; there are: {', '.join(names(kind))}"
    own = f"A class of your own is named by its file, FILE.py, or by an entry point of the group intercode.{kind}"
    return sentences(there, did_you_mean(name, names(kind)), own if ":" in name or "." in name else "")


def create(kind: str, name: str, /, *arguments: Any, **options: Any) -> Any:
    """Create what a plug-in gives: find its class and call it.

    Args:
        kind: A key of `KINDS`, such as `agents`.
        name: As `find` takes it.
        *arguments: What its constructor gets.
        **options: What it gets by name.

    Raises:
        UnknownNameError: As `find` does.
        BadDataError: As `find` does, and if the class lacks what its kind promises or takes other arguments.
    """
    plugin = find(kind, name)
    if isinstance(plugin, type):
        _check_complete(kind, name, plugin)
        _check_arguments(kind, name, plugin, arguments, options)
    return plugin(*arguments, **options)


def _check_complete(kind: str, name: str, plugin: type) -> None:
    if lacks := ", ".join(sorted(getattr(plugin, "__abstractmethods__", ()))):
        word = WORDS.get(KINDS[kind], KINDS[kind].lower())
        raise BadDataError(f"{name}: {plugin.__name__} does not define {lacks}, which every {word} has to")


def _check_arguments(kind: str, name: str, plugin: type, arguments: Sequence[Any], options: Mapping[str, Any]) -> None:
    """Python says this by an error that an author's own mistake in the constructor may raise as well."""
    taken = signature(plugin.__init__)  # type: ignore[misc]
    try:
        given = taken.bind_partial(plugin, *arguments, **options).arguments
    except TypeError as error:
        raise BadDataError(f"{name}: {plugin.__name__}() {error}") from error
    several = (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)
    for each in taken.parameters.values():
        if each.default is Parameter.empty and each.kind not in several and each.name not in given:
            say = f", or a value by --agent-option {each.name}=VALUE" if kind == "agents" else ""
            raise BadDataError(f"{name}: {plugin.__name__}() needs {each.name}: give it a default{say}")


def find_loaded(kind: str, name: str) -> Any | None:
    """The class of an installed plug-in of that name, or of a file that this process has already loaded, else None.

    For names that come out of records, which anybody may have written: no file is run for them.
    """
    return _outside(kind)[name].load() if name in _outside(kind) else _files.get((kind, name))


def options(plugin: type) -> list[str]:
    """Return the options of a plug-in: what its constructor takes by name and has a default for, sorted.

    Those of its base classes count as well where the constructor passes `**options` on to them.
    """
    taken: list[Parameter] = []
    for init in (vars(each)["__init__"] for each in plugin.__mro__[:-1] if "__init__" in vars(each)):
        parameters = signature(init).parameters.values()
        taken += parameters
        if all(each.kind is not Parameter.VAR_KEYWORD for each in parameters):
            break
    return sorted({each.name for each in taken if each.default is not Parameter.empty})


def refuse_unknown(owner: str, given: Iterable[str], known: Sequence[str]) -> None:
    """Refuse options that a plug-in does not have.

    Args:
        owner: Who takes the options, for the message.
        given: The options that somebody named.
        known: The options that there are.

    Raises:
        UnknownNameError: If any of *given* is not among *known*; the message lists those.
    """
    if unknown := sorted(set(given) - set(known)):
        there = f"; there are: {', '.join(known)}" if known else ": it takes none"
        said = f"{owner} has no option called {' or '.join(map(repr, unknown))}{there}"
        raise UnknownNameError(sentences(said, did_you_mean(unknown[0], known)))


def _class_in(kind: str, key: str) -> Any:
    module = import_module(_inside(kind)[key])
    class_name = (key.replace("_", "") + KINDS[kind]).lower()
    return next(value for name, value in vars(module).items() if name.lower() == class_name)


def load_file(path: Path) -> ModuleType:
    """Run the Python file at *path*, once, and give its module.

    Raises:
        BadDataError: If there is no such file, it is not Python, or it would end the program. What else goes wrong in
            it is let through with its trace, which its owner wants.
    """
    path = path.resolve()
    name = f"intercode_file_{sha256(str(path).encode()).hexdigest()[:16]}"
    with _LOADING:
        return sys.modules[name] if name in sys.modules else _run_file(path, name)


def _run_file(path: Path, name: str) -> ModuleType:
    spec = spec_from_file_location(name, path)
    if not path.is_file() or spec is None or spec.loader is None:
        raise BadDataError(f"{path}: there is no such Python file")
    module = module_from_spec(spec)
    sys.modules[name] = module
    try:
        with refuse_exit(str(path)):
            spec.loader.exec_module(module)
    except SyntaxError as error:
        del sys.modules[name]
        place = f"{error.filename or path}, line {error.lineno or 1}"
        raise BadDataError(f"{place}: it is not Python: {error.msg}") from error
    except BaseException:
        del sys.modules[name]
        raise
    return module


@contextmanager
def refuse_exit(owner: str) -> Iterator[None]:
    """Run code of a user's own, which may not end the program: that would pass for a whole run, without a word.

    Args:
        owner: Whose code it is, for the message.

    Raises:
        BadDataError: If it calls `sys.exit`.
    """
    try:
        yield
    except SystemExit as error:
        called = f"sys.exit({'' if error.code is None else repr(error.code)})"
        raise BadDataError(f"{owner} called {called}, which would end the whole program: raise an error") from error


def _class_of(kind: str, path: Path) -> Any:
    found = _classes_of(kind, path)
    if len(found) != 1:
        raise BadDataError(f"{path}: expected one class whose name ends in {KINDS[kind]}; there are {len(found)}")
    return found[0]


def _classes_of(kind: str, path: Path) -> list[type]:
    module = load_file(path)
    return [
        value
        for name, value in vars(module).items()
        if isinstance(value, type) and value.__module__ == module.__name__ and name.endswith(KINDS[kind])
    ]
