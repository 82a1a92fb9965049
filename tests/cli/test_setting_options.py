"""An option of `run` is a field of `Settings`: the command line, its checks and `intercode.toml` follow from it."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, Literal

import pytest
import typer
from typer.testing import CliRunner

from intercode.cli import run
from intercode.cli.shared import options, setting_options
from intercode.cli.shared.harmless import is_harmless
from intercode.errors import UserError
from intercode.runs.setting_option import SettingOption
from intercode.runs.settings import Settings

FOLLOWS_FROM_THE_AGENT = {"reward_every_turn"}


def make(monkeypatch: pytest.MonkeyPatch, kind: Any, option: SettingOption) -> tuple[typer.Typer, dict[str, Any]]:
    """Make a program whose settings have one field more, `order`; and what its command was given."""
    found: dict[str, Any] = {}

    def command(given: dict[str, Any], prompt: options.Prompt = None, quiet: bool = False) -> None:
        found.update(given)

    monkeypatch.setattr(setting_options, "OPTIONS", {**setting_options.OPTIONS, "order": option})
    monkeypatch.setattr(setting_options, "TYPES", {**setting_options.TYPES, "order": kind})
    monkeypatch.setattr(setting_options, "DEFAULTS", {**setting_options.DEFAULTS, "order": None})
    app = typer.Typer()
    app.command()(setting_options.on_command(command, after={"model_options": ("prompt",)}))
    return app, found


def test_every_setting_is_an_option_of_run_but_what_follows_from_others() -> None:
    assert {each.name for each in fields(Settings)} - setting_options.OPTIONS.keys() == FOLLOWS_FROM_THE_AGENT
    app = typer.Typer()
    app.command()(run.command)
    params = {each.name: each for each in typer.main.get_command(app).params}
    for option in setting_options.OPTIONS.values():
        flags = {flag for each in option.flags for flag in each.split("/")}
        assert flags == {*params[option.parameter].opts, *params[option.parameter].secondary_opts}


@pytest.mark.parametrize(
    ("kind", "option", "typed", "value"),
    [
        (str, SettingOption("…", ("--order",)), ["easy"], "easy"),
        (int | None, SettingOption("…", ("--order", "-o"), least=2), ["2"], 2),
        (float, SettingOption("…", ("--order",), least=0.5), ["0.5"], 0.5),
        (tuple[str, ...], SettingOption("…", ("--order",)), ["a, b"], ("a", "b")),
        (setting_options.TYPES["agent_options"], SettingOption("…", ("--order",)), ["n=1"], {"n": "1"}),
        (setting_options.TYPES["dataset_options"], SettingOption("…", ("--order",)), ["n=1"], {"n": 1}),
        (Literal["easy", "hard"] | Literal[""], SettingOption("…", ("--order",)), ["hard"], "hard"),
        (bool, SettingOption("…", ("--order",)), [], True),
    ],
)
def test_a_field_more_is_an_option_more(
    kind: Any, option: SettingOption, typed: list[str], value: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    app, found = make(monkeypatch, kind, option)
    done = CliRunner().invoke(app, ["--turns", "3", "--order", *typed])
    assert done.exit_code == 0, done.output
    assert found == {"turns": 3, "order": value}
    assert "--order" in CliRunner().invoke(app, ["--help"]).output


@pytest.mark.parametrize(
    ("kind", "option", "typed", "said"),
    [
        (int, SettingOption("…", ("--order",), least=2), "1", "a whole number from 2, not '1'"),
        (str, SettingOption("…", ("--order",), is_name=True), " ", "it names nothing"),
    ],
)
def test_its_value_is_checked_where_it_is_typed(
    kind: Any, option: SettingOption, typed: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = CliRunner().invoke(make(monkeypatch, kind, option)[0], ["--order", typed])
    assert done.exit_code == 2
    assert said in " ".join(done.output.split())


def test_a_word_that_is_no_choice_is_refused_by_the_options_name(monkeypatch: pytest.MonkeyPatch) -> None:
    app, _ = make(monkeypatch, Literal["easy", "hard"], SettingOption("…", ("--order",)))
    error = CliRunner().invoke(app, ["--order", "odd"]).exception
    assert isinstance(error, UserError)
    assert str(error) == "--order is easy or hard, not 'odd'"


@pytest.mark.parametrize("name", ["turns", "scoring", "tasks"])
def test_a_projects_file_may_give_what_is_called_harmless(name: str) -> None:
    assert setting_options.OPTIONS[name].is_harmless
    assert is_harmless(name, "anything")


@pytest.mark.parametrize("name", ["cache", "reward", "sandbox", "unsafe", "image", "database", "base_url"])
def test_a_setting_is_refused_there_until_it_is_called_harmless(name: str) -> None:
    option = setting_options.OPTIONS[name]
    assert not option.is_harmless
    assert not is_harmless(option.parameter, "anything")
