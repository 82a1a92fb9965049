"""A folder that came with somebody's code: what its `intercode.toml` may set while nobody has named the file."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import typer
from terminal import in_process
from typer.main import get_command

from intercode.cli import main
from intercode.cli.shared import harmless

MARK = "PWNED"

CODE = f"import os; os.mkdir({MARK!r})\n"


class Evil:
    """What runs when it is unpickled."""

    def __reduce__(self) -> Any:
        return eval, (f"__import__('os').mkdir({MARK!r}) or [{{'query': 'q', 'gold': 'echo 1'}}]",)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A stranger's folder, the current one, with all sorts of code in it."""
    monkeypatch.chdir(tmp_path)
    for name in ("x.pkl", "x.jsonl", "x.json", "x.dat"):
        (tmp_path / name).write_bytes(pickle.dumps(Evil()))
    for name in ("mine.py", "reward.py", "agent.py"):
        (tmp_path / name).write_text(CODE)
    for name in ("kitchen", "starter_", "nl2bash_"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "task.toml").write_text('world = "mine.py"\n')
        (tmp_path / name / "tasks.jsonl").write_text('{"query": "q", "gold": "true"}\n')
        for code in ("mine.py", "reward.py"):
            (tmp_path / name / code).write_text(CODE)
    (tmp_path / "good.jsonl").write_text('{"query": "q", "gold": "true"}\n')
    (tmp_path / "outside.jsonl").symlink_to("/etc/passwd")
    return tmp_path


def commands() -> Iterator[tuple[str, Any]]:
    """Every command, as it is typed, with its options."""
    for file in sorted(Path(main.__file__).parent.glob("[a-z]*.py")):
        if file.stem == "main":
            continue
        module = import_module(f"intercode.cli.{file.stem}")
        if hasattr(module, "commands"):
            group: Any = get_command(module.commands)
            yield from ((f"{file.stem} {name}", each) for name, each in group.commands.items())
        else:
            app = typer.Typer(add_completion=False)
            app.command(file.stem)(module.command)
            yield file.stem, get_command(app)


PICKLES = [
    f'dataset = "{file}"\n{option} = {value}'
    for file in ("./x.pkl", "x.pkl", "x.jsonl", "x.dat")
    for option in ("dataset-option", "dataset_option")
    for value in (
        '{format = "pickle"}',
        "{allow_pickle = true}",
        '{format = "jsonl", allow_pickle = true}',
        '["format=pickle"]',
        '["seed=1", "allow_pickle=true"]',
        '{"seed=1\\nformat" = "pickle"}',
        '"format=pickle"',
    )
]


@pytest.mark.parametrize("text", PICKLES)
def test_no_pickle_is_read(here: Path, text: str) -> None:
    for command in ("tasks", "run", "certify", "hackcheck", "serve", "play", "data prepare"):
        table = ".".join(command.split())
        (here / "intercode.toml").write_text(f"[{table}]\n{text}\n")
        status, out, err = in_process(*command.split())
        assert status == 2, (command, out)
        assert "intercode.toml gives --data" in err, (command, err)
        assert "--config intercode.toml" in err
        assert not (here / MARK).exists(), command


@pytest.mark.parametrize(
    ("option", "values"),
    [
        ("dataset", ["./kitchen", "kitchen", "x.pkl", "mine.py", "./good.jsonl/../kitchen", "hf:./kitchen", "hf:a/b"]),
        ("dataset", ["task-folder", "files/x", "outside.jsonl", "/etc/passwd", "", "x" * 5000, ["starter"], "."]),
        ("world", ["kitchen", "./kitchen", "mine.py", "kitchen/mine.py", "intercode/Bash-v1", "nowhere"]),
        ("agent", ["agent.py", "./agent.py", "os:system", "package.Agent"]),
        ("model", ["transformers:./weights", "hf/weights", "scripted:replies.json", "litellm:custom/x", "bedrock/x"]),
        ("agent-option", [{"prompt": "/etc/passwd"}, {"demos": "x"}, {"file": "run"}, {"script": "../x"}, {"a": 1}]),
        ("model-option", [{"key_env": "AWS_SECRET"}, {"base_url": "http://evil"}, {"temperature": "0\nkey_env=A"}]),
        ("dataset-option", [{"folder": "/"}, {"host": "http://evil"}, {"databases": "x"}, {"network": True}]),
        ("dataset-option", [{"environments": "x"}, {"repositories": "x"}, {"build": "engine"}, {"file": "x"}]),
        ("prompt", ["/etc/passwd", "x.md"]),
        ("reward", ["reward.py", "exact"]),
        ("sandbox", ["local", "mine.py", "docker"]),
        ("image", ["./kitchen", "docker:evil@sha256:0", "/"]),
        ("database", ["mysql://root@evil", "mine.py"]),
        ("log", [["mine.py"], ["wandb"]]),
        ("out", ["../run", "run", "/tmp/run"]),
        ("base-url", ["http://evil/v1"]),
        ("ray", ["ray://evil"]),
        ("i-know-this-is-unsafe", [True]),
        ("cache", [True]),
        ("accept-changed-image", [True]),
    ],
)
def test_what_may_run_code_or_leads_elsewhere_is_refused_by_name(here: Path, option: str, values: list[Any]) -> None:
    for value in values:
        text = value if isinstance(value, dict) else {"": value}
        shown = ", ".join(f"{json.dumps(name)} = {json.dumps(each)}" for name, each in text.items())
        line = f"{option} = {{{shown}}}" if isinstance(value, dict) else f"{option} = {json.dumps(value)}"
        (here / "intercode.toml").write_text(f"[run]\n{line}\n")
        status, _, err = in_process("run")
        assert status == 2, value
        assert f"intercode.toml gives --{option}" in err, (value, err)
        assert sorted(here.glob(MARK)) == []
        assert not (here / "runs").exists()


@pytest.mark.parametrize(("command", "about"), [pytest.param(*each, id=each[0]) for each in commands()])
def test_an_option_that_is_not_listed_is_refused_in_every_command(here: Path, command: str, about: Any) -> None:
    """Those that are added later as well, until they are listed."""
    checked = 0
    for each in about.params:
        if each.name in (*harmless.SCALARS, *harmless.NAMES, *harmless.PAIRS, "help"):
            continue
        name = next((word[2:] for word in each.opts if word.startswith("--")), each.name)
        value = "true" if getattr(each, "is_flag", False) else '["x"]' if each.multiple else '"x"'
        (here / "intercode.toml").write_text(f"[{'.'.join(command.split())}]\n{name} = {value}\n")
        status, _, err = in_process(*command.split())
        assert status == 2, name
        assert f"intercode.toml gives --{name}" in err, (name, err)
        checked += 1
    assert checked or command in ("tasks", "data list", "images list", "images prune")


def test_what_is_harmless_is_taken_and_said(here: Path) -> None:
    (here / "intercode.toml").write_text(
        '[tasks]\ndataset = "good.jsonl"\nlimit = 1\ndataset-option = {query = "query"}\nformat = "csv"\n'
    )
    status, out, err = in_process("tasks")
    assert (status, err) == (0, "defaults from intercode.toml: dataset, limit, dataset_option, format\n")
    assert "good/0" in out
    (here / "intercode.toml").write_text('[tasks]\ndataset = "starter/bash"\n')
    assert in_process("tasks")[0] == 0


def test_a_file_that_is_named_may_set_everything(here: Path) -> None:
    (here / "intercode.toml").write_text('[tasks]\ndataset = "x.pkl"\ndataset-option = {format = "pickle"}\n')
    status, _, err = in_process("tasks", "--config", "intercode.toml")
    assert status == 0, err
    assert (here / MARK).exists()


def test_no_option_of_the_folders_makes_what_is_typed_run_code(here: Path) -> None:
    (here / "intercode.toml").write_text('[tasks]\ndataset-option = {format = "pickle"}\n')
    assert in_process("tasks", "x.pkl")[0] == 2
    (here / "intercode.toml").unlink()
    status, _, err = in_process("tasks", "x.pkl")
    assert (status, "reading one runs whatever code it holds" in err) == (2, True)
    assert not (here / MARK).exists()


def test_modules_in_the_folder_are_not_those_that_the_program_imports(here: Path) -> None:
    for name in ("typer", "json", "msgspec", "tomllib", "rich"):
        (here / f"{name}.py").write_text(CODE)
    done = subprocess.run(
        [sys.executable, "-m", "intercode", "tasks", "starter", "--limit", "1"], capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert not (here / MARK).exists()


def test_an_import_copies_databases_and_no_code_that_lies_beside_them(here: Path) -> None:
    import sqlite3

    (here / "db").mkdir()
    with sqlite3.connect(here / "db" / "shop.sqlite") as made:
        made.execute("CREATE TABLE bikes (id INT)")
    made.close()
    (here / "db" / "reward.py").write_text(CODE)
    (here / "tasks.csv").write_text("query,gold\nHow many bikes?,SELECT COUNT(*) FROM bikes\n")
    words = ["--world", "sql", "--databases", "db", "--keep-all", "--out", "imported"]
    status, _, err = in_process("import", "tasks.csv", *words)
    assert status == 0, err
    assert not (here / MARK).exists()
    assert sorted(each.name for each in (here / "imported").iterdir()) == [
        "fidelity.json", "shop.sqlite", "task.toml", "tasks.jsonl"
    ]  # fmt: skip


def test_an_address_in_a_strangers_env_file_gets_no_key_that_is_named(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from intercode.cli.shared import env_file

    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)
    (here / ".env").write_text("OPENAI_API_KEY=theirs\nOPENAI_BASE_URL=http://evil/v1\n")
    env_file.load("MY_KEY")
    assert "OPENAI_BASE_URL" not in os.environ


LITELLM = """
import os, dotenv
if os.getenv("LITELLM_MODE", "DEV") == "DEV":
    dotenv.load_dotenv()
"""
"""How LiteLLM begins: it looks for a file `.env` from where it is installed upwards."""


def test_litellm_takes_no_address_of_a_strangers_env_file(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from intercode import models
    from intercode.models.litellm import LitellmModel

    for name in ("ANTHROPIC_API_BASE", "LITELLM_MODE", "LITELLM_LOCAL_MODEL_COST_MAP"):
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "ours")
    (here / ".env").write_text("ANTHROPIC_API_BASE=http://evil\n")
    (here / ".venv").mkdir()
    (here / ".venv" / "litellm.py").write_text(LITELLM)
    monkeypatch.syspath_prepend(here / ".venv")
    monkeypatch.delitem(sys.modules, "litellm", raising=False)
    with models.load("litellm:anthropic/a") as model:
        assert isinstance(model, LitellmModel)
        assert model._litellm
    assert "ANTHROPIC_API_BASE" not in os.environ
