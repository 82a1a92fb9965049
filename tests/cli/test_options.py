"""Options as people type them: short, by other tools' names, in a file, and mistyped."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from terminal import intercode
from typer.testing import CliRunner

from intercode import __version__
from intercode.cli import main

TASKS = ("--tasks", "list-confs,count-january,show-port")


def settings(run: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((run / "manifest.json").read_text())["settings"]
    return found


def test_short_options_and_those_of_other_tools_say_the_same(tmp_path: Path) -> None:
    words = ["-d", "starter", "-a", "oracle", "-n", "1", "-p", "2", "-o", "run", "--epochs", "2", "--max-turns", "3"]
    assert intercode("run", *words, cwd=tmp_path).returncode == 0
    found = settings(tmp_path / "run")
    assert [found[name] for name in ("dataset", "agent", "limit", "repeat", "turns")] == ["starter", "oracle", 1, 2, 3]
    assert intercode("run", "--concurrency", "2", "-n", "1", "-o", "other", cwd=tmp_path).returncode == 0


def test_without_a_model_a_run_says_that_it_plays_the_golds(tmp_path: Path) -> None:
    assert "The agent oracle plays the golds" in intercode("run", "-n", "1", "-o", "a", cwd=tmp_path).stderr
    done = intercode("run", "-n", "1", "-a", "oracle", "-o", "b", cwd=tmp_path)
    assert "plays the golds" not in done.stderr
    assert "plays the golds" not in intercode("run", "-n", "1", "--quiet", "-o", "c", cwd=tmp_path).stderr


def test_a_logger_that_there_is_not_leaves_no_run_behind(tmp_path: Path) -> None:
    """It stood in the way of the next attempt."""
    done = intercode("run", "-n", "1", "--log", "wandv", "-o", "run", cwd=tmp_path)
    assert (done.returncode, "Did you mean 'wandb'?" in done.stderr) == (2, True)
    assert not (tmp_path / "run").exists()


def test_a_world_may_be_named_as_gymnasium_names_it(tmp_path: Path) -> None:
    assert intercode("run", "--world", "intercode/Bash-v1", "-n", "1", "-o", "run", cwd=tmp_path).returncode == 0
    assert settings(tmp_path / "run")["world"] == "bash"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["run", "--limit", "abc"], "it is a whole number from 1, not 'abc'"),
        (["run", "-p", "0"], "it is a whole number from 1, not '0'"),
        (["run", "--max-cost", "-1"], "it is a number from 0, not '-1'"),
        (["run", "--world", "chess"], "no world called 'chess'; there are: bash"),
        (["run", "--agent", "orakel"], "Did you mean 'oracle'?"),
        (["run", "--agent", "my.module:Agent"], "A class of your own is named by its file, FILE.py"),
        (["run", "-d", "startr"], "Did you mean 'starter'?"),
        (["run", "--modle", "x"], "--model"),
        (["rnu"], "Did you mean 'run'?"),
    ],
)
def test_mistakes_are_told_in_words_with_the_way_out(arguments: list[str], says: str) -> None:
    done = intercode(*arguments)
    assert done.returncode == 2
    assert says in done.stderr


def test_a_folder_of_runs_is_told_apart_from_a_run(finished: Path) -> None:
    for command in ("report", "show", "errors"):
        done = intercode(command, finished.parent)
        assert done.returncode == 2
        assert f"holds 1 run; name one of them:\n  {finished}\n" in done.stderr


def test_a_run_is_not_compared_with_itself(finished: Path) -> None:
    done = intercode("compare", finished, finished)
    assert done.returncode == 2
    assert "are the same run" in done.stderr


def test_defaults_come_from_the_projects_file_and_the_command_line_beats_it(tmp_path: Path) -> None:
    (tmp_path / "intercode.toml").write_text(
        '[run]\nlimit = 1\nturns = 4\nagent = "scripted"\nagent_option = {script = "starter_bash"}\n'
    )
    done = intercode("run", "--turns", "5", "-o", "run", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "defaults from intercode.toml: limit, turns, agent, agent_option" in done.stderr
    found = settings(tmp_path / "run")
    assert (found["limit"], found["turns"], found["agent"]) == (1, 5, "scripted")
    assert found["agent_options"] == {"script": "starter_bash"}
    again = intercode("run", "--resume", "-o", "run", cwd=tmp_path)
    assert again.returncode == 0, again.stderr


def test_a_file_that_is_named_may_say_more_than_one_that_is_only_there(tmp_path: Path) -> None:
    text = '[run]\nbase-url = "http://127.0.0.1:9/v1"\nmodel = "m"\n'
    (tmp_path / "intercode.toml").write_text(text)
    done = intercode("run", cwd=tmp_path)
    assert done.returncode == 2
    assert "intercode.toml gives --base-url, which may run code or send a key elsewhere" in done.stderr
    assert "no server answers at" in intercode("run", "--config", "intercode.toml", cwd=tmp_path).stderr
    (tmp_path / "intercode.toml").write_text('[run]\nagent = "mine.py"\n')
    assert "gives --agent" in intercode("run", cwd=tmp_path).stderr


def test_a_file_of_defaults_may_begin_with_a_byte_order_mark(tmp_path: Path) -> None:
    (tmp_path / "intercode.toml").write_text("[tasks]\nlimit = 1\n", encoding="utf-8-sig")
    done = intercode("tasks", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "defaults from intercode.toml: limit" in done.stderr


@pytest.mark.parametrize("option", ["--dataset", "--world", "--sandbox", "--image", "--reward", "--database"])
def test_an_empty_name_is_not_taken_for_the_default(option: str) -> None:
    """As of a variable that is not set: `--dataset "$SET"`."""
    done = intercode("run", option, "", "--limit", "1")
    assert done.returncode == 2
    assert f"Invalid value for '{option}'" in done.stderr
    assert "it names nothing: ''; leave the option out for the default" in done.stderr


@pytest.mark.parametrize("given", [",", " , ", ""])
def test_a_list_of_tasks_that_names_none_is_refused(given: str) -> None:
    done = intercode("tasks", "--tasks", given)
    assert done.returncode == 2
    assert "names nothing: write names with commas between" in done.stderr


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("limit = 1", "options stand in a table with a command's name"),
        ("[run]\nlimt = 1", "run has no option called 'limt'. Did you mean 'limit'?"),
        ("[rnu]\nlimit = 1", "there is no command called 'rnu'. Did you mean 'run'?"),
        ("[run", "cannot read other.toml"),
        ("[run]\nlimit = 'many'", "it is a whole number from 1, not 'many'"),
        ("[run]\nlimit = true", "it is a whole number from 1, not 'true'"),
        ("[run]\nturns = 2.5", "it is a whole number from 1, not '2.5'"),
        ("[run]\nparallel = [1]", "it is a whole number from 1, not"),
        ("[run]\nrepeat = 2020-01-01", "it is a whole number from 1, not '2020-01-01'"),
        ("[run]\nmax_cost = true", "it is a number from 0, not 'true'"),
    ],
)
def test_what_is_wrong_with_a_file_of_defaults_is_named(tmp_path: Path, text: str, says: str) -> None:
    (tmp_path / "other.toml").write_text(text)
    done = intercode("run", "--config", "other.toml", cwd=tmp_path)
    assert done.returncode == 2
    assert says in done.stderr


@pytest.mark.parametrize(
    ("table", "says"),
    [
        ("run.x", "run has no option called 'x', as [run.x] says"),
        ("images.bluid", "images has no command called 'bluid', as [images.bluid] says. Did you mean 'build'?"),
    ],
)
def test_a_table_that_nothing_reads_is_refused_whichever_command_is_called(
    tmp_path: Path, table: str, says: str
) -> None:
    (tmp_path / "intercode.toml").write_text(f"[{table}]\na = 1\n")
    for words in (["tasks"], ["images", "list"]):
        done = intercode(*words, cwd=tmp_path)
        assert (done.returncode, done.stderr) == (2, f"intercode: intercode.toml: {says}\n")


def test_an_option_in_the_table_of_a_group_of_commands_is_refused_whichever_is_called(tmp_path: Path) -> None:
    """It was ignored: only the tables of the group's commands are read."""
    (tmp_path / "intercode.toml").write_text('[data]\nformat = "csv"\n')
    said = "[data] has no option called 'format'; options stand in [data.get], [data.list]"
    for words in (["tasks"], ["data", "list"]):
        done = intercode(*words, cwd=tmp_path)
        assert (done.returncode, done.stderr.startswith(f"intercode: intercode.toml: {said}")) == (2, True), done.stderr


@pytest.mark.parametrize("table", ["run.agent-option", "run.agent_option", "images.build", "import"])
def test_tables_of_options_and_of_other_commands_are_let_through(tmp_path: Path, table: str) -> None:
    (tmp_path / "intercode.toml").write_text(f"[{table}]\nshots = 1\n")
    done = intercode("images", "list", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_broken_file_of_the_project_stops_neither_help_nor_version_nor_the_doctor(tmp_path: Path) -> None:
    (tmp_path / "intercode.toml").write_text("[run\n")
    for words in (["help"], ["version"], ["help", "run"], ["doctor", "--help"]):
        assert (done := intercode(*words, cwd=tmp_path)).returncode == 0, done.stderr
    checked = intercode("doctor", "--json", cwd=tmp_path)
    (line,) = checked.stderr.splitlines()
    assert line.startswith("intercode: cannot read intercode.toml: Expected ']'")
    assert {"bubblewrap", "databases"} <= {check["name"] for check in json.loads(checked.stdout)}
    assert intercode("tasks", cwd=tmp_path).returncode == 2


def test_help_and_version_can_be_asked_for_as_commands() -> None:
    assert intercode("version").stdout == f"intercode {__version__}\n"
    assert intercode("help").stdout == intercode("--help").stdout
    assert intercode("help", "run").stdout == intercode("run", "--help").stdout


def test_python_runs_it_as_a_module() -> None:
    done = subprocess.run([sys.executable, "-m", "intercode", "version"], capture_output=True, text=True, check=True)
    assert done.stdout == f"intercode {__version__}\n"


def test_every_command_takes_defaults_from_a_file() -> None:
    for command in sorted(path.stem for path in Path(main.__file__).parent.glob("[a-z]*.py")):
        if command != "main":
            for words in ([command, "list"],) if command in ("data", "images") else ([command],):
                assert "--config FILE.toml" in intercode(*words, "--help").stdout, words


def test_a_command_of_commands_has_a_table_of_its_own_and_options_go_by_the_name_that_is_typed(tmp_path: Path) -> None:
    (tmp_path / "intercode.toml").write_text('[data.list]\nformat = "csv"\n[tasks]\nlimit = 1\n')
    done = intercode("data", "list", cwd=tmp_path)
    assert done.stdout.startswith("name,here,MB,licence,what\n"), done.stderr
    assert done.stderr == "defaults from intercode.toml: format\n"
    (tmp_path / "intercode.toml").write_text('[data.list]\nfromat = "csv"\n')
    assert (
        "data list has no option called 'fromat'. Did you mean 'format'?"
        in intercode("data", "list", cwd=tmp_path).stderr
    )
    (tmp_path / "intercode.toml").write_text('[show]\nform = "csv"\n')
    assert "show has no option called 'form'. Did you mean 'format'?" in intercode("show", "x", cwd=tmp_path).stderr


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('[certify]\nout = "../certificate.json"', "gives --out, which may"),
        ('[certify]\nworld = "mine"', "gives --world mine, which may run code"),
        ('[serve]\nhost = "0.0.0.0"', "gives --host"),
    ],
)
def test_a_file_that_is_only_there_neither_runs_code_nor_writes_elsewhere(tmp_path: Path, text: str, says: str) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "reward.py").write_text("")
    (tmp_path / "intercode.toml").write_text(text)
    done = intercode(text[1 : text.index("]")], cwd=tmp_path)
    assert done.returncode == 2
    assert says in done.stderr


def test_the_command_line_can_be_made_twice_in_one_process() -> None:
    for _ in range(2):
        assert CliRunner().invoke(main.make_app("data"), ["data", "list", "--help"]).exit_code == 0
