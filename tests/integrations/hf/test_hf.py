"""`hf:` reads what `intercode data push` writes, and anybody's data set in the hub's layout or its cache."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import fake_hub
import pytest
from huggingface_hub import DatasetCard
from typer.testing import CliRunner

import intercode
from intercode import datasets
from intercode.cli.main import make_app
from intercode.datasets.base import Dataset
from intercode.errors import BadDataError, UnknownNameError, UserError
from intercode.integrations.openenv.package import write_package
from intercode.types import Action
from intercode.world_specs import find

NAMED = ["starter", "starter-sql", "starter-python", "starter-ctf", "starter-swe", "generated-bash/validation"]
RECORDS = [
    {"id": "one", "query": "Say hi.", "gold": "echo hi", "tags": {"a": [1]}, "n": 3},
    {"id": "two", "query": "Say “ho”.", "gold": None, "n": None},
    {
        "id": "three",
        "query": "Say it.",
        "gold": "echo it",
        "alternative_golds": ["printf 'it\\n'"],
        "criteria": ["any_order"],
    },
]


def push(*arguments: str | Path) -> str:
    done = CliRunner().invoke(make_app("data"), ["data", "push", *map(str, arguments)], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.output


def pushed(spec: str | Path, folder: Path) -> Dataset:
    push(spec, "--out", folder)
    return datasets.load(f"hf:{folder}")


def records(folder: Path) -> Path:
    path = folder / "words.jsonl"
    path.write_text("".join(f"{json.dumps(each)}\n" for each in RECORDS))
    return path


def earned(dataset: Dataset, task: str) -> float:
    env = intercode.make(dataset)
    env.start_episode(env.dataset.find(task))
    for action in find(env.world).gold_actions(env.task.gold):
        env.take_action(action)
    env.close()
    return env.history[-1].reward


@pytest.mark.parametrize("name", NAMED)
def test_a_data_set_with_a_name_is_read_back_as_it_was(name: str, tmp_path: Path) -> None:
    there = datasets.load(name)
    found = pushed(name, tmp_path / "out")
    assert list(found) == list(there)
    assert (found.world, found.default_scoring, found.default_image) == (
        there.world,
        there.default_scoring,
        there.default_image,
    )


@pytest.mark.parametrize("name", ["starter", "starter-sql", "starter-python"])
def test_golds_that_were_read_back_earn_one(name: str, tmp_path: Path) -> None:
    found = pushed(name, tmp_path / "out")
    assert earned(found, found[0].id) == 1.0


def test_the_hubs_own_library_reads_what_was_written(tmp_path: Path) -> None:
    pushed("starter", tmp_path / "out")
    rows = import_module("datasets").load_dataset(str(tmp_path / "out"))
    assert list(rows) == ["test"]
    golds = {row["query"]: row["gold"] for row in rows["test"]}
    assert golds == {task.query: task.gold for task in datasets.load("starter")}
    header = DatasetCard.load(tmp_path / "out" / "README.md").data.to_dict()
    assert header["intercode"] == {"name": "starter", "world": "bash", "dataset": "starter"}


def test_a_file_of_tasks_becomes_a_folder_that_is_read_back_as_it_was(tmp_path: Path) -> None:
    path = records(tmp_path)
    found = pushed(path, tmp_path / "out")
    assert list(found) == list(datasets.load(str(path)))
    assert earned(found, "one") == 1.0


def test_a_task_folder_is_copied_whole(tmp_path: Path) -> None:
    folder = tmp_path / "birds"
    (folder / "files/srv").mkdir(parents=True)
    (folder / "files/srv/birds.txt").write_text("wren\n")
    (folder / "task.toml").write_text('world = "bash"\nquery = "question"\n[limits]\nseconds = 7\n')
    (folder / "tasks.jsonl").write_text(json.dumps({"question": "Which bird?", "gold": "cat /srv/birds.txt"}))
    there, found = datasets.load(str(folder)), pushed(folder, tmp_path / "out")
    assert list(found) == list(there)
    assert found.default_limits == there.default_limits
    assert not (tmp_path / "out" / "tasks.jsonl").exists()
    with intercode.make(found) as env:
        env.reset()
        assert env.take_action(Action("execute", "cat /srv/birds.txt")).observation.text == "wren\n"
        assert env.take_action(Action("submit")).reward == 1.0


def test_a_folder_of_databases_is_copied_whole(tmp_path: Path) -> None:
    folder = tmp_path / "shop"
    folder.mkdir()
    (folder / "shop.sql").write_text("CREATE TABLE t (a INT); INSERT INTO t VALUES (7);")
    (folder / "tasks.json").write_text(json.dumps([{"query": "Which?", "gold": "SELECT a FROM t"}]))
    found = pushed(folder, tmp_path / "out")
    assert list(found) == list(datasets.load(str(folder)))
    assert earned(found, "0") == 1.0


@pytest.mark.parametrize("lost", ["link", "mode", "empty"])
def test_what_the_hub_does_not_keep_is_refused(lost: str, tmp_path: Path) -> None:
    folder = tmp_path / "birds"
    (folder / "files").mkdir(parents=True)
    (folder / "task.toml").write_text('world = "bash"\n')
    (folder / "tasks.jsonl").write_text('{"query": "Which?", "gold": "ls"}')
    if lost != "empty":
        (folder / "files/run").write_text("x")
    if lost == "mode":
        (folder / "files/run").chmod(0o755)
    if lost == "link":
        (folder / "files/other").symlink_to("run")
    done = CliRunner().invoke(make_app("data"), ["data", "push", str(folder), "--out", str(tmp_path / "out")])
    assert isinstance(done.exception, UserError)
    assert "which the hub does not keep" in str(done.exception)
    assert not (tmp_path / "out").exists()


def test_code_in_such_a_folder_is_not_run(tmp_path: Path) -> None:
    pushed(records(tmp_path), tmp_path / "out")
    (tmp_path / "out" / "reward.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')")
    with pytest.raises(UserError, match=r"brings reward\.py, which would run on this machine"):
        datasets.load(f"hf:{tmp_path / 'out'}")
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("image", ["/etc", "~", "private"])
def test_files_of_this_machine_are_no_image_for_it(image: str, tmp_path: Path) -> None:
    pushed(records(tmp_path), tmp_path / "out")
    (tmp_path / "out" / "task.toml").write_text(f'world = "bash"\nimage = "{image}"\n')
    with pytest.raises(UserError, match="which is a path of this machine"):
        datasets.load(f"hf:{tmp_path / 'out'}")


def test_a_card_may_not_lead_out_of_its_folder(tmp_path: Path) -> None:
    pushed("starter", tmp_path / "out")
    card = tmp_path / "out" / "README.md"
    card.write_text(card.read_text().replace("data/test.parquet", "../secret.parquet"))
    with pytest.raises(BadDataError, match="is not in the folder"):
        datasets.load(f"hf:{tmp_path / 'out'}")


@pytest.mark.parametrize("other", ["starter/../../evil.py", "/evil.py", "hf:./out", "./out", "files"])
def test_a_card_names_no_data_set_but_one_of_ours(other: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    pushed("starter", tmp_path / "out")
    (tmp_path / "evil.py").write_text("open('ran', 'w')")
    card = tmp_path / "out" / "README.md"
    card.write_text(card.read_text().replace("dataset: starter", f"dataset: {other}"))
    with pytest.raises(BadDataError, match="which is not a data set that is known here"):
        datasets.load("hf:./out")
    assert not (tmp_path / "ran").exists()


def test_anybodys_records_are_mapped_by_options(tmp_path: Path) -> None:
    (tmp_path / "birds").mkdir()
    for split, code in (("train", "echo hi"), ("test", "echo ho")):
        (tmp_path / "birds" / f"{split}.jsonl").write_text(json.dumps({"q": "Say it.", "a": code, "n": None}) + "\n")
    spec = f"hf:{tmp_path / 'birds'}"
    (task,) = datasets.load(f"{spec}:test", query="q", gold="a")
    assert (task.id, task.query, task.gold, task.world) == ("birds/0", "Say it.", "echo ho", "bash")
    assert earned(datasets.load(f"{spec}:test", query="q", gold="a", name="mine"), "mine/0") == 1.0
    with pytest.raises(BadDataError, match="has several splits"):
        datasets.load(spec, query="q", gold="a")
    with pytest.raises(UserError, match="needs databases, which no records bring"):
        datasets.load(f"{spec}:test", query="q", gold="a", world="sql")


def test_a_split_that_there_is_not_is_refused(tmp_path: Path) -> None:
    found = pushed("starter", tmp_path / "out")
    assert list(datasets.load(f"hf:{tmp_path / 'out'}:test")) == list(found)
    with pytest.raises(UnknownNameError, match="has no split 'train'; there are: test"):
        datasets.load(f"hf:{tmp_path / 'out'}:train")


def test_pushing_wants_a_place_and_a_token(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HF_TOKEN", raising=False)
    for arguments, message in ((["starter"], "say where to"), (["starter", "me/mine"], "there is no token")):
        done = CliRunner().invoke(make_app("data"), ["data", "push", *arguments])
        assert isinstance(done.exception, UserError)
        assert message in str(done.exception)


def test_a_run_takes_such_a_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pushed(records(tmp_path), tmp_path / "out")
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(make_app("run"), ["run", "--dataset", "hf:./out:test", "--tasks", "one", "--json"])
    assert done.exit_code == 0, done.output
    (run,) = (tmp_path / "runs").iterdir()
    assert ":" not in run.name


def test_an_environment_is_packaged_with_a_copy_of_such_a_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = pushed(records(tmp_path), tmp_path / "out")
    monkeypatch.chdir(tmp_path)
    write_package(tmp_path / "package", {"dataset": "hf:./out:test"})
    for file in ("Dockerfile", "pyproject.toml"):
        assert '"intercode-env[hf,serve]==' in (tmp_path / "package" / file).read_text()
    assert "'hf:./tasks/out:test'" in (tmp_path / "package" / "server" / "app.py").read_text()
    shutil.rmtree(tmp_path / "out")
    monkeypatch.chdir(tmp_path / "package")
    assert list(datasets.load("hf:./tasks/out:test")) == list(found)


def test_what_was_pushed_to_a_hub_is_fetched_and_then_read_without_it(tmp_path: Path) -> None:
    """In processes of their own, since the library reads where its hub is when it is imported."""
    path = records(tmp_path)
    with fake_hub.running() as hub:
        there = {"HF_ENDPOINT": hub.url, "HF_TOKEN": fake_hub.TOKEN, "HF_HUB_OFFLINE": "0"}
        assert "3 tasks" in program(tmp_path, there, "data", "push", path.name, "me/mine")
        assert hub.made["visibility"] == "private"
        assert set(hub.files) == {"README.md", "task.toml", "tasks.parquet"}
        assert "words/three" in program(tmp_path, there, "tasks", "hf:me/mine")
        other = there | {"HF_TOKEN": "hf_other"}
        refused = program(tmp_path, other, "data", "push", path.name, "me/mine", status=2)
        assert "cannot be written at the Hugging Face hub" in refused
        assert "hf_other" not in refused
    assert "cannot be written" in program(tmp_path, there, "data", "push", path.name, "me/mine", status=2)
    assert "words/three" in program(tmp_path, there | {"HF_HUB_OFFLINE": "1"}, "tasks", "hf:me/mine")


def program(folder: Path, environment: dict[str, str], *arguments: str, status: int = 0) -> str:
    places = {"HF_HOME": str(folder / "home"), "XDG_CACHE_HOME": str(folder / "cache")}
    done = subprocess.run(
        [Path(sys.executable).with_name("intercode"), *arguments],
        cwd=folder,
        env=os.environ | places | environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout + done.stderr
