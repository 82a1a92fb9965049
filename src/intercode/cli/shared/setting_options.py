"""Options of commands that follow from the fields of `Settings`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from functools import wraps
from inspect import Parameter, signature
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import typer

from intercode.cli.shared import parsing
from intercode.runs.setting_option import SettingOption, choices_of, option_of
from intercode.runs.settings import Settings

OPTIONS: Mapping[str, SettingOption] = {each.name: found for each in fields(Settings) if (found := option_of(each))}
"""The options of settings, by the names of these."""

TYPES = get_type_hints(Settings)
DEFAULTS = {each.name: each.default for each in fields(Settings)}
METAVARS = {int: "N", list[str]: "NAME=VALUE"}


def typer_option(setting: str) -> Any:
    """Return the option of *setting* as Typer takes it."""
    option, kind, default = OPTIONS[setting], _typed_as(setting), DEFAULTS[setting]
    is_shown = isinstance(default, int | str) and not isinstance(default, bool) and default != ""
    return typer.Option(
        *option.flags,
        metavar=option.metavar or METAVARS.get(kind),
        help=option.help,
        show_default=option.shown or (str(default) if is_shown else True),
        parser=_parser(option, kind),
        autocompletion=plugin_names(option.plugins) if option.plugins else None,
    )


def on_command(command: Callable[..., None], *, after: Mapping[str, Sequence[str]]) -> Callable[..., None]:
    """Return *command* with the options of all settings, whose values it gets as the argument `given`.

    Args:
        command: A command with options of its own.
        after: Which of its own come behind which setting in `--help`; all others come last.
    """
    known = signature(command, eval_str=True)
    own = {name: each.replace(kind=Parameter.KEYWORD_ONLY) for name, each in known.parameters.items()}
    del own["given"]
    parameters = []
    for setting, option in OPTIONS.items():
        parameters.append(
            Parameter(option.parameter, Parameter.KEYWORD_ONLY, default=None, annotation=_annotation(setting))
        )
        parameters += [own.pop(name) for name in after.get(setting, ())]
    parameters += own.values()

    @wraps(command)
    def call(**values: Any) -> None:
        given = {name: read(name, values.pop(option.parameter)) for name, option in OPTIONS.items()}
        command(given={name: value for name, value in given.items() if value is not None}, **values)

    call.__signature__ = known.replace(parameters=parameters)  # type: ignore[attr-defined]
    call.__annotations__ = {each.name: each.annotation for each in parameters}
    return call


def read(setting: str, typed: Any) -> Any:
    """Return the value of *setting* that was *typed*; None where it was not.

    Raises:
        UserError: If it takes no such value.
    """
    flag, kind = OPTIONS[setting].flags[0], TYPES[setting]
    if choices := choices_of(kind):
        return parsing.one_of(flag, typed, choices)
    if get_origin(kind) is tuple:
        return parsing.names(typed)
    if get_origin(kind) is Mapping:
        return parsing.pairs(flag, typed) if get_args(kind) == (str, str) else parsing.values(flag, typed)
    return typed


def plugin_names(kind: str) -> Callable[[str], list[str]]:
    """Return what a shell offers for the name of a plug-in of that *kind*."""

    def complete(incomplete: str) -> list[str]:
        from intercode import datasets, registry

        names = datasets.names() if kind == "datasets" else registry.names(kind)
        return [name for name in names if name.startswith(incomplete)]

    return complete


def _annotation(setting: str) -> Any:
    return Annotated[_typed_as(setting) | None, typer_option(setting)]


def _typed_as(setting: str) -> Any:
    """Return the type that *setting* has on the command line."""
    kind = TYPES[setting]
    if get_origin(kind) in (tuple, Mapping):
        return list[str]
    return next((each for each in (kind, *get_args(kind)) if each in (bool, int, float)), str)


def _parser(option: SettingOption, kind: type) -> Callable[[Any], Any] | None:
    """Return what reads and checks the text of *option*, where Typer's own does not do."""
    if option.is_name:
        return parsing.name
    if option.is_network:
        return parsing.network
    if option.least is None:
        return None
    return parsing.whole(int(option.least)) if kind is int else parsing.number(option.least)
