"""A file that plans many runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from intercode.errors import BadDataError, UnknownNameError, UserError
from intercode.runs.settings import Settings
from intercode.runs.sweep import read


def write(folder: Path, text: str) -> Path:
    path = folder / "plan.toml"
    path.write_text(text)
    return path


def test_each_combination_is_a_run_with_what_all_have_in_common(tmp_path: Path) -> None:
    found = read(write(tmp_path, '[run]\nlimit = 3\n[grid]\nagent = ["oracle", "human"]\nturns = [1, 10]\n'))
    assert [each.name for each in found.runs] == [
        "agent=oracle,turns=1",
        "agent=oracle,turns=10",
        "agent=human,turns=1",
        "agent=human,turns=10",
    ]
    assert found.runs[1].given == {"limit": 3, "agent": "oracle", "turns": 10}
    assert found.path(found.runs[0]) == Path("runs/plan/agent=oracle,turns=1")


def test_further_runs_have_their_own_settings_and_names(tmp_path: Path) -> None:
    text = 'out = "here"\nparallel = 3\n[[runs]]\nname = "mine"\ntasks = ["a", "b"]\n[[runs]]\nseed = 2\n'
    found = read(write(tmp_path, text))
    assert [(each.name, dict(each.given)) for each in found.runs] == [
        ("mine", {"tasks": ("a", "b")}),
        ("seed=2", {"seed": 2}),
    ]
    assert (found.out, found.parallel) == (Path("here"), 3)


def test_what_does_not_vary_is_not_in_the_name(tmp_path: Path) -> None:
    found = read(write(tmp_path, '[grid]\nagent = ["oracle"]\nturns = [1, 10]\n'))
    assert [each.name for each in found.runs] == ["turns=1", "turns=10"]


def test_a_file_may_begin_with_a_byte_order_mark(tmp_path: Path) -> None:
    path = write(tmp_path, "\ufeff[run]\nlimit = 1\n")
    assert len(read(path).runs) == 1


def test_a_name_cannot_lead_out_of_the_folder(tmp_path: Path) -> None:
    found = read(write(tmp_path, '[[runs]]\nname = "../../etc"\n[[runs]]\nname = ".."\n'))
    assert [found.path(each).name for each in found.runs] == ["etc", "none"]


def test_a_file_with_only_common_settings_is_one_run(tmp_path: Path) -> None:
    assert [each.name for each in read(write(tmp_path, "[run]\nlimit = 3\n")).runs] == ["run"]


def test_a_world_brings_its_tasks_as_on_the_command_line(tmp_path: Path) -> None:
    (tmp_path / "kitchen").mkdir()
    (tmp_path / "kitchen" / "task.toml").write_text('world = "bash"\n')
    folder = str(tmp_path / "kitchen")
    found = read(write(tmp_path, f"[grid]\nworld = ['{folder}', 'sql', 'bash']\n"))
    assert [dict(each.given) for each in found.runs] == [
        {"dataset": folder},
        {"dataset": "starter-sql", "world": "sql"},
        {"world": "bash"},
    ]
    with pytest.raises(UserError, match="brings its own tasks: leave out the data set starter"):
        read(write(tmp_path, f"[run]\ndataset = 'starter'\nworld = '{folder}'\n"))
    with pytest.raises(UserError, match=r"\./nowhere is not a task's folder"):
        read(write(tmp_path, "[run]\nworld = './nowhere'\n"))


def test_a_run_that_is_given_no_setting_is_one_of_the_defaults(tmp_path: Path) -> None:
    """Nothing at all would ask for a run to be resumed."""
    (planned,) = read(write(tmp_path, '[[runs]]\nname = "first"\n')).runs
    assert planned.given == {"dataset": Settings().dataset}


def test_names_are_such_that_a_folder_can_have_them(tmp_path: Path) -> None:
    text = '[[runs]]\ndataset = "../mine.jsonl"\nagent_options = {script = "/a b"}\nimage = ""\n'
    (planned,) = read(write(tmp_path, text)).runs
    assert planned.name == "dataset=mine.jsonl,agent_options=script-a-b,image=none"


def test_options_may_be_numbers_and_truths(tmp_path: Path) -> None:
    text = '[run]\nagent = "react"\nmodel = "m"\nmodel_options = {temperature = 0.5, "body.think" = true, stop = "x"}'
    (planned,) = read(write(tmp_path, text)).runs
    assert planned.given["model_options"] == {"temperature": "0.5", "body.think": "true", "stop": "x"}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[run", "cannot read"),
        ("[all]\nlimit = 1\n", "no part called 'all'; there are: out, parallel, run, grid, runs"),
        ("[run]\nlimits = 1\n", "no setting called 'limits'; there are: dataset"),
        ('[run]\nlimit = "many"\n', r"plan\.toml: Expected `int \| null`, got `str`"),
        ('[grid]\nagent = ["oracle", "react"]\n', "the agent react asks a model"),
        ("", r"plan\.toml: it holds no run: write \[run\] for one"),
        ("parallel = 2\n", "it holds no run"),
        ("parallel = 0\n[run]\n", "parallel starts at 1, not 0"),
        ("parallel = -2\n[run]\n", "parallel starts at 1, not -2"),
        ("[grid]\nturns = 3\n", "turns should be a list"),
        ("[grid]\nturns = []\n", "turns should be a list"),
        ('[[runs]]\nname = "x"\n[[runs]]\nname = "x"\n', "several runs would be called x"),
    ],
)
def test_what_is_wrong_with_a_file_is_said(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(BadDataError, match=says):
        read(write(tmp_path, text))


@pytest.mark.parametrize("name", ["api_key", "body.api_key"])
def test_a_key_is_refused_before_it_becomes_the_name_of_a_run(tmp_path: Path, name: str) -> None:
    options = ", ".join(f'{{"{name}" = "{value}"}}' for value in ("sk-0123456789", "sk-9876543210"))
    with pytest.raises(UserError, match="a key cannot be an option") as refused:
        read(write(tmp_path, f'[run]\nagent = "react"\nmodel = "m"\n[grid]\nmodel_options = [{options}]\n'))
    assert "sk-" not in str(refused.value)


def test_plug_ins_that_do_not_exist_are_found_before_anything_is_played(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="no agent called 'orcale'"):
        read(write(tmp_path, '[grid]\nagent = ["oracle", "orcale"]\n'))
