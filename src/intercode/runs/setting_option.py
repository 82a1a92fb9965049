"""How a setting of a run is given on a command line: the metadata of a field of `Settings`."""

from __future__ import annotations

from dataclasses import Field, dataclass
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin


@dataclass(frozen=True, slots=True)
class SettingOption:
    """The option of one setting.

    Attributes:
        help: What `--help` says of it.
        flags: How it is typed, the long form first.
        metavar: What stands for its value in `--help`; "": `N`, or `NAME=VALUE`.
        shown: What `--help` says of its default; "": the default itself.
        least: The least number that it takes.
        plugins: The kind of plug-in that it names, which a shell completes.
        is_name: Whether it names something, so that an empty text is a mistake.
        is_network: Whether it says what programs may reach.
        is_harmless: Whether an `intercode.toml` that only happens to be here may set it to any value.
    """

    help: str
    flags: tuple[str, ...]
    metavar: str = ""
    shown: str = ""
    least: float | None = None
    plugins: str = ""
    is_name: bool = False
    is_network: bool = False
    is_harmless: bool = False

    @property
    def parameter(self) -> str:
        """Return what the functions of commands, and `intercode.toml`, call it."""
        return self.flags[0].partition("/")[0].removeprefix("--").replace("-", "_")


def option(flags: str, help: str, **others: Any) -> dict[str, SettingOption]:
    """Return the metadata of a setting that has an option.

    Args:
        flags: How it is typed, with blanks between: `--turns --max-turns`.
        help: What `--help` says of it.
        **others: The other fields of `SettingOption`.
    """
    return {"option": SettingOption(help, tuple(flags.split()), **others)}


def option_of(setting: Field[Any]) -> SettingOption | None:
    """Return the option of a field of `Settings`, if it has one."""
    found: SettingOption | None = setting.metadata.get("option")
    return found


def choices_of(kind: Any) -> tuple[str, ...]:
    """Return the texts that a setting of the type *kind* may be; none for one that may be any."""
    if get_origin(kind) is Literal:
        return tuple(each for each in get_args(kind) if each)
    if get_origin(kind) in (Union, UnionType):
        return tuple(text for each in get_args(kind) for text in choices_of(each))
    return ()
